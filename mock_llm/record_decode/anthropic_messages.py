"""Anthropic messages."""

from __future__ import annotations

import json
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
    from collections.abc import Iterator, Mapping

    from mock_llm.record_decode.piece import Decoder, Piece, TextKind

_STOPS = {"end_turn": "stop", "tool_use": "tool", "max_tokens": "length", "refusal": "refusal"}
_BLOCKS: Mapping[str, tuple[TextKind, str]] = {"text": ("say", "text"), "thinking": ("think", "thinking")}
_DELTAS: Mapping[str, tuple[TextKind, str]] = {
    "text_delta": ("say", "text"),
    "thinking_delta": ("think", "thinking"),
}


class AnthropicMessages:
    """Reads one message; blocks without text, such as redacted thinking, leave no part."""

    def __init__(self) -> None:
        self._parts = Parts()

    def event(self, value: Any) -> Iterator[Piece]:
        kind = text_at(value, "type")
        if kind == "error":
            yield Failed(error_message(value))
        elif kind == "message_start":
            yield Counted(count_at(value, "message", "usage", "input_tokens"), None)
        elif kind == "content_block_start":
            yield from self._block(count_at(value, "index"), at(value, "content_block"))
        elif kind == "content_block_delta":
            yield from self._delta(count_at(value, "index"), at(value, "delta"))
        elif kind == "message_delta":
            yield from _ending(text_at(value, "delta", "stop_reason"), value)
        elif kind == "message_stop":
            yield Finished()

    def whole(self, value: Any) -> Iterator[Piece]:
        for index, block in enumerate(rows_at(value, "content")):
            yield from self._block(index, block)
        yield from _ending(text_at(value, "stop_reason"), value)
        yield Finished()

    def _block(self, index: Any, block: Any) -> Iterator[Piece]:
        kind = text_at(block, "type")
        if kind == "tool_use":
            part = self._parts.new(index)
            yield Called(part, text_at(block, "id"), text_at(block, "name"))
            if at(block, "input"):
                yield from said(part, "args", json.dumps(at(block, "input"), ensure_ascii=False))
        elif kind in _BLOCKS:
            said_as, key = _BLOCKS[kind]
            yield from said(self._parts.new(index), said_as, text_at(block, key))

    def _delta(self, index: Any, delta: Any) -> Iterator[Piece]:
        kind, part = text_at(delta, "type"), self._parts.find(index)
        if part is None:
            return
        if kind == "input_json_delta":
            yield from said(part, "args", text_at(delta, "partial_json"))
        elif kind in _DELTAS:
            said_as, key = _DELTAS[kind]
            yield from said(part, said_as, text_at(delta, key))


def _ending(reason: str, value: Any) -> Iterator[Piece]:
    if reason:
        yield Stopped(_STOPS.get(reason, reason))
    if isinstance(at(value, "usage"), dict):
        yield Counted(count_at(value, "usage", "input_tokens"), count_at(value, "usage", "output_tokens"))


def decoder() -> Decoder:
    """A decoder of one reply."""
    return AnthropicMessages()
