"""The files of a store as tasks of about the same size, and what a worker does with one."""

from __future__ import annotations

import os
import stat
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from harness.lab.calibrate import LONGEST_RECORD, Reading, scan_file, scan_records
from harness.lab.sessions import is_database
from harness.lab.tally import Tally
from harness.problems import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from harness.detectors.batch import Scanner

TASK_BYTES = 1 << 20
_MOST_FILES = 200  # of one task
_FILE_COST = 2_000  # bytes that opening a file is worth
_NOT_WALKED = frozenset({".git", ".hg", ".svn"})
STDIN = "-"


class Slice(NamedTuple):
    """A file, or the lines of it that begin in ``start`` to ``end``; or ``data`` that was read already."""

    file: str
    start: int
    end: int
    is_whole: bool
    data: bytes | None = None


Task = tuple[Slice, ...]


def check_stores(stores: Sequence[str]) -> None:
    """See that every store is there.

    Raises:
        UserError: If one is not.
    """
    missing = [store for store in stores if store != STDIN and not os.path.lexists(store)]
    if missing:
        raise UserError("\n".join(f"there is no store '{store}'" for store in missing))


def total_bytes(stores: Sequence[str]) -> int:
    """How much there is to read, as far as it is known before."""
    return sum(size for store in stores if store != STDIN for _, size in _files(Path(store)))


def tasks(stores: Sequence[str], reading: Reading) -> Iterator[Task]:
    """What is to be scanned, in a fixed order: folders by name, records of a large file in slices."""
    held: list[Slice] = []
    weight = 0
    for piece in _slices(stores, reading):
        alone = not piece.is_whole or piece.data is not None
        if held and (alone or weight + piece.end + _FILE_COST > TASK_BYTES or len(held) >= _MOST_FILES):
            yield tuple(held)
            held, weight = [], 0
        if alone:
            yield (piece,)
        else:
            held.append(piece)
            weight += piece.end + _FILE_COST
    if held:
        yield tuple(held)


def scan_task(task: Task, reading: Reading, scanner: Scanner) -> Tally:
    """Scan the files of a task. What goes wrong with one of them is counted, and the others are scanned."""
    tally = Tally(reading.most)
    for piece in task:
        try:
            tally.merge(_scan_slice(piece, reading, scanner))
        except OSError as error:
            tally.add_bad(piece.file, 0, f"it cannot be read: {error.strerror or error}")
        except Exception as error:  # noqa: BLE001 - one file never ends a scan of thousands
            tally.add_bad(piece.file, 0, f"it cannot be scanned: {type(error).__name__}: {error}")
    return tally


def _scan_slice(piece: Slice, reading: Reading, scanner: Scanner) -> Tally:
    if not reading.is_records:
        data = piece.data if piece.data is not None else Path(piece.file).read_bytes()
        return scan_file(
            piece.file, data, reading, scanner, _log_of(piece.file) if is_database(data) else b""
        )
    if piece.data is not None:
        return scan_records(piece.file, BytesIO(piece.data), reading, scanner)
    with Path(piece.file).open("rb") as file:
        return scan_records(piece.file, _lines(file, piece), reading, scanner)


def _log_of(file: str) -> bytes:
    """What SQLite has not put into the file yet."""
    log = Path(f"{file}-wal")
    return log.read_bytes() if log.is_file() else b""


def _lines(file: BinaryIO, piece: Slice) -> Iterator[bytes]:
    """The lines that begin in the slice; of one that is too long for a record, its start alone."""
    at = piece.start
    if at:  # the line that began before belongs to the slice before
        file.seek(at - 1)
        at += sum(map(len, _pieces(file))) - 1
    while at < piece.end:
        pieces = _pieces(file)
        first = next(pieces, b"")
        if not first:
            return
        at += len(first) + sum(map(len, pieces))
        yield first


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """The next line, in one piece if it can be a record."""
    while piece := file.readline(LONGEST_RECORD):
        yield piece
        if piece.endswith(b"\n"):
            return


def _slices(stores: Sequence[str], reading: Reading) -> Iterator[Slice]:
    for store in stores:
        if store == STDIN:
            yield from _streamed("standard input", sys.stdin.buffer, reading)
        elif _is_pipe(Path(store)):
            with Path(store).open("rb") as source:
                yield from _streamed(store, source, reading)
        else:
            for file, size in _files(Path(store)):
                yield from _file_slices(file, size, reading)


def _is_pipe(path: Path) -> bool:
    """Whether it can be read once and has no size, as what a shell makes of ``<(command)``."""
    return path.is_fifo() or path.is_char_device() or path.is_socket()


def _file_slices(file: str, size: int, reading: Reading) -> Iterator[Slice]:
    if not reading.is_records or size <= TASK_BYTES:
        yield Slice(file, 0, size, is_whole=True)
        return
    for start in range(0, size, TASK_BYTES):
        yield Slice(file, start, min(size, start + TASK_BYTES), is_whole=False)


def _streamed(name: str, source: BinaryIO, reading: Reading) -> Iterator[Slice]:
    start = 0
    while lines := source.readlines(TASK_BYTES) if reading.is_records else [source.read()]:
        data = b"".join(lines)
        if not data:
            return
        yield Slice(name, start, start + len(data), is_whole=False, data=data)
        start += len(data)


def _files(path: Path) -> Iterator[tuple[str, int]]:
    """The files of a store with their sizes, in the order of their names."""
    try:
        mode = path.stat()
    except OSError:
        yield str(path), 0
        return
    if not stat.S_ISDIR(mode.st_mode):
        yield str(path), mode.st_size
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in _NOT_WALKED)
        for name in sorted(names):
            file = os.path.join(folder, name)  # noqa: PTH118 - hundreds of thousands of them
            yield from _sized(file)


def _sized(file: str) -> Iterable[tuple[str, int]]:
    try:
        found = os.stat(file)  # noqa: PTH116 - hundreds of thousands of them
    except OSError:
        return [(file, 0)]
    return [(file, found.st_size)] if stat.S_ISREG(found.st_mode) else []
