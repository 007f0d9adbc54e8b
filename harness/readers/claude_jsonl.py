"""Sessions of Claude Code: one record a line, each block of a reply by itself under the reply's id.

Records of other types than ``user`` and ``assistant`` repeat parts of the conversation and are left out, and
so is what sub-agents said. An interrupted reply keeps its text; the user record behind it says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.readers.blocks import anthropic_parts
from harness.readers.jsonl import object_of, parse_lines, string_of
from harness.transcript import Transcript, TranscriptMessage

_INTERRUPTED = "[Request interrupted by user"


def read(text: str) -> Transcript:
    """The conversation of a session file, as far as it has been written."""
    messages: list[TranscriptMessage] = []
    reply_id: Any = None
    for record in parse_lines(text):
        if record.get("type") not in ("user", "assistant") or record.get("isSidechain") is True:
            continue
        body = object_of(record.get("message"))
        own = body.get("id") if record["type"] == "assistant" else None
        message = _message(record, body)
        if own is not None and own == reply_id:
            before = messages.pop()
            parts = (*before.parts, *message.parts)
            message = replace(message, parts=parts, stop_reason=message.stop_reason or before.stop_reason)
        if message.role == "user" and message.text.startswith(_INTERRUPTED):
            _mark_interrupted(messages)
        reply_id = own
        messages.append(message)
    return Transcript(tuple(messages))


def _message(record: dict[str, Any], body: dict[str, Any]) -> TranscriptMessage:
    parts = tuple(anthropic_parts(body.get("content")))
    if record["type"] == "user":
        role: Any = "tool" if parts and all(part.kind == "tool_result" for part in parts) else "user"
        return TranscriptMessage(role, parts, hidden=record.get("isMeta") is True)
    text = "".join(part.text for part in parts if part.kind == "text")
    error = text if record.get("isApiErrorMessage") is True else ""
    return TranscriptMessage("assistant", parts, stop_reason=string_of(body.get("stop_reason")), error=error)


def _mark_interrupted(messages: list[TranscriptMessage]) -> None:
    """The last message is the reply that was interrupted, unless none of it was kept."""
    if messages and messages[-1].role == "assistant" and messages[-1].stop_reason in ("", "interrupted"):
        messages[-1] = replace(messages[-1], stop_reason="interrupted")
    else:
        messages.append(TranscriptMessage("assistant", (), stop_reason="interrupted"))
