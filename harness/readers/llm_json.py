"""Conversations of llm: its SQLite log, or what ``llm logs list --json`` prints of it.

Since 0.36 the log has the tables ``turns``, ``messages`` and ``parts``; older ones have ``responses``. What
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
    (old,) = rows(files, "SELECT prompt, system, response FROM responses ORDER BY datetime_utc, id")
    for row in old:
        yield from _exchange(row)
