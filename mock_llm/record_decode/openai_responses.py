"""OpenAI responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mock_llm.record_decode.piece import (
    Called,
    Counted,
    Failed,
    Finished,
    Parts,
    Said,
    Stopped,
    at,
    count_at,
    error_message,
    rows_at,
    said,
    text_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mock_llm.record_decode.piece import Decoder, Piece, TextKind

_DELTAS: Mapping[str, tuple[TextKind, str]] = {
    "response.output_text.delta": ("say", "content_index"),
    "response.refusal.delta": ("refuse", "content_index"),
    "response.reasoning_summary_text.delta": ("think", "summary_index"),
    "response.reasoning_text.delta": ("think", "content_index"),
}
_CONTENTS: Mapping[str, tuple[TextKind, str]] = {
    "output_text": ("say", "text"),
    "refusal": ("refuse", "refusal"),
    "summary_text": ("think", "text"),
    "reasoning_text": ("think", "text"),
}
_LAST = ("response.completed", "response.incomplete")
_REASONS = {"max_output_tokens": "length", "content_filter": "refusal"}


class OpenAiResponses:
    """Reads the output items. An item whose deltas were never sent is taken from its ``done`` event."""

    def __init__(self) -> None:
        self._parts = Parts()
        self._streamed: set[object] = set()
        self._calls = 0

    def event(self, value: Any) -> Iterator[Piece]:
        kind, index = text_at(value, "type"), count_at(value, "output_index")
        if kind in _DELTAS:
            said_as, inner = _DELTAS[kind]
            yield self._text(said_as, (index, said_as, count_at(value, inner)), text_at(value, "delta"))
            self._streamed.add(index)
        elif kind == "response.function_call_arguments.delta":
            self._streamed.add(index)
            part = self._parts.find(index)
            if part is not None:
                yield from said(part, "args", text_at(value, "delta"))
        elif kind == "response.output_item.added" and text_at(value, "item", "type") == "function_call":
            yield self._call(index, at(value, "item"))
        elif kind == "response.output_item.done":
            yield from self._item(index, at(value, "item"))
        elif kind in _LAST:
            yield from self._ending(at(value, "response"))
        elif kind in ("error", "response.failed"):
            yield Failed(
                error_message(at(value, "response")) or error_message(value) or text_at(value, "message")
            )

    def whole(self, value: Any) -> Iterator[Piece]:
        for index, item in enumerate(rows_at(value, "output")):
            yield from self._item(index, item)
        yield from self._ending(value)

    def _item(self, index: Any, item: Any) -> Iterator[Piece]:
        """An item as a whole, as far as its deltas have not said it."""
        if index in self._streamed:
            return
        self._streamed.add(index)
        if text_at(item, "type") == "function_call":
            part = self._parts.find(index)
            if part is None:
                call = self._call(index, item)
                part = call.part
                yield call
            yield from said(part, "args", text_at(item, "arguments"))
        for key in ("summary", "content"):
            for place, content in enumerate(rows_at(item, key)):
                said_as, field = _CONTENTS.get(text_at(content, "type"), ("say", ""))
                if text_at(content, field):
                    yield self._text(said_as, (index, said_as, place), text_at(content, field))

    def _text(self, kind: TextKind, key: object, text: str) -> Said:
        part = self._parts.find(key)
        return Said(self._parts.new(key) if part is None else part, kind, text)

    def _call(self, index: Any, item: Any) -> Called:
        self._calls += 1
        return Called(self._parts.new(index), text_at(item, "call_id"), text_at(item, "name"))

    def _ending(self, response: Any) -> Iterator[Piece]:
        reason = text_at(response, "incomplete_details", "reason")
        yield Stopped(_REASONS.get(reason, reason) if reason else "tool" if self._calls else "stop")
        usage = at(response, "usage")
        if isinstance(usage, dict):
            yield Counted(count_at(usage, "input_tokens"), count_at(usage, "output_tokens"))
        yield Finished()


def decoder() -> Decoder:
    """A decoder of one reply."""
    return OpenAiResponses()
