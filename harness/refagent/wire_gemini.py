"""The Gemini dialect: requests out, chunks in.

A chunk carries no block numbers: text and thoughts open a new block whenever the channel changes, and a
function call is whole. ``finishReason`` ends the reply with its chunk, but token counts may follow, so the
end is told when the server closes. A signature proves the thinking before it and goes back with the call
that carried it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

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
    from collections.abc import Iterable, Iterator, Mapping

    from harness.refagent.conversation import Message
    from harness.refagent.wire import Ask


def path(model: str, *, stream: bool) -> str:
    """The base URL is the origin; model and streaming stand in the path."""
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"/v1beta/models/{quote(model, safe='')}:{method}"


def headers(api_key: str) -> dict[str, str]:
    """The key in its own header."""
    return {"x-goog-api-key": api_key} if api_key else {}


def request_body(ask: Ask) -> dict[str, Any]:
    """The request."""
    body: dict[str, Any] = {"contents": _contents(ask.messages)}
    if ask.system:
        body["systemInstruction"] = {"parts": [{"text": ask.system}]}
    if ask.tools:
        functions = [
            {"name": t.name, "description": t.description, "parametersJsonSchema": t.schema}
            for t in ask.tools
        ]
        body["tools"] = [{"functionDeclarations": functions}]
    return body


def _contents(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """The entries; all results of one reply's calls stand in one, as the provider wants them."""
    contents: list[dict[str, Any]] = []
    answering = False
    for message in messages:
        if isinstance(message, ToolResult):
            if not answering:
                contents.append({"role": "user", "parts": []})
            contents[-1]["parts"].append(_result(message))
        elif isinstance(message, UserMessage):
            contents.append({"role": "user", "parts": [{"text": message.text}]})
        else:
            contents.append({"role": "model", "parts": list(_said(message)) or [{"text": ""}]})
        answering = isinstance(message, ToolResult)
    return contents


def _result(result: ToolResult) -> dict[str, Any]:
    response = {"error" if result.is_error else "output": result.output}
    return {"functionResponse": {"id": result.call_id, "name": result.name, "response": response}}


def _said(message: AssistantMessage) -> Iterator[dict[str, Any]]:
    signature = ""
    for block in message.blocks:
        if isinstance(block, ThinkingBlock):
            signature = block.signature or signature
        elif isinstance(block, ToolCallBlock):
            args = parse_object(block.arguments) or {}
            call: dict[str, Any] = {"functionCall": {"id": block.id, "name": block.name, "args": args}}
            yield {**call, "thoughtSignature": signature} if signature else call
            signature = ""
        elif isinstance(block, TextBlock) and block.text:
            yield {"text": block.text}


class GeminiDecoder:
    """Reads one streamed reply."""

    def __init__(self) -> None:
        self._next_block = 0
        self._channel = ""
        self._thinking: int | None = None
        self._has_calls = False
        self._finish = ""
        self._ended = False

    def feed(self, data: str) -> list[StreamEvent]:
        """Read the data of one server-sent event."""
        if self._ended or not data:
            return []
        chunk = parse_object(data)
        if chunk is None:
            return [self._fail(f"the server sent an event that is not JSON: {data[:80]!r}")]
        if chunk.get("error"):
            return [self._fail(error_text(data))]
        return list(self.chunk(chunk))

    def finish(self) -> list[StreamEvent]:
        """Say that the server has ended the stream."""
        return [] if self._ended else [self._last()]

    def chunk(self, chunk: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """Read a chunk; a reply that is not streamed is a single one."""
        for candidate in objects(chunk.get("candidates"))[: 0 if self._finish else 1]:
            for part in objects(child(candidate, "content").get("parts")):
                yield from self._part(part)
            self._finish = text_of(candidate.get("finishReason")) or self._finish
        usage = child(chunk, "usageMetadata")
        if usage:
            yield _usage(usage)
        blocked = text_of(child(chunk, "promptFeedback").get("blockReason"))
        if blocked:
            yield self._fail(f"the provider blocked the prompt: {blocked}")

    def _part(self, part: Mapping[str, Any]) -> Iterator[StreamEvent]:
        call = child(part, "functionCall")
        text = text_of(part.get("text"))
        if call:
            yield from self._call(call)
        elif text and part.get("thought"):
            self._thinking = self._block("thinking")
            yield ThinkingDelta(self._thinking, text)
        elif text:
            yield TextDelta(self._block("text"), text)
        signature = text_of(part.get("thoughtSignature"))
        if signature and self._thinking is not None:
            yield ThinkingSignature(self._thinking, signature)

    def _call(self, call: Mapping[str, Any]) -> Iterator[StreamEvent]:
        self._has_calls = True
        block = self._block(f"tool {self._next_block}")
        yield ToolCallStart(block, text_of(call.get("id")), text_of(call.get("name")))
        yield ToolCallDelta(block, json.dumps(call.get("args") or {}, ensure_ascii=False))

    def _block(self, channel: str) -> int:
        if channel != self._channel:
            self._channel = channel
            self._next_block += 1
        return self._next_block - 1

    def _last(self) -> StreamEvent:
        if self._finish == "":
            return self._fail("the stream ended without a finish reason")
        if self._finish not in ("STOP", "MAX_TOKENS"):
            return self._fail(f"the provider stopped the reply: {self._finish}")
        self._ended = True
        if self._finish == "MAX_TOKENS":
            return Done("length")
        return Done("tool" if self._has_calls else "stop")

    def _fail(self, message: str) -> StreamError:
        self._ended = True
        return StreamError(message)


def _usage(usage: Mapping[str, Any]) -> UsageReport:
    """The answer's tokens: thoughts are counted apart from the rest."""
    said = [count_of(usage.get(key)) for key in ("candidatesTokenCount", "thoughtsTokenCount")]
    known = [count for count in said if count is not None]
    return UsageReport(count_of(usage.get("promptTokenCount")), sum(known) if known else None)


def decoder() -> GeminiDecoder:
    """A fresh decoder for one reply."""
    return GeminiDecoder()


def decode_whole(body: Mapping[str, Any]) -> list[StreamEvent]:
    """The events of a reply that came as one JSON object."""
    reader = GeminiDecoder()
    return [*reader.chunk(body), *reader.finish()]
