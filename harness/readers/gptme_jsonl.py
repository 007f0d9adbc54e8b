"""Sessions of gptme: one message a line. Calls stand in the text; what a tool prints is a system message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.readers.blocks import text_of
from harness.readers.jsonl import parse_lines
from harness.transcript import Transcript, TranscriptMessage, TranscriptPart

if TYPE_CHECKING:
    from collections.abc import Iterator

_FAILED = "LLM request failed"


def read(text: str) -> Transcript:
    """The conversation of a session file, as far as it has been written."""
    return Transcript(tuple(_messages(parse_lines(text))))


def _messages(records: list[dict[str, Any]]) -> Iterator[TranscriptMessage]:
    has_begun = False
    for record in records:
        words = text_of(record.get("content"))
        parts = (TranscriptPart("text", words),)
        match record.get("role"):
            case "user":
                has_begun = True
                yield TranscriptMessage("user", parts)
            case "assistant":
                yield TranscriptMessage("assistant", parts)
            case "system" if words.startswith(_FAILED):
                yield TranscriptMessage("assistant", (), stop_reason="error", error=words)
            case "system" if has_begun:
                yield TranscriptMessage("tool", (TranscriptPart("tool_result", words),))
            case "system":
                yield TranscriptMessage("system", parts, hidden=True)
