"""Which reader understands a session file, and its replies as the messages that a guard reads."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

from harness.detectors.surrogates import joined
from harness.lab.capture import Message, Part
from harness.readers import BESIDE, READERS, read, reader_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.detectors.finding import StreamKind
    from harness.transcript import Transcript

_SQLITE = b"SQLite format 3\0"
_HEADS = (20, 400)  # lines
_STREAMS: dict[str, StreamKind] = {"text": "text", "thinking": "thinking", "tool_call": "tool"}


def session_reader(data: bytes, log: bytes = b"") -> str | None:
    """The reader that finds most text in the replies of a session, the first of equals; or None.

    It is looked for in the first lines, and in more only as long as no reply is found there. ``log`` is what
    SQLite keeps beside its file, in one whose name ends in ``-wal``.
    """
    names = _candidates(data)
    if is_database(data):
        return _best(data, names, log)
    for most in _HEADS:
        head = b"\n".join(data.split(b"\n", most)[:most])
        if len(head) == len(data):
            break
        if found := _best(head, names):
            return found
    return _best(data, names)


def is_database(data: bytes) -> bool:
    """Whether a file is one of SQLite."""
    return data.startswith(_SQLITE)


def looks_like_json(data: bytes) -> bool:
    """Whether the first character may begin a JSON document, or records of one line each."""
    return data[:4096].lstrip()[:1] in (b"{", b"[")


def is_json(line: bytes | str) -> bool:
    """Whether a line, or a whole text, is a JSON value by itself."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def read_session(name: str, data: bytes, log: bytes = b"") -> Transcript:
    """What a reader finds in a session file.

    Raises:
        KeyError: If there is no such reader.
        ValueError: If the reader cannot make it out.
    """
    return read(name, {"session": data, "session-wal": log} if is_database(data) else data)


def messages_of(transcript: Transcript, stream: StreamKind | None = None) -> Iterator[Message]:
    """The replies of a session with the parts that a guard reads, or those of one kind."""
    for number, message in enumerate(transcript.assistant, 1):
        parts = [
            Part(_STREAMS[part.kind], joined(part.text)) for part in message.parts if part.kind in _STREAMS
        ]
        yield Message(number, tuple(part for part in parts if stream in (None, part.stream)))


def _candidates(data: bytes) -> list[str]:
    """The readers to be tried: of one document, those of documents; of plain text, those of text."""
    names = _names()
    if is_database(data):
        shipped = set(BESIDE)
    elif not looks_like_json(data):
        shipped = {name for name in READERS if name.endswith("-markdown")}
    elif is_json(data.lstrip().partition(b"\n")[0]):
        return list(names)
    else:
        shipped = {name for name in READERS if name.endswith("-json")}
    return [name for name in names if name in shipped or name not in READERS]


@cache
def _names() -> tuple[str, ...]:
    return reader_names()


def _best(data: bytes, names: list[str], log: bytes = b"") -> str | None:
    found = {name: _size(name, data, log) for name in names}
    best = max(found, key=lambda name: found[name], default=None)
    return best if best and found[best] else None


def _size(name: str, data: bytes, log: bytes) -> int:
    """Characters in the replies that a reader finds."""
    try:
        transcript = read_session(name, data, log)
    except ValueError:
        return 0
    return sum(len(part.text) for message in messages_of(transcript) for part in message.parts)
