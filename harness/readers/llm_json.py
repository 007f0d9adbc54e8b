"""Conversations of llm: its SQLite log, or what ``llm logs list --json`` prints of it.

Since 0.36 the log has the tables ``threads``, ``messages`` and ``parts``; older ones have ``responses``. What
was cut short by an error is kept like a whole reply; nothing in the log tells the two apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.readers import takes_files
from harness.readers.document import parse_document
from harness.readers.jsonl import objects_of, string_of
from harness.readers.sqlite_image import MAGIC, rows
from harness.transcript import Transcript, TranscriptMessage, TranscriptPart

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.transcript import PartKind

_QUERIES = (
    "SELECT prompt, system, response, reasoning FROM responses ORDER BY datetime_utc, id",
    "SELECT tip_message_hash FROM threads ORDER BY datetime_utc, id",
    "SELECT hash, parent_hash, role FROM messages",
    "SELECT message_hash, type, tool_name, text, payload FROM parts ORDER BY message_hash, position",
)
_KINDS: Mapping[str, PartKind] = {
    "text": "text",
    "reasoning": "thinking",
    "tool_call": "tool_call",
    "tool_result": "tool_result",
}


@takes_files
def read(files: Mapping[str, bytes]) -> Transcript:
    """The conversations of a log, in the order of their replies.

    Raises:
        SessionError: If it is neither a database nor JSON.
    """
    if next(iter(files.values()), b"").startswith(MAGIC):
        return Transcript(tuple(_of_database(files)))
    return Transcript(tuple(m for each in objects_of(parse_document(files)) for m in _exchange(each)))


def _exchange(row: dict[str, Any]) -> Iterator[TranscriptMessage]:
    """A prompt and its reply."""
    if system := string_of(row.get("system")):
        yield TranscriptMessage("system", (TranscriptPart("text", system),), hidden=True)
    yield TranscriptMessage("user", (TranscriptPart("text", string_of(row.get("prompt"))),))
    thinking = string_of(row.get("reasoning"))
    parts = (TranscriptPart("thinking", thinking),) if thinking else ()
    yield TranscriptMessage("assistant", (*parts, TranscriptPart("text", string_of(row.get("response")))))


def _of_database(files: Mapping[str, bytes]) -> Iterator[TranscriptMessage]:
    old, threads, messages, parts = rows(files, *_QUERIES)
    for row in old:
        yield from _exchange(row)
    by_hash = {message["hash"]: message for message in messages}
    of_message: dict[Any, list[dict[str, Any]]] = {}
    for part in parts:
        of_message.setdefault(part["message_hash"], []).append(part)
    for thread in threads:
        for message in _chain(by_hash, thread["tip_message_hash"]):
            yield from _message(message, of_message.get(message["hash"], []))


def _chain(by_hash: Mapping[Any, dict[str, Any]], tip: Any) -> list[dict[str, Any]]:
    """The messages of a thread, the first one first; each knows the one before it."""
    chain: list[dict[str, Any]] = []
    while tip in by_hash and len(chain) < len(by_hash):
        chain.append(by_hash[tip])
        tip = by_hash[tip]["parent_hash"]
    return chain[::-1]


def _message(message: dict[str, Any], blocks: list[dict[str, Any]]) -> Iterator[TranscriptMessage]:
    role: Any = message["role"]
    if role in {"user", "assistant", "system", "tool"}:
        parts = tuple(_part(block) for block in blocks if block["type"] in _KINDS)
        yield TranscriptMessage(role, parts, hidden=role == "system")


def _part(block: dict[str, Any]) -> TranscriptPart:
    text = string_of(block["text"]) or string_of(block["payload"])
    return TranscriptPart(_KINDS[block["type"]], text, string_of(block["tool_name"]))
