"""Recordings of a terminal in asciicast version 2: a header, then one event a line.

Source: the asciicast v2 file format of asciinema. Events: ``o`` output, ``i`` input, ``r`` resize.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class CastError(ValueError):
    """A recording that cannot be read; the message says which line."""


class Event(NamedTuple):
    """Something at ``at_s`` seconds: ``code`` is ``o``, ``i`` or ``r``; a resize has ``COLUMNSxROWS``."""

    at_s: float
    code: str
    data: str

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows of a resize."""
        columns, _, rows = self.data.partition("x")
        return int(columns), int(rows)


class Cast(NamedTuple):
    """A whole recording, with the size at its begin."""

    columns: int
    rows: int
    events: tuple[Event, ...]


def header(columns: int, rows: int) -> dict[str, Any]:
    """The first line."""
    return {"version": 2, "width": columns, "height": rows, "env": {"TERM": "xterm-256color"}}


def resized(columns: int, rows: int) -> str:
    """The data of a resize."""
    return f"{columns}x{rows}"


def parse_cast(text: str) -> Cast:
    """Read a recording. A last line that was cut off, as a killed run leaves it, is left out.

    Raises:
        CastError: If it is none.
    """
    lines = text.split("\n")
    whole = lines if not lines[-1] else lines[:-1]
    values = list(_values(whole))
    first = values[0][1] if values else None
    if not isinstance(first, dict) or first.get("version") != 2:
        raise CastError("line 1: this is no asciicast of version 2")
    columns, rows = first.get("width"), first.get("height")
    if not isinstance(columns, int) or not isinstance(rows, int):
        raise CastError("line 1: no 'width' and 'height'")
    return Cast(columns, rows, tuple(_event(number, value) for number, value in values[1:]))


def _values(lines: list[str]) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError:
                raise CastError(f"line {number}: not JSON") from None


def _event(number: int, value: Any) -> Event:
    match value:
        case [int() | float() as at_s, "r", str() as data]:
            columns, _, rows = data.partition("x")
            if columns.isdecimal() and rows.isdecimal() and int(columns) and int(rows):
                return Event(float(at_s), "r", data)
        case [int() | float() as at_s, str() as code, str() as data]:
            return Event(float(at_s), code, data)
    raise CastError(f"line {number}: not an event [seconds, code, data]")
