"""Content blocks that several agents write alike."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from harness.readers.jsonl import objects_of, string_of
from harness.transcript import TranscriptMessage, TranscriptPart

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def anthropic_parts(content: Any) -> Iterator[TranscriptPart]:
    """The parts of a message in the blocks of Anthropic's API; text alone is one part."""
    if isinstance(content, str) and content:
        yield TranscriptPart("text", content)
    for block in objects_of(content):
        match block.get("type"):
            case "text":
                yield TranscriptPart("text", string_of(block.get("text")))
            case "thinking":
                yield TranscriptPart("thinking", string_of(block.get("thinking")))
            case "tool_use":
                yield TranscriptPart("tool_call", as_json(block.get("input")), string_of(block.get("name")))
            case "tool_result":
                yield TranscriptPart("tool_result", text_of(block.get("content")))


def as_json(value: Any) -> str:
    """The arguments of a call as text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def text_of(content: Any) -> str:
    """Content that is text, or a list of blocks with text in them."""
    if isinstance(content, str):
        return content
    return "".join(string_of(block.get("text")) for block in objects_of(content))


def merged(messages: Iterable[TranscriptMessage]) -> Iterator[TranscriptMessage]:
    """Neighbouring assistant messages as one: the agent wrote each block of a reply by itself."""
    held: TranscriptMessage | None = None
    for message in messages:
        if held is not None and message.role == "assistant":
            reason, error = message.stop_reason or held.stop_reason, message.error or held.error
            held = TranscriptMessage(
                "assistant", (*held.parts, *message.parts), stop_reason=reason, error=error
            )
            continue
        if held is not None:
            yield held
        held = message if message.role == "assistant" else None
        if held is None:
            yield message
    if held is not None:
        yield held
