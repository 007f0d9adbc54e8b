"""The chat completions dialect: requests out, chunks in.

A chunk carries no block numbers. Text and reasoning open a new block whenever the channel changes; a tool
call has the server's own index, and calls may interleave. ``finish_reason`` ends the reply, but token
counts may follow in a chunk without choices, so the end is told at ``[DONE]`` or when the server closes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.refagent.conversation import AssistantMessage, ToolResult, UserMessage
from harness.refagent.events import (
    Done,
    StreamError,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallStart,
    UsageReport,
)
from harness.refagent.wire import child, count_of, error_text, objects, parse_object, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.refagent.conversation import Message
    from harness.refagent.events import Stop
    from harness.refagent.wire import Ask

_STOPS: dict[str, Stop] = {"stop": "stop", "tool_calls": "tool", "function_call": "tool", "length": "length"}


def path(model: str, *, stream: bool) -> str:
    """The base URL ends in ``/v1``."""
    del model, stream
    return "/chat/completions"


def headers(api_key: str) -> dict[str, str]:
    """A bearer token."""
    return {"authorization": f"Bearer {api_key}"} if api_key else {}


def request_body(ask: Ask) -> dict[str, Any]:
    """The request; reasoning is never sent back, as this dialect has no place for it."""
    body: dict[str, Any] = {
        "model": ask.model,
        "messages": [{"role": "system", "content": ask.system}, *map(_message, ask.messages)],
        "stream": ask.stream,
    }
    if ask.stream:
        body["stream_options"] = {"include_usage": True}
    if ask.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": t.name, "description": t.description, "parameters": t.schema},
            }
            for t in ask.tools
        ]
    return body


def _message(message: Message) -> dict[str, Any]:
    if isinstance(message, UserMessage):
        return {"role": "user", "content": message.text}
    if isinstance(message, ToolResult):
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.output}
    return _assistant(message)


def _assistant(message: AssistantMessage) -> dict[str, Any]:
    calls = [
        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
        for c in message.tool_calls
    ]
    said: dict[str, Any] = {"role": "assistant", "content": message.text or (None if calls else "")}
    return {**said, "tool_calls": calls} if calls else said


class ChatDecoder:
    """Reads one streamed reply."""

    def __init__(self) -> None:
        self._next_block = 0
        self._channel = ""
        self._calls: dict[int, int] = {}
        self._finish = ""
        self._refused = False
        self._ended = False

    def feed(self, data: str) -> list[StreamEvent]:
        """Read the data of one server-sent event."""
        if self._ended or not data:
            return []
        return list(self._last() if data.strip() == "[DONE]" else self._read(data))

    def finish(self) -> list[StreamEvent]:
        """Say that the server has ended the stream."""
        return [] if self._ended else list(self._last())

    def _read(self, data: str) -> Iterator[StreamEvent]:
        chunk = parse_object(data)
        if chunk is None:
            yield self._fail(f"the server sent an event that is not JSON: {data[:80]!r}")
        elif chunk.get("error"):
            yield self._fail(error_text(data))
        else:
            yield from self._chunk(chunk)

    def _chunk(self, chunk: Mapping[str, Any]) -> Iterator[StreamEvent]:
        for choice in objects(chunk.get("choices"))[:1]:
            yield from self._delta(child(choice, "delta"))
            self._finish = text_of(choice.get("finish_reason")) or self._finish
        usage = child(chunk, "usage")
        if usage:
            yield _usage(usage)

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[StreamEvent]:
        thinking = text_of(delta.get("reasoning_content")) or text_of(delta.get("reasoning"))
        if thinking:
            yield ThinkingDelta(self._block("thinking"), thinking)
        refusal = text_of(delta.get("refusal"))
        self._refused = self._refused or bool(refusal)
        for text in filter(None, (text_of(delta.get("content")), refusal)):
            yield TextDelta(self._block("text"), text)
        for call in objects(delta.get("tool_calls")):
            yield from self._call(call)

    def _call(self, call: Mapping[str, Any]) -> Iterator[StreamEvent]:
        index = count_of(call.get("index")) or 0
        function = child(call, "function")
        if index not in self._calls:
            self._calls[index] = self._block(f"tool {index}")
            yield ToolCallStart(self._calls[index], text_of(call.get("id")), text_of(function.get("name")))
        arguments = text_of(function.get("arguments"))
        if arguments:
            yield ToolCallDelta(self._calls[index], arguments)

    def _block(self, channel: str) -> int:
        if channel != self._channel:
            self._channel = channel
            self._next_block += 1
        return self._next_block - 1

    def _last(self) -> Iterator[StreamEvent]:
        if self._finish == "":
            yield self._fail("the stream ended without a finish reason")
        elif self._finish == "content_filter":
            yield self._fail("the provider's content filter stopped the reply")
        elif self._refused and self._finish == "stop":
            yield self._fail("the model refused to answer")
        else:
            self._ended = True
            yield Done(_STOPS.get(self._finish, "stop"))

    def _fail(self, message: str) -> StreamError:
        self._ended = True
        return StreamError(message)


def _usage(usage: Mapping[str, Any]) -> UsageReport:
    return UsageReport(count_of(usage.get("prompt_tokens")), count_of(usage.get("completion_tokens")))


def decoder() -> ChatDecoder:
    """A fresh decoder for one reply."""
    return ChatDecoder()


def decode_whole(body: Mapping[str, Any]) -> list[StreamEvent]:
    """The events of a reply that came as one JSON object: its message is one large delta."""
    reader = ChatDecoder()
    choice = next(iter(objects(body.get("choices"))), {})
    message = child(choice, "message")
    calls = [{"index": i, **call} for i, call in enumerate(objects(message.get("tool_calls")))]
    events = list(reader._chunk({**body, "choices": [{**choice, "delta": {**message, "tool_calls": calls}}]}))  # noqa: SLF001 - the same class, another entrance
    return events + reader.finish()
