"""Sessions of Gemini CLI: a head record, messages, and changes of both, one JSON object a line.

A line ``{"$set": {...}}`` changes fields of the head, the list of messages among them; a message that comes
again under its id takes the place of the older one. Types are ``user``, ``gemini``, ``info`` and ``error``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.readers.blocks import as_json, text_of
from harness.readers.jsonl import objects_of, parse_lines, string_of
from harness.transcript import Transcript, TranscriptMessage, TranscriptPart

if TYPE_CHECKING:
    from collections.abc import Iterator

_CANCELLED = "Request cancelled"
# What the CLI itself tells the model looks like the user's; its words give it away.
_OWN_WORDS = ("System: ", "<session_context>")


def read(text: str) -> Transcript:
    """The conversation of a session file, as far as it has been written."""
    return Transcript(tuple(message for record in records(text) for message in _messages(record)))


def records(text: str) -> list[dict[str, Any]]:
    """The message records in their order, with all changes applied."""
    found: dict[Any, dict[str, Any]] = {}
    for line in parse_lines(text):
        changes = line.get("$set")
        if isinstance(changes, dict):
            if isinstance(changes.get("messages"), list):
                found = {
                    _key(each, place): each for place, each in enumerate(objects_of(changes["messages"]))
                }
        elif "type" in line:
            found[_key(line, len(found))] = line
        elif isinstance(line.get("messages"), list):  # a head that holds the messages
            found = {_key(each, place): each for place, each in enumerate(objects_of(line["messages"]))}
    return list(found.values())


def _key(record: dict[str, Any], place: int) -> str | int:
    own = record.get("id")
    return own if isinstance(own, str) else place


def _messages(record: dict[str, Any]) -> Iterator[TranscriptMessage]:
    text = text_of(record.get("content"))
    match record.get("type"):
        case "user" if text:  # without one it repeats the results of the calls before it
            yield TranscriptMessage("user", _text(text), hidden=text.startswith(_OWN_WORDS))
        case "gemini":
            calls = objects_of(record.get("toolCalls"))
            yield TranscriptMessage("assistant", (*_thoughts(record), *_text(text), *map(_call, calls)))
            yield from (TranscriptMessage("tool", (_result(call),)) for call in calls if "result" in call)
        case "info" if text.startswith(_CANCELLED):
            yield TranscriptMessage("assistant", (), stop_reason="cancelled")
        case "error":
            yield TranscriptMessage("system", (), error=text or "error")


def _text(text: str) -> tuple[TranscriptPart, ...]:
    return (TranscriptPart("text", text),) if text else ()


def _thoughts(record: dict[str, Any]) -> Iterator[TranscriptPart]:
    for thought in objects_of(record.get("thoughts")):
        subject, words = string_of(thought.get("subject")), string_of(thought.get("description"))
        yield TranscriptPart("thinking", f"**{subject}** {words}" if subject else words)


def _call(call: dict[str, Any]) -> TranscriptPart:
    return TranscriptPart("tool_call", as_json(call.get("args")), string_of(call.get("name")))


def _result(call: dict[str, Any]) -> TranscriptPart:
    """The output that the function response carries."""
    outputs = [
        string_of(response.get("output")) or as_json(response)
        for block in objects_of(call.get("result"))
        if isinstance(function := block.get("functionResponse"), dict)
        and isinstance(response := function.get("response"), dict)
    ]
    return TranscriptPart("tool_result", "".join(outputs), string_of(call.get("name")))
