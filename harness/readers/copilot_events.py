"""Sessions of GitHub Copilot CLI: events, one a line.

A reply is an ``assistant.message``; one that was aborted is not kept, and an ``abort`` event says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.readers.blocks import as_json, text_of
from harness.readers.jsonl import object_of, objects_of, parse_lines, string_of
from harness.transcript import Transcript, TranscriptMessage, TranscriptPart

if TYPE_CHECKING:
    from collections.abc import Iterator


def read(text: str) -> Transcript:
    """The conversation of an events file, as far as it has been written."""
    events = ((event.get("type"), object_of(event.get("data"))) for event in parse_lines(text))
    return Transcript(tuple(m for kind, data in events if (m := _message(kind, data)) is not None))


def _message(kind: Any, data: dict[str, Any]) -> TranscriptMessage | None:
    match kind:
        case "user.message":
            return TranscriptMessage("user", tuple(_text("text", text_of(data.get("content")))))
        case "system.message":
            return TranscriptMessage(
                "system", tuple(_text("text", text_of(data.get("content")))), hidden=True
            )
        case "assistant.message":
            return TranscriptMessage("assistant", tuple(_parts(data)))
        case "tool.execution_complete":
            result = object_of(data.get("result"))
            name = string_of(data.get("toolName"))
            return TranscriptMessage(
                "tool", (TranscriptPart("tool_result", text_of(result.get("content")), name),)
            )
        case "abort":
            reason = string_of(data.get("reason"))
            return TranscriptMessage("assistant", (), stop_reason="aborted", error=reason)
    return None


def _parts(data: dict[str, Any]) -> Iterator[TranscriptPart]:
    yield from _text("thinking", string_of(data.get("reasoningText")))
    yield from _text("text", text_of(data.get("content")))
    for call in objects_of(data.get("toolRequests")):
        yield TranscriptPart("tool_call", as_json(call.get("arguments")), string_of(call.get("name")))


def _text(kind: Any, text: str) -> Iterator[TranscriptPart]:
    if text:
        yield TranscriptPart(kind, text)
