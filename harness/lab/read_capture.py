"""Bytes of a captured file to a :class:`~harness.lab.capture.Capture`: what it is is found out, or said."""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, Any

from harness.lab.capture import PLAIN_READERS, Capture, Message, Part
from harness.lab.scrollback import read_terminal
from harness.lab.sessions import is_json, looks_like_json, messages_of, read_session, session_reader
from harness.lab.unwrap import unwrapped

if TYPE_CHECKING:
    from harness.detectors.finding import StreamKind
    from harness.transcript import Transcript

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
# An escape code, a backspace, or a carriage return that ends no line.
_TERMINAL = re.compile(r"\x1b[\[\]PX^_()=>78cDEM]|\x08|\x9b[0-?]*[@-~]|\r(?![\r\n]|\Z)")
_HEAD = 1 << 16
_BINARY_HEAD = 8_192


def read_capture(
    name: str,
    data: bytes,
    *,
    reader: str | None = None,
    stream: StreamKind | None = None,
    columns: int | None = None,
    log: bytes = b"",
) -> Capture:
    """Read a captured file.

    Args:
        name: What it is called in reports.
        data: The whole file: UTF-8, or UTF-16 with a byte order mark.
        reader: How to read it: ``text``, ``terminal``, ``asciicast`` or a session reader; None finds it out.
        stream: Of a session, the only kind of part that counts; what any other text is (text if None).
        columns: Cells of a line of terminal output; None guesses them.
        log: Of a session in SQLite, what its file with ``-wal`` holds.

    Raises:
        KeyError: If there is no such reader.
        ValueError: If the session reader that was named cannot make it out.
    """
    if reader is None:
        reader = _recognised(data, log)
    if reader not in PLAIN_READERS:
        transcript = read_session(reader, data, log)
        notes = _already_stopped(transcript)
        return Capture(name, reader, tuple(messages_of(transcript, stream)), notes)
    text, notes = decoded(data)
    if is_binary(data):
        notes += ("it holds zero bytes, as text does not; what is said of it means little",)
    if (
        reader == "text"
        and looks_like_json(data)
        and (_object(text.lstrip().partition("\n")[0]) or is_json(text))
    ):
        notes += ("JSON in which no session reader finds a reply; read as plain text (--reader names one)",)
    part, more = _plain(text, reader, stream or "text", columns)
    return Capture(name, reader, (Message(1, (part,)),), notes + more)


def _already_stopped(transcript: Transcript) -> tuple[str, ...]:
    if not transcript.rules:
        return ()
    count = len(transcript.rules)
    said = "1 record" if count == 1 else f"{count} records"
    note = (
        f"the session has {said} of stream rules that fired: of those replies it holds what was kept, not "
        "what was streamed (of a run of qa, 'replies/' holds that)"
    )
    return (note,)


def decoded(data: bytes) -> tuple[str, tuple[str, ...]]:
    r"""The text, and what was wrong with it.

    >>> decoded(b"caf\xe9")
    ('caf�', ('byte 3 is no UTF-8; such bytes are read as U+FFFD',))
    """
    encoding, skip = "utf-8", 0
    for bom, name in _BOMS:
        if data.startswith(bom):
            encoding, skip = name, len(bom)
    data = data[skip:]
    try:
        return data.decode(encoding), ()
    except UnicodeDecodeError as error:
        place = f"byte {error.start + skip} is no {encoding.upper()[:6].rstrip('-')}"
        return data.decode(encoding, "replace"), (f"{place}; such bytes are read as U+FFFD",)


def is_binary(data: bytes) -> bool:
    """Whether a file begins with bytes that no text has."""
    return b"\0" in data[:_BINARY_HEAD] and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _recognised(data: bytes, log: bytes) -> str:
    """What can read a file."""
    if looks_like_json(data):
        head = _object(data[:_HEAD].lstrip().partition(b"\n")[0])
        if "version" in head and "width" in head and "height" in head:
            return "asciicast"
    if session := session_reader(data, log):
        return session
    return "terminal" if _TERMINAL.search(decoded(data)[0]) else "text"


def _object(line: str | bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _plain(text: str, reader: str, stream: StreamKind, columns: int | None) -> tuple[Part, tuple[str, ...]]:
    if reader == "text":
        return Part(stream, text), ()
    if reader == "asciicast":
        text, width = _output(text)
        columns = columns or width
    scrollback = read_terminal(text)
    notes: tuple[str, ...] = ()
    if scrollback.is_painted:
        note = (
            f"the program painted the screen by absolute positions ({scrollback.moves:,} times): its text "
            "may be out of order or repeated; a session of the agent is the better source"
        )
        notes = (note,)
    return unwrapped(scrollback.lines, stream, columns), notes


def _output(text: str) -> tuple[str, int | None]:
    """What a recorded terminal has printed, and how wide it was."""
    head, *lines = text.lstrip().split("\n")
    width = _object(head).get("width")
    output: list[str] = []
    for line in lines:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, list) and len(event) == 3 and event[1] == "o" and isinstance(event[2], str):
            output.append(event[2])
    return "".join(output), width if isinstance(width, int) and 0 < width < 10_000 else None
