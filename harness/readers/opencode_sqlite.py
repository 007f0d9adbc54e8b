"""Sessions of opencode and kilo: a SQLite database, messages and their parts as JSON in a column ``data``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.readers import takes_files
from harness.readers.blocks import as_json
from harness.readers.jsonl import object_of, parse_json, string_of
from harness.readers.sqlite_image import rows
from harness.transcript import Transcript, TranscriptMessage, TranscriptPart

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Ids grow with time.
_MESSAGES = "SELECT id, data FROM message ORDER BY id"
_PARTS = "SELECT message_id, data FROM part ORDER BY id"


@takes_files
def read(files: Mapping[str, bytes]) -> Transcript:
    """The conversation of a database.

    Raises:
        SessionError: If it is no database, or a damaged one.
    """
    messages, parts = rows(files, _MESSAGES, _PARTS)
    of_message: dict[Any, list[dict[str, Any]]] = {}
    for part in parts:
        of_message.setdefault(part["message_id"], []).append(_object(part["data"]))
    return Transcript(
        tuple(
            found
            for message in messages
            for found in _messages(_object(message["data"]), of_message.get(message["id"], []))
        )
    )


def _object(data: Any) -> dict[str, Any]:
    try:
        return object_of(parse_json(data.decode("utf-8", "replace") if isinstance(data, bytes) else data))
    except (TypeError, ValueError):
        return {}


def _messages(message: dict[str, Any], blocks: list[dict[str, Any]]) -> Iterator[TranscriptMessage]:
    parts = tuple(part for block in blocks for part in _parts(block))
    if message.get("role") == "user":
        hidden = bool(blocks) and all(block.get("synthetic") is True for block in blocks)
        yield TranscriptMessage("user", parts, hidden=hidden)
    elif message.get("role") == "assistant":
        name, error = _error(object_of(message.get("error")))
        reason = "aborted" if name == "MessageAbortedError" else string_of(message.get("finish"))
        yield TranscriptMessage("assistant", parts, stop_reason=reason.replace("-", "_"), error=error)
        yield from (_result(block) for block in blocks if block.get("type") == "tool")


def _error(error: dict[str, Any]) -> tuple[str, str]:
    """The name of an error, and its words."""
    name = string_of(error.get("name"))
    return name, string_of(object_of(error.get("data")).get("message")) or name


def _parts(block: dict[str, Any]) -> Iterator[TranscriptPart]:
    match block.get("type"):
        case "text":
            yield TranscriptPart("text", string_of(block.get("text")))
        case "reasoning":
            yield TranscriptPart("thinking", string_of(block.get("text")))
        case "tool":
            arguments = as_json(object_of(block.get("state")).get("input"))
            yield TranscriptPart("tool_call", arguments, string_of(block.get("tool")))


def _result(block: dict[str, Any]) -> TranscriptMessage:
    state = object_of(block.get("state"))
    output = string_of(state.get("output")) or string_of(state.get("error"))
    return TranscriptMessage("tool", (TranscriptPart("tool_result", output, string_of(block.get("tool"))),))
