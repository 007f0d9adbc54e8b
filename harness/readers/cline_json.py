"""Sessions of cline: one JSON document with ``messages`` in the blocks of Anthropic's API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.readers import takes_files
from harness.readers.blocks import anthropic_parts
from harness.readers.document import parse_document
from harness.readers.jsonl import objects_of, string_of
from harness.transcript import Transcript, TranscriptMessage

if TYPE_CHECKING:
    from collections.abc import Mapping


@takes_files
def read(files: Mapping[str, bytes]) -> Transcript:
    """The conversation of a messages file.

    Raises:
        SessionError: If it is no JSON.
    """
    document = parse_document(files)
    messages = document.get("messages") if isinstance(document, dict) else document
    return Transcript(tuple(m for each in objects_of(messages) if (m := _message(each)) is not None))


def _message(message: dict[str, Any]) -> TranscriptMessage | None:
    parts = tuple(anthropic_parts(message.get("content")))
    match message.get("role"):
        case "user":
            is_result = bool(parts) and all(part.kind == "tool_result" for part in parts)
            return TranscriptMessage("tool" if is_result else "user", parts)
        case "assistant":
            reason = string_of(message.get("stopReason")) or string_of(message.get("stop_reason"))
            return TranscriptMessage("assistant", parts, stop_reason=reason)
    return None
