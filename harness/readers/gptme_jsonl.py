"""Sessions of gptme: one message a line. What a tool prints is a system message.

Calls stand behind the text, each as a line ``@tool(id): {arguments}``.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from harness.readers.blocks import text_of
from harness.readers.jsonl import parse_lines
from harness.transcript import Transcript, TranscriptMessage, TranscriptPart

if TYPE_CHECKING:
    from collections.abc import Iterator

_FAILED = "LLM request failed"
_CALL = re.compile(r"\n*^@([\w-]+)\([^()\n]*\): (?=\{)", re.MULTILINE)


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
                yield TranscriptMessage("assistant", tuple(_parts(words)))
            case "system" if words.startswith(_FAILED):
                yield TranscriptMessage("assistant", (), stop_reason="error", error=words)
            case "system" if has_begun:
                yield TranscriptMessage("tool", (TranscriptPart("tool_result", words),))
            case "system":
                yield TranscriptMessage("system", parts, hidden=True)


def _parts(words: str) -> Iterator[TranscriptPart]:
    """The text, then the calls; a line that only looks like a call is text."""
    calls = list(_CALL.finditer(words))
    starts = [*(match.start() for match in calls), len(words)]
    found = [(match, words[match.end() : end]) for match, end in zip(calls, starts[1:], strict=True)]
    while found and not _is_json(found[0][1]):
        found = found[1:]
    text = words[: found[0][0].start()] if found else words
    if text:
        yield TranscriptPart("text", text)
    for match, arguments in found:
        yield TranscriptPart("tool_call", arguments.strip(), match[1])


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
