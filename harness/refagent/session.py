"""The session file: records are appended as they happen, each in one write.

Beside it, ``<session>.inflight`` holds what has arrived of the reply that is still coming, one JSON line per
piece. It is removed when the reply has been recorded, so after a crash it is all that the crash left.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.refagent.errors import StartError
from harness.refagent.records import Loaded, SessionFormatError, header, message_record, parse_session
from harness.refagent.unfinished import unfinished_reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from harness.refagent.conversation import Message
    from harness.refagent.reply import BlockKind


def _utc_now() -> datetime:
    return datetime.now(UTC)


def timestamp(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds.

    >>> timestamp(datetime(2026, 9, 3, 22, 4, 5, 6000, tzinfo=UTC))
    '2026-09-03T22:04:05.006Z'
    """
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Session:
    """An open session file; only one process has it at a time.

    Nothing is written before the first record, so a session in which nobody says anything leaves no file.
    """

    def __init__(
        self, path: Path, head: Mapping[str, Any] | None, now: Callable[[], datetime] = _utc_now
    ) -> None:
        self.path = path
        self._head = head
        self._now = now
        self._file = -1
        self._in_flight = -1
        self._parent: str | None = None

    @property
    def in_flight_path(self) -> Path:
        """Where the pieces of the coming reply are kept."""
        return in_flight_path(self.path)

    def append(self, record: Mapping[str, Any]) -> None:
        """Write a record; it gets an id, its predecessor as parent, and the time."""
        self._open()
        own_id = os.urandom(4).hex()
        chain = {"id": own_id, "parentId": self._parent, "timestamp": timestamp(self._now())}
        self._write({"type": record["type"], **chain, **record})
        self._parent = own_id

    def save_in_flight(self, block: int, kind: BlockKind, text: str) -> None:
        """Save a piece of the reply that is coming."""
        if self._in_flight < 0:
            self._in_flight = _create(self.in_flight_path, os.O_APPEND)
        os.write(self._in_flight, _line({"block": block, "kind": kind, "text": text}))

    def settle_in_flight(self) -> None:
        """Remove the saved pieces: the reply has been recorded."""
        if self._in_flight >= 0:
            os.close(self._in_flight)
            self._in_flight = -1
        self.in_flight_path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file; pieces in flight stay."""
        for descriptor in (self._file, self._in_flight):
            if descriptor >= 0:
                os.close(descriptor)
        self._file = self._in_flight = -1

    def resume(self, loaded: Loaded, *, ends_in_mid_line: bool) -> None:
        """Continue after what the file holds; a cut last line is ended first."""
        self._open()
        self._parent = loaded.last_id
        if ends_in_mid_line:
            os.write(self._file, b"\n")

    def _open(self) -> None:
        if self._file >= 0:
            return
        self._file = _create(self.path, os.O_APPEND)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StartError(f"session {self.path} is in use by another process") from error
        if self._head is not None:
            self._write(self._head)
            self._head = None

    def _write(self, record: Mapping[str, Any]) -> None:
        data = _line(record)
        while data:  # a full disk or a signal may leave a part
            data = data[os.write(self._file, data) :]


def _line(record: Mapping[str, Any]) -> bytes:
    # A lone surrogate in a model's text has no UTF-8 form; escaping keeps it.
    try:
        return (json.dumps(record, ensure_ascii=False) + "\n").encode()
    except UnicodeEncodeError:
        return (json.dumps(record) + "\n").encode()


def _create(path: Path, flags: int) -> int:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o600)


def in_flight_path(path: Path) -> Path:
    """The side file of a session.

    >>> in_flight_path(Path("a.jsonl")).name
    'a.jsonl.inflight'
    """
    return path.with_name(path.name + ".inflight")


def new_session(path: Path | None, home: Path, dialect: str, model: str) -> Session:
    """A session that will be written to ``path``, or to a fresh file in ``home``/sessions.

    Raises:
        StartError: If the file is there already.
    """
    moment, session_id = _utc_now(), _new_id()
    if path is None:
        stamp = timestamp(moment).replace(":", "-").replace(".", "-")
        path = home / "sessions" / f"{stamp}_{session_id}.jsonl"
    elif path.exists() and path.stat().st_size:
        raise StartError(f"session {path} exists; continue it with --resume {path}")
    return Session(path, header(session_id, str(Path.cwd()), timestamp(moment), dialect, model))


def _new_id() -> str:
    raw = os.urandom(16).hex()
    return f"{raw[:8]}-{raw[8:12]}-4{raw[13:16]}-a{raw[17:20]}-{raw[20:]}"  # a random UUID, version 4


def last_session(home: Path) -> Path:
    """The newest session in ``home``: file names begin with the time.

    Raises:
        StartError: If there is none.
    """
    found = sorted((home / "sessions").glob("*.jsonl"))
    if not found:
        raise StartError(f"no session to resume in {home / 'sessions'}")
    return found[-1]


def resume_session(path: Path, notify: Callable[[str], None]) -> tuple[Session, Loaded]:
    """Open a session again and say what it holds.

    Damaged lines are named to ``notify``. What a crash left in flight is recorded first, as a failed reply.

    Raises:
        StartError: If the file cannot be read, is no session, or is in use.
    """
    try:
        text = path.read_bytes().decode("utf-8", "replace")
        loaded = parse_session(text)
    except OSError as error:
        raise StartError(f"cannot read session {path}: {error.strerror}") from error
    except SessionFormatError as error:
        raise StartError(f"{path} is not a session of this program: {error}") from error
    for number in loaded.damaged:
        notify(f"{path}:{number}: this line is damaged and was left out; the rest is used")
    session = Session(path, None)
    session.resume(loaded, ends_in_mid_line=not text.endswith("\n"))
    return session, replace(loaded, messages=(*loaded.messages, *_unfinished(session, notify)))


def _unfinished(session: Session, notify: Callable[[str], None]) -> Iterator[Message]:
    """Record what a crash left of a reply; nothing when there was no crash."""
    with contextlib.suppress(FileNotFoundError):
        message = unfinished_reply(session.in_flight_path.read_bytes().decode("utf-8", "replace"))
        session.append(message_record(message))
        session.settle_in_flight()
        notify("the last reply was cut off when the program died; what had arrived is kept in the session")
        yield message
