"""Gemini generateContent and streamGenerateContent."""

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
    from collections.abc import Iterator

    from mock_llm.record_decode.piece import Decoder, Piece, TextKind

_STOPS = {"MAX_TOKENS": "length", "SAFETY": "refusal"}


class Gemini:
    """Reads the first candidate; the chunk with a finish reason is the last one."""

    def __init__(self) -> None:
        self._parts = Parts()
        self._calls = 0

    def event(self, value: Any) -> Iterator[Piece]:
        message = error_message(value)
        if message:
            yield Failed(message)
            return
        for part in rows_at(value, "candidates", 0, "content", "parts"):
            yield from self._part(part)
        if isinstance(at(value, "usageMetadata"), dict):
            yield _counted(value["usageMetadata"])
        reason = text_at(value, "candidates", 0, "finishReason")
        if reason:
            stop = "tool" if self._calls else "stop"
            yield Stopped(stop if reason == "STOP" else _STOPS.get(reason, reason))
            yield Finished()

    def whole(self, value: Any) -> Iterator[Piece]:
        """A reply, or a stream that came as one JSON list (without ``alt=sse``)."""
        for each in value if isinstance(value, list) else [value]:
            yield from self.event(each)

    def _part(self, part: Any) -> Iterator[Piece]:
        call = at(part, "functionCall")
        if isinstance(call, dict):
            self._calls += 1
            place = self._parts.new(self._calls)
            yield Called(place, text_at(call, "id"), text_at(call, "name"))
            yield from said(place, "args", json.dumps(call.get("args") or {}, ensure_ascii=False))
        elif text_at(part, "text"):
            kind: TextKind = "think" if at(part, "thought") is True else "say"
            yield from said(self._parts.text(kind), kind, text_at(part, "text"))


def _counted(usage: dict[str, Any]) -> Counted:
    thoughts = count_at(usage, "thoughtsTokenCount")
    answer = count_at(usage, "candidatesTokenCount")
    output = None if thoughts is None and answer is None else (thoughts or 0) + (answer or 0)
    return Counted(count_at(usage, "promptTokenCount"), output)


def decoder() -> Decoder:
    """A decoder of one reply."""
    return Gemini()
