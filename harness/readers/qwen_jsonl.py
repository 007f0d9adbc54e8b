"""Sessions of Qwen Code: one record a line, with messages in the parts of Gemini's API.

The types are ``user``, ``assistant``, ``tool_result`` and ``system``. A reply that was interrupted keeps its
text and has no ``usageMetadata``; nothing else tells it from a finished one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.readers.blocks import as_json
from harness.readers.jsonl import object_of, objects_of, parse_lines, string_of
from harness.transcript import Transcript, TranscriptMessage, TranscriptPart

if TYPE_CHECKING:
    from collections.abc import Iterator


def read(text: str) -> Transcript:
    """The conversation of a session file, as far as it has been written."""
    return Transcript(tuple(m for record in parse_lines(text) if (m := _message(record)) is not None))


def _message(record: dict[str, Any]) -> TranscriptMessage | None:
    parts = tuple(_parts(object_of(record.get("message")).get("parts")))
    match record.get("type"):
        case "user":
            return TranscriptMessage("user", parts)
        case "tool_result":
            return TranscriptMessage("tool", parts)
        case "assistant":
            return TranscriptMessage(
                "assistant", parts, stop_reason="" if "usageMetadata" in record else "interrupted"
            )
    return None


def _parts(parts: Any) -> Iterator[TranscriptPart]:
    for part in objects_of(parts):
        if isinstance(part.get("text"), str):
            yield TranscriptPart("thinking" if part.get("thought") is True else "text", part["text"])
        elif isinstance(call := part.get("functionCall"), dict):
            yield TranscriptPart("tool_call", as_json(call.get("args")), string_of(call.get("name")))
        elif isinstance(response := part.get("functionResponse"), dict):
            result = object_of(response.get("response"))
            output = string_of(result.get("output")) or as_json(result)
            yield TranscriptPart("tool_result", output, string_of(response.get("name")))
