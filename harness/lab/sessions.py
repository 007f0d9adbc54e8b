"""Which reader understands a session file, and its replies as the messages that a guard reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.detectors.surrogates import joined
from harness.lab.capture import Message, Part
from harness.readers import READERS, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.detectors.finding import StreamKind
    from harness.transcript import Transcript

_SQLITE = b"SQLite format 3\0"
_HEADS = (20, 400)  # lines
_STREAMS: dict[str, StreamKind] = {"text": "text", "thinking": "thinking", "tool_call": "tool"}


def session_reader(data: bytes) -> str | None:
    """The reader that finds most text in the replies of a session, the first of equals; or None.

    It is looked for in the first lines, and in more only as long as no reply is found there.
    """
    names = _candidates(data)
    if not data.startswith(_SQLITE):
        for most in _HEADS:
            head = b"\n".join(data.split(b"\n", most)[:most])
            if len(head) == len(data):
                break
            if found := _best(head, names):
                return found
    return _best(data, names)


def looks_like_json(data: bytes) -> bool:
    """Whether the first character may begin a JSON document, or records of one line each."""
    return data[:4096].lstrip()[:1] in (b"{", b"[")


def is_json(line: bytes) -> bool:
    """Whether a line is a JSON value by itself."""
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def read_session(name: str, data: bytes) -> Transcript:
    """What a reader finds in a session file.

    Raises:
        KeyError: If there is no such reader.
        ValueError: If the reader cannot make it out.
    """
    return read(name, data if data.startswith(_SQLITE) else data.decode("utf-8", "replace"))


def messages_of(transcript: Transcript, stream: StreamKind | None = None) -> Iterator[Message]:
    """The replies of a session with the parts that a guard reads, or those of one kind."""
    for number, message in enumerate(transcript.assistant, 1):
        parts = [
            Part(_STREAMS[part.kind], joined(part.text)) for part in message.parts if part.kind in _STREAMS
        ]
        yield Message(number, tuple(part for part in parts if stream in (None, part.stream)))


def _candidates(data: bytes) -> list[str]:
    """The readers to be tried: of one document, those of documents; of plain text, those of text."""
    if data.startswith(_SQLITE):
        return list(READERS)
    if not looks_like_json(data):
        return [name for name in READERS if name.endswith("-markdown")]
    is_lines = is_json(data.lstrip().partition(b"\n")[0])
    return [name for name in READERS if is_lines or name.endswith("-json")]


def _best(data: bytes, names: list[str]) -> str | None:
    found = {name: _size(name, data) for name in names}
    best = max(found, key=lambda name: found[name], default=None)
    return best if best and found[best] else None


def _size(name: str, data: bytes) -> int:
    """Characters in the replies that a reader finds."""
    try:
        transcript = read_session(name, data)
    except ValueError:
        return 0
    return sum(len(part.text) for message in messages_of(transcript) for part in message.parts)
