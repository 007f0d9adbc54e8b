"""The messages dialect: requests out, events in.

The server numbers its blocks itself. The type inside the data decides, not the event's name. Only
``message_stop`` completes a reply: a connection that closes cleanly before it is a broken one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from harness.refagent.conversation import (
    AssistantMessage,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResult,
    UserMessage,
)
from harness.refagent.events import (
    Done,
    StreamError,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ThinkingSignature,
    ToolCallDelta,
    ToolCallStart,
    UsageReport,
)
from harness.refagent.wire import child, count_of, error_text, objects, parse_object, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.refagent.conversation import Block, Message
    from harness.refagent.events import Stop
    from harness.refagent.wire import Ask

_VERSION = "2023-06-01"
_MAX_TOKENS = 8192  # the dialect wants a limit; every current model allows this much
_STOPS: dict[str, Stop] = {
    "tool_use": "tool",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


def path(model: str, *, stream: bool) -> str:
    """The base URL is the origin, without ``/v1``."""
    del model, stream
    return "/v1/messages"


def headers(api_key: str) -> dict[str, str]:
    """The key in its own header, and the version that the dialect demands."""
    version = {"anthropic-version": _VERSION}
    return {**version, "x-api-key": api_key} if api_key else version


def request_body(ask: Ask) -> dict[str, Any]:
    """The request. Two prompts in a row stay two messages; results of one round share a message."""
    body: dict[str, Any] = {
        "model": ask.model,
        "max_tokens": _MAX_TOKENS,
        "system": ask.system,
        "messages": list(_messages(ask.messages)),
        "stream": ask.stream,
    }
    if ask.tools:
        body["tools"] = [
            {"name": t.name, "description": t.description, "input_schema": t.schema} for t in ask.tools
        ]
    return body


def _messages(messages: Sequence[Message]) -> Iterator[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, ToolResult):
            results.append(_result(message))
            continue
        if results:
            yield {"role": "user", "content": results}
            results = []
        if isinstance(message, UserMessage):
            yield {"role": "user", "content": [{"type": "text", "text": message.text}]}
        elif content := list(_content(message)):
            yield {"role": "assistant", "content": content}
    if results:
        yield {"role": "user", "content": results}


def _result(result: ToolResult) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": result.call_id, "content": result.output}
    return {**block, "is_error": True} if result.is_error else block


def _content(message: AssistantMessage) -> Iterator[dict[str, Any]]:
    """The blocks that may be sent back: no empty text, no unsigned thinking."""
    for block in message.blocks:
        if isinstance(block, TextBlock) and block.text.strip():
            yield {"type": "text", "text": block.text}
        elif isinstance(block, ThinkingBlock) and block.signature:
            yield {"type": "thinking", "thinking": block.text, "signature": block.signature}
        elif isinstance(block, ToolCallBlock):
            yield _call(block)


def _call(call: Block) -> dict[str, Any]:
    assert isinstance(call, ToolCallBlock)
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": parse_object(call.arguments) or {}}


class MessagesDecoder:
    """Reads one streamed reply."""

    def __init__(self) -> None:
        self._stop_reason = ""
        self._ended = False
        self._whole_input: dict[int, str] = {}

    def feed(self, data: str) -> list[StreamEvent]:
        """Read the data of one server-sent event."""
        if self._ended or not data:
            return []
        event = parse_object(data)
        if event is None:
            return [self._fail(f"the server sent an event that is not JSON: {data[:80]!r}")]
        return list(self._event(event, data))

    def finish(self) -> list[StreamEvent]:
        """Say that the server has ended the stream."""
        return [] if self._ended else [self._fail("the stream ended without message_stop")]

    def _event(self, event: Mapping[str, Any], data: str) -> Iterator[StreamEvent]:
        index = count_of(event.get("index")) or 0
        match event.get("type"):
            case "message_start":
                yield from _usage(child(child(event, "message"), "usage"))
            case "content_block_start":
                yield from self._start(index, child(event, "content_block"))
            case "content_block_delta":
                yield from self._delta(index, child(event, "delta"))
            case "content_block_stop":
                yield from self._close(index)
            case "message_delta":
                self._stop_reason = text_of(child(event, "delta").get("stop_reason")) or self._stop_reason
                yield from _usage(child(event, "usage"))
            case "message_stop":
                yield self._last()
            case "error":
                yield self._fail(error_text(data))
            case _:
                pass  # pings, and whatever the provider invents next

    def _start(self, index: int, block: Mapping[str, Any]) -> Iterator[StreamEvent]:
        match block.get("type"):
            case "text" if text := text_of(block.get("text")):
                yield TextDelta(index, text)
            case "thinking" if text := text_of(block.get("thinking")):
                yield ThinkingDelta(index, text)
            case "tool_use":
                yield ToolCallStart(index, text_of(block.get("id")), text_of(block.get("name")))
                # Some servers send the whole input at once; it counts when no piece follows.
                if block.get("input"):
                    self._whole_input[index] = json.dumps(block["input"], ensure_ascii=False)

    def _delta(self, index: int, delta: Mapping[str, Any]) -> Iterator[StreamEvent]:
        match delta.get("type"):
            case "text_delta" if text := text_of(delta.get("text")):
                yield TextDelta(index, text)
            case "thinking_delta" if text := text_of(delta.get("thinking")):
                yield ThinkingDelta(index, text)
            case "signature_delta":
                yield ThinkingSignature(index, text_of(delta.get("signature")))
            case "input_json_delta" if text := text_of(delta.get("partial_json")):
                self._whole_input.pop(index, None)
                yield ToolCallDelta(index, text)

    def _close(self, index: int) -> Iterator[StreamEvent]:
        if whole := self._whole_input.pop(index, ""):
            yield ToolCallDelta(index, whole)

    def _last(self) -> StreamEvent:
        if self._stop_reason == "refusal":
            return self._fail("the model refused to answer")
        self._ended = True
        return Done(_STOPS.get(self._stop_reason, "stop"))

    def _fail(self, message: str) -> StreamError:
        self._ended = True
        return StreamError(message)


def _usage(usage: Mapping[str, Any]) -> Iterator[UsageReport]:
    if usage:
        yield UsageReport(count_of(usage.get("input_tokens")), count_of(usage.get("output_tokens")))


def decoder() -> MessagesDecoder:
    """A fresh decoder for one reply."""
    return MessagesDecoder()


def decode_whole(body: Mapping[str, Any]) -> list[StreamEvent]:
    """The events of a reply that came as one JSON object."""
    if not text_of(body.get("stop_reason")):
        return [StreamError("the reply has no stop_reason")]
    events: list[StreamEvent] = []
    for index, block in enumerate(objects(body.get("content"))):
        events += _whole_block(index, block)
    reader = MessagesDecoder()
    events += reader.feed(json.dumps({"type": "message_delta", "delta": body, "usage": body.get("usage")}))
    return events + reader.feed('{"type": "message_stop"}')


def _whole_block(index: int, block: Mapping[str, Any]) -> list[StreamEvent]:
    reader = MessagesDecoder()
    events = reader.feed(json.dumps({"type": "content_block_start", "index": index, "content_block": block}))
    if block.get("type") == "thinking" and block.get("signature"):
        events.append(ThinkingSignature(index, text_of(block["signature"])))
    return events + reader.feed(json.dumps({"type": "content_block_stop", "index": index}))
