"""OpenAI chat completions, and the many servers that speak it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mock_llm.record_decode.piece import (
    Called,
    Counted,
    Failed,
    Finished,
    Parts,
    Stopped,
    at,
    count_at,
    error_message,
    rows_at,
    said,
    text_at,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mock_llm.record_decode.piece import Decoder, Piece, TextKind

_STOPS = {"stop": "stop", "tool_calls": "tool", "length": "length", "content_filter": "refusal"}
# Reasoning has no name in the format itself; these are the two in use.
_TEXTS: tuple[tuple[str, TextKind], ...] = (
    ("reasoning_content", "think"),
    ("reasoning", "think"),
    ("content", "say"),
    ("refusal", "refuse"),
)


class OpenAiChat:
    """Reads the first choice of a reply."""

    def __init__(self) -> None:
        self._parts = Parts()

    def event(self, value: Any) -> Iterator[Piece]:
        if value == "[DONE]":
            yield Finished()
            return
        message = error_message(value)
        if message:
            yield Failed(message)
            return
        choice = at(value, "choices", 0)
        yield from self._message(at(choice, "delta"))
        yield from _ending(choice, value)

    def whole(self, value: Any) -> Iterator[Piece]:
        choice = at(value, "choices", 0)
        yield from self._message(at(choice, "message"))
        yield from _ending(choice, value)
        yield Finished()

    def _message(self, message: Any) -> Iterator[Piece]:
        thought = False
        for key, kind in _TEXTS:
            text = text_at(message, key)
            if text and not (kind == "think" and thought):  # some servers send both names
                thought = thought or kind == "think"
                yield from said(self._parts.text(kind), kind, text)
        for place, call in enumerate(rows_at(message, "tool_calls")):
            index = count_at(call, "index")
            yield from self._call(place if index is None else index, call)

    def _call(self, index: int, call: Any) -> Iterator[Piece]:
        part = self._parts.find(index)
        if part is None:
            part = self._parts.new(index)
            yield Called(part, text_at(call, "id"), text_at(call, "function", "name"))
        yield from said(part, "args", text_at(call, "function", "arguments"))


def _ending(choice: Any, value: Any) -> Iterator[Piece]:
    reason = text_at(choice, "finish_reason")
    if reason:
        yield Stopped(_STOPS.get(reason, reason))
    if isinstance(at(value, "usage"), dict):
        yield Counted(
            count_at(value, "usage", "prompt_tokens"), count_at(value, "usage", "completion_tokens")
        )


def decoder() -> Decoder:
    """A decoder of one reply."""
    return OpenAiChat()
