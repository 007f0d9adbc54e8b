"""The responses dialect: requests out, typed events in.

The server numbers output items and the parts inside each. Deltas are read as they come; what a server sends
only when a part is done counts if no delta came before. The reply ends with ``response.completed``,
``.incomplete`` or ``.failed``: a stream that closes without one is a broken one. Nothing is kept at the
server, so reasoning is asked for in a form that can be sent back.
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
    from collections.abc import Iterator, Mapping

    from harness.refagent.conversation import Message
    from harness.refagent.events import Stop
    from harness.refagent.wire import Ask

_ENDS = ("response.completed", "response.incomplete", "response.failed")
_PROOF = "reasoning.encrypted_content"


def path(model: str, *, stream: bool) -> str:
    """The base URL ends in ``/v1``."""
    del model, stream
    return "/responses"


def headers(api_key: str) -> dict[str, str]:
    """A bearer token."""
    return {"authorization": f"Bearer {api_key}"} if api_key else {}


def request_body(ask: Ask) -> dict[str, Any]:
    """The request; the whole conversation goes with it."""
    body: dict[str, Any] = {
        "model": ask.model,
        "instructions": ask.system,
        "input": [item for message in ask.messages for item in _items(message)],
        "stream": ask.stream,
        "store": False,
        "include": [_PROOF],
    }
    if ask.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": t.name,
                "description": t.description,
                "parameters": t.schema,
                "strict": False,
            }
            for t in ask.tools
        ]
    return body


def _items(message: Message) -> Iterator[dict[str, Any]]:
    if isinstance(message, UserMessage):
        yield {"role": "user", "content": message.text}
    elif isinstance(message, ToolResult):
        yield {"type": "function_call_output", "call_id": message.call_id, "output": message.output}
    else:
        yield from _said(message)


def _said(message: AssistantMessage) -> Iterator[dict[str, Any]]:
    for block in message.blocks:
        if isinstance(block, TextBlock) and block.text:
            yield {"role": "assistant", "content": block.text}
        elif isinstance(block, ToolCallBlock):
            call = {"call_id": block.id, "name": block.name, "arguments": block.arguments or "{}"}
            yield {"type": "function_call", **call}
        elif isinstance(block, ThinkingBlock) and (proof := parse_object(block.signature)):
            yield {"type": "reasoning", **proof, "summary": [{"type": "summary_text", "text": block.text}]}


class ResponsesDecoder:
    """Reads one streamed reply."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[int, int], int] = {}
        self._begun: set[int] = set()  # items of which content was read
        self._has_calls = False
        self._refused = False
        self._ended = False

    def feed(self, data: str) -> list[StreamEvent]:
        """Read the data of one server-sent event."""
        if self._ended or not data or data.strip() == "[DONE]":
            return []
        event = parse_object(data)
        if event is None:
            return [self._fail(f"the server sent an event that is not JSON: {data[:80]!r}")]
        return list(self._event(event, data))

    def finish(self) -> list[StreamEvent]:
        """Say that the server has ended the stream."""
        return [] if self._ended else [self._fail("the stream ended without response.completed")]

    def end(self, response: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """The counts and the end of the reply, as a response object tells them."""
        usage = child(response, "usage")
        if usage:
            yield UsageReport(count_of(usage.get("input_tokens")), count_of(usage.get("output_tokens")))
        status = text_of(response.get("status"))
        reason = text_of(child(response, "incomplete_details").get("reason"))
        if status == "completed" and self._refused:
            yield self._fail("the model refused to answer")
        elif status == "completed":
            yield self._done("tool" if self._has_calls else "stop")
        elif status == "incomplete" and reason == "max_output_tokens":
            yield self._done("length")
        elif status == "incomplete" and reason == "content_filter":
            yield self._fail("the provider's content filter stopped the reply")
        else:
            said = text_of(child(response, "error").get("message"))
            yield self._fail(said or f"the reply ended as '{status}' {reason}".rstrip())

    def item(self, index: int, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """A whole item, of which what was read before is left out."""
        kind = item.get("type")
        if kind == "function_call":
            yield from self._start(index, item)
            yield from self._rest(index, text_of(item.get("arguments")))
        elif kind == "message" and index not in self._begun:
            for place, part in enumerate(objects(item.get("content"))):
                yield from self._text(index, place, part)
        elif kind == "reasoning":
            yield from self._reasoning(index, item)

    def _event(self, event: Mapping[str, Any], data: str) -> Iterator[StreamEvent]:
        kind = text_of(event.get("type"))
        if kind == "error" or (not kind and event.get("error")):
            yield self._fail(error_text(data))
        elif kind in _ENDS:
            yield from self.end(child(event, "response"))
        else:
            yield from self._piece(kind, event, count_of(event.get("output_index")) or 0)

    def _piece(self, kind: str, event: Mapping[str, Any], index: int) -> Iterator[StreamEvent]:
        delta = text_of(event.get("delta"))
        match kind:
            case "response.output_item.added":
                yield from self._start(index, child(event, "item"))
            case "response.output_text.delta" | "response.refusal.delta":
                place = count_of(event.get("content_index")) or 0
                yield from self._text(index, place, {"refusal" if "refusal" in kind else "text": delta})
            case "response.reasoning_summary_part.added" if event.get("summary_index"):
                yield from self._think(index, "\n\n")
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield from self._think(index, delta)
            case "response.function_call_arguments.delta" if delta:
                self._begun.add(index)
                yield ToolCallDelta(self._block(index), delta)
            case "response.function_call_arguments.done":
                yield from self._rest(index, text_of(event.get("arguments")))
            case "response.output_item.done":
                yield from self.item(index, child(event, "item"))

    def _start(self, index: int, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        if item.get("type") == "function_call" and (index, 0) not in self._blocks:
            self._has_calls = True
            yield ToolCallStart(self._block(index), text_of(item.get("call_id")), text_of(item.get("name")))

    def _rest(self, index: int, arguments: str) -> Iterator[StreamEvent]:
        """Arguments that came in one go."""
        if arguments and index not in self._begun:
            self._begun.add(index)
            yield ToolCallDelta(self._block(index), arguments)

    def _text(self, index: int, place: int, part: Mapping[str, Any]) -> Iterator[StreamEvent]:
        self._begun.add(index)
        refusal = text_of(part.get("refusal"))
        self._refused = self._refused or bool(refusal)
        if text := text_of(part.get("text")) or refusal:
            yield TextDelta(self._block(index, place), text)

    def _think(self, index: int, text: str) -> Iterator[StreamEvent]:
        self._begun.add(index)
        if text:
            yield ThinkingDelta(self._block(index), text)

    def _reasoning(self, index: int, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        if index not in self._begun:
            summary = objects(item.get("summary")) or objects(item.get("content"))
            yield from self._think(index, "\n\n".join(text_of(part.get("text")) for part in summary))
        proof = {key: item[key] for key in ("id", "encrypted_content") if item.get(key)}
        if "encrypted_content" in proof:
            yield ThinkingSignature(self._block(index), json.dumps(proof))

    def _block(self, index: int, place: int = 0) -> int:
        return self._blocks.setdefault((index, place), len(self._blocks))

    def _done(self, stop: Stop) -> StreamEvent:
        self._ended = True
        return Done(stop)

    def _fail(self, message: str) -> StreamError:
        self._ended = True
        return StreamError(message)


def decoder() -> ResponsesDecoder:
    """A fresh decoder for one reply."""
    return ResponsesDecoder()


def decode_whole(body: Mapping[str, Any]) -> list[StreamEvent]:
    """The events of a reply that came as one JSON object."""
    reader = ResponsesDecoder()
    events: list[StreamEvent] = []
    for index, item in enumerate(objects(body.get("output"))):
        events += reader.item(index, item)
    return [*events, *reader.end(body)]
