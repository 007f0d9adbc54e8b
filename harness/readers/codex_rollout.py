"""Sessions of codex: a rollout, one ``response_item`` or ``event_msg`` a line.

An item is a message, the thinking before it, a call or its result; what comes between two answers of the user
or of a tool is one reply. A reply that was interrupted is not kept; only an event says that there was one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.readers.blocks import as_json, merged, text_of
from harness.readers.jsonl import object_of, objects_of, parse_lines, string_of
from harness.transcript import Transcript, TranscriptMessage, TranscriptPart

if TYPE_CHECKING:
    from collections.abc import Iterator

_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "local_shell_call": "action"}
_RESULTS = {"function_call_output", "custom_tool_call_output"}


def read(text: str) -> Transcript:
    """The conversation of a rollout, as far as it has been written."""
    return Transcript(tuple(merged(_messages(parse_lines(text)))))


def _messages(records: list[dict[str, Any]]) -> Iterator[TranscriptMessage]:
    for record in records:
        payload = object_of(record.get("payload"))
        if record.get("type") == "response_item":
            yield from _item(payload)
        elif record.get("type") == "event_msg" and payload.get("type") == "turn_aborted":
            reason = string_of(payload.get("reason")) or "aborted"
            yield TranscriptMessage("assistant", (), stop_reason=reason)


def _item(item: dict[str, Any]) -> Iterator[TranscriptMessage]:
    kind = item.get("type")
    if kind == "message":
        yield from _message(item)
    elif kind == "reasoning":
        thinking = text_of(item.get("content")) or text_of(item.get("summary"))
        yield TranscriptMessage("assistant", (TranscriptPart("thinking", thinking),))
    elif kind in _CALLS:
        arguments = as_json(item.get(_CALLS[kind]))
        call = TranscriptPart("tool_call", arguments, string_of(item.get("name")) or "shell")
        yield TranscriptMessage("assistant", (call,))
    elif kind in _RESULTS:
        output = item.get("output")
        result = output.get("content") if isinstance(output, dict) else output
        yield TranscriptMessage("tool", (TranscriptPart("tool_result", text_of(result)),))


def _message(item: dict[str, Any]) -> Iterator[TranscriptMessage]:
    parts = tuple(TranscriptPart("text", string_of(b.get("text"))) for b in objects_of(item.get("content")))
    match item.get("role"):
        case "assistant":
            yield TranscriptMessage("assistant", parts)
        case "user":
            # What codex tells the model stands in tags: <environment_context>, <turn_aborted>.
            hidden = all(part.text.startswith("<") for part in parts)
            yield TranscriptMessage("user", parts, hidden=hidden)
        case "developer" | "system":
            yield TranscriptMessage("system", parts, hidden=True)
