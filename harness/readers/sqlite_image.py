"""A SQLite database from its bytes: the file and its write-ahead log, without opening either.

A program that still runs, or was killed, leaves what is new in the log. It is put over the pages of the file
as SQLite itself would do it: frame after frame while salts and checksums are right, up to the last commit.

Source: "Database File Format" of sqlite.org, sections 1.3 and 4.
"""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from typing import TYPE_CHECKING, Any

from harness.readers import SessionError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MAGIC = b"SQLite format 3\0"
_WAL_MAGIC = 0x377F0682
_VERSIONS = slice(18, 20)
_ROLLBACK = b"\x01\x01"
_PROGRESS_EVERY = 1_000_000
_MOST_TICKS = 200


def rows(files: Mapping[str, bytes], *queries: str) -> list[list[dict[str, Any]]]:
    """What each query gives, each row as column -> value; nothing for a table that is not there.

    Args:
        files: The database, then its log under the same name with ``-wal``, where there is one.
        queries: SELECT statements.

    Raises:
        SessionError: If it is no database, or a damaged one.
    """
    name, database = next(iter(files.items()), ("", b""))
    if not database:
        return [[] for _ in queries]
    if not database.startswith(MAGIC):
        raise SessionError(f"{name}, byte 0", "no SQLite database")
    image = with_log(database, files.get(f"{name}-wal", b""))
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.row_factory = sqlite3.Row
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        _bound(connection)
        try:
            connection.deserialize(image)
            return [list(_select(connection, query)) for query in queries]
        except (sqlite3.Error, OverflowError, MemoryError) as error:
            raise SessionError(name, f"a damaged database: {error}") from None


def _bound(connection: sqlite3.Connection) -> None:
    """A damaged tree of pages may lead in circles: give up after so many steps."""
    ticks = iter(range(_MOST_TICKS))
    connection.set_progress_handler(lambda: next(ticks, None) is None, _PROGRESS_EVERY)


def _select(connection: sqlite3.Connection, query: str) -> Iterator[dict[str, Any]]:
    try:
        found = connection.execute(query)
    except sqlite3.OperationalError as error:
        if str(error).startswith("no such table"):
            return
        raise
    for row in found:
        yield dict(zip(row.keys(), row, strict=True))


def with_log(database: bytes, log: bytes) -> bytes:
    """The database with the committed frames of its log, as one that has no log any more."""
    pages = bytearray(database)
    for number, size, page in _committed(log):
        end = number * len(page)
        if len(pages) < end:
            pages.extend(bytes(end - len(pages)))
        pages[end - len(page) : end] = page
        if size:
            del pages[size * len(page) :]
    if len(pages) >= _VERSIONS.stop:
        pages[_VERSIONS] = _ROLLBACK
    return bytes(pages)


def _committed(log: bytes) -> list[tuple[int, int, bytes]]:
    """Page number, pages of the whole database after a commit (else 0), and content."""
    if len(log) < 32:
        return []
    magic, _version, page_size, _checkpoint, *salts = struct.unpack(">6I", log[:24])
    if magic & ~1 != _WAL_MAGIC or page_size & (page_size - 1) or not 512 <= page_size <= 65536:
        return []
    order = ">" if magic & 1 else "<"
    sums = _checksum(log[:24], (0, 0), order)
    if sums != struct.unpack(">2I", log[24:32]):
        return []
    found: list[tuple[int, int, bytes]] = []
    kept = 0
    for start in range(32, len(log) - page_size - 23, page_size + 24):
        head, page = log[start : start + 24], log[start + 24 : start + 24 + page_size]
        number, size, salt_1, salt_2, *told = struct.unpack(">6I", head)
        sums = _checksum(page, _checksum(head[:8], sums, order), order)
        if [salt_1, salt_2] != salts or list(sums) != told or not number:
            break
        found.append((number, size, page))
        kept = len(found) if size else kept
    return found[:kept]


def _checksum(data: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
