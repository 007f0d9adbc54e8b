"""Trajectories of mini-swe-agent: one JSON document with ``messages`` in the form of OpenAI's chat API.

Over the Responses API a reply is that API's own object, and a result an item of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.readers import takes_files
from harness.readers.blocks import as_json, text_of
from harness.readers.document import parse_document
from harness.readers.jsonl import object_of, objects_of, string_of
from harness.transcript import Transcript, TranscriptMessage, TranscriptPart

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@takes_files
def read(files: Mapping[str, bytes]) -> Transcript:
    """The conversation of a trajectory; one that was given up has its exit status as a last error.

    Raises:
        SessionError: If it is no JSON.
    """
    document = object_of(parse_document(files))
    messages = [m for each in objects_of(document.get("messages")) if (m := _message(each)) is not None]
    status = string_of(object_of(document.get("info")).get("exit_status"))
    if status and status != "Submitted":
        messages.append(TranscriptMessage("system", (), error=status))
    return Transcript(tuple(messages))


def _message(message: dict[str, Any]) -> TranscriptMessage | None:
    if message.get("object") == "response":
        parts = (part for each in objects_of(message.get("output")) for part in _item(each))
        return TranscriptMessage("assistant", tuple(parts))
    if message.get("type") == "function_call_output":
        return TranscriptMessage("tool", (TranscriptPart("tool_result", text_of(message.get("output"))),))
    text = text_of(message.get("content"))
    match message.get("role"):
        case "system" | "user" as role:
            return TranscriptMessage(role, tuple(_text(text)), hidden=role == "system")
        case "tool":
            return TranscriptMessage("tool", (TranscriptPart("tool_result", text),))
        case "assistant":
            return TranscriptMessage(
                "assistant", (*_text(text), *map(_call, objects_of(message.get("tool_calls"))))
            )
    return None


def _item(item: dict[str, Any]) -> Iterator[TranscriptPart]:
    """The parts of an item of the Responses API."""
    match item.get("type"):
        case "message":
            yield from _text(text_of(item.get("content")))
        case "reasoning":
            yield TranscriptPart("thinking", text_of(item.get("content")) or text_of(item.get("summary")))
        case "function_call":
            yield TranscriptPart("tool_call", as_json(item.get("arguments")), string_of(item.get("name")))


def _text(text: str) -> Iterator[TranscriptPart]:
    if text:
        yield TranscriptPart("text", text)


def _call(call: dict[str, Any]) -> TranscriptPart:
    function = object_of(call.get("function"))
    return TranscriptPart("tool_call", as_json(function.get("arguments")), string_of(function.get("name")))
