"""A guard over the parts of a store: bytes of a file in, a tally out. Nothing here touches a disk."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.detectors.surrogates import joined
from harness.lab.capture import PLAIN_READERS, Part
from harness.lab.json_path import Path, paths_of, strings_at
from harness.lab.read_capture import is_binary, read_capture
from harness.lab.sessions import looks_like_json, messages_of, read_session, session_reader
from harness.lab.tally import Place, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.detectors.batch import Scanner
    from harness.detectors.finding import Finding, StreamKind

LONGEST_RECORD = 1 << 26  # bytes: a longer line is no record of any agent


class Reading(NamedTuple):
    """How a store is read.

    Attributes:
        texts: Paths to the text of a JSON record; with them (or ``thinkings``) every file is JSON lines.
        thinkings: Paths to its thinking.
        where: Only records that have one of these strings at their path.
        reader: The session reader; None finds it out for each file.
        streams: The kinds of parts that are scanned.
        most: How many fires, and how many unread records, are listed.
    """

    texts: tuple[Path, ...] = ()
    thinkings: tuple[Path, ...] = ()
    where: tuple[tuple[Path, str], ...] = ()
    reader: str | None = None
    streams: tuple[StreamKind, ...] = ("text", "thinking")
    most: int = 100

    @property
    def is_records(self) -> bool:
        """Whether files are JSON lines with paths into them."""
        return bool(self.texts or self.thinkings)


class Session(NamedTuple):
    """A session file, and the reader that understands it."""

    file: str
    data: bytes
    reader: str
    log: bytes


def scan_part(part: Part, scanner: Scanner) -> Finding | None:
    """The finding in one part. It depends on that part alone, so the order of a scan never matters."""
    return scanner.scan(part.text, part.stream)


def scan_records(file: str, lines: Iterable[bytes], reading: Reading, scanner: Scanner) -> Tally:
    """Scan JSON records, one a line. Lines are counted from 1; a damaged one is counted and passed over."""
    tally = Tally(reading.most)
    for number, line in enumerate(lines, 1):
        tally.lines = number
        if not line.strip():
            continue
        record = _record(line)
        if isinstance(record, str):
            tally.add_bad(file, number, record)
        elif all(wanted in strings_at(record, path) for path, wanted in reading.where):
            _scan_record(Place(file, number), record, reading, scanner, tally)
    return tally


def scan_file(file: str, data: bytes, reading: Reading, scanner: Scanner, log: bytes = b"") -> Tally:
    """Scan a whole file: a session, plain text or terminal output.

    ``log`` is what SQLite keeps beside a session, in a file whose name ends in ``-wal``.
    """
    tally = Tally(reading.most)
    if reading.reader in PLAIN_READERS:
        _scan_text(file, data, reading, scanner, tally)
    elif reader := reading.reader or session_reader(data, log):
        _scan_session(Session(file, data, reader, log), reading, scanner, tally)
    elif looks_like_json(data):
        tally.add_skipped(file, "no session reader finds a reply in it")
    elif is_binary(data):
        tally.add_skipped(file, "it is binary")
    else:
        _scan_text(file, data, reading, scanner, tally)
    return tally


def _record(line: bytes) -> Any:
    """The object of a line, or a string that says why there is none."""
    if len(line) >= LONGEST_RECORD:
        return f"the line is longer than {LONGEST_RECORD:,} bytes"
    try:
        value = json.loads(line.removeprefix(BOM_UTF8).decode("utf-8"))
    except UnicodeDecodeError as error:
        return f"byte {error.start + 1} of the line is no UTF-8"
    except json.JSONDecodeError as error:
        return f"no JSON: {error.msg.lower().removesuffix(' at')} at character {error.pos + 1}"
    except RecursionError:
        return "no JSON: it is nested too deeply"
    except ValueError:  # what Python says of a whole number of several thousand digits
        return "a number has more digits than can be read"
    return value if isinstance(value, dict) else "JSON, but no object"


def _scan_record(
    place: Place, record: dict[str, Any], reading: Reading, scanner: Scanner, tally: Tally
) -> None:
    streams: tuple[tuple[StreamKind, tuple[Path, ...]], ...] = (
        ("text", reading.texts),
        ("thinking", reading.thinkings),
    )
    found = [
        Part(stream, joined(text))
        for stream, paths in streams
        for path in paths
        for text in strings_at(record, path)
        if text and stream in reading.streams
    ]
    if not found:
        tally.without_text += 1
        if not tally.paths:
            tally.paths = paths_of(record)
    for at, part in enumerate(found, 1):
        where = f"part {at}" if len(found) > 1 else ""
        tally.add(place._replace(where=where), part, scan_part(part, scanner))


def _scan_session(session: Session, reading: Reading, scanner: Scanner, tally: Tally) -> None:
    file, data, reader, log = session
    first, newline, _ = data.partition(b"\n")
    if newline and isinstance(_record(first), dict):
        _count_damage(file, data, tally)
    try:
        transcript = read_session(reader, data, log)
    except ValueError as error:
        tally.add_bad(file, 0, str(error))
        return
    for message in messages_of(transcript):
        for at, part in enumerate(message.parts, 1):
            if part.text and part.stream in reading.streams:
                where = f"reply {message.number}" + (f", part {at}" if len(message.parts) > 1 else "")
                tally.add(Place(file, 0, where), part, scan_part(part, scanner))


def _count_damage(file: str, data: bytes, tally: Tally) -> None:
    """Count the lines that a reader passes over in silence."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip() and isinstance(why := _record(line), str):
            tally.add_bad(file, number, why)


def _scan_text(file: str, data: bytes, reading: Reading, scanner: Scanner, tally: Tally) -> None:
    stream = reading.streams[0]
    capture = read_capture(file, data, reader=reading.reader or "text", stream=stream)
    for message in capture.messages:
        for part in message.parts:
            if not part.text.strip():
                tally.add_skipped(file, "it holds no text")
                continue
            finding = scan_part(part, scanner)
            line = part.place(finding.garbage_start)[0] if finding else 0
            tally.add(Place(file, line), part, finding)
