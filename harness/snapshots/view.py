"""A pending change on a terminal: what it is, and before and after side by side where there is room."""

from __future__ import annotations

import unicodedata
from itertools import zip_longest
from typing import TYPE_CHECKING

from harness.reporters.printable import width_of
from harness.snapshots.difference import rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.snapshots.difference import Row
    from harness.snapshots.store import Change

WIDE = 110
_RED, _GREEN, _DIM, _BOLD, _OFF = "\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[1m", "\x1b[0m"
_LEAST = 8
_LINE = "\u2500"
KEYS = "a accept  r reject  s skip  (A R S: all the rest)  u undo  j evidence  q leave"


def visible(text: str) -> str:
    r"""A line without characters that a terminal would act on.

    >>> visible("\x1b[2Jhidden\x00")
    '\u241b[2Jhidden\u2400'
    """
    return "".join(_shown(char) for char in text.expandtabs(4))


def _shown(char: str) -> str:
    code = ord(char)
    if code < 32:
        return chr(0x2400 + code)
    is_acted_on = code == 127 or 128 <= code < 160 or unicodedata.category(char) in ("Cf", "Zl", "Zp", "Cs")
    return "\ufffd" if is_acted_on else char


def cut(text: str, width: int) -> list[str]:
    """A line in pieces of at most so many cells; at least one piece.

    >>> cut("abcde", 2)
    ['ab', 'cd', 'e']
    """
    pieces, piece, taken = [], "", 0
    for char in text:
        if taken + width_of(char) > width:
            pieces.append(piece)
            piece, taken = "", 0
        piece += char
        taken += width_of(char)
    return [*pieces, piece]


def render_change(change: Change, number: int, total: int, *, width: int, color: bool) -> str:
    """What a person decides on.

    Args:
        change: The change.
        number: Its place, from 1.
        total: How many there are.
        width: Columns of the terminal.
        color: Whether colours can be shown.
    """
    paint = _Paint(color=color)
    told = "new" if change.before is None else change.state
    title = paint(_BOLD, f"[{number}/{total}] {change.name}")
    about = paint(_DIM, visible(f"from {change.made_by}, step {change.place}"))
    is_screen = change.artifact == "screen"
    body = _screens(change, width, paint) if is_screen else _diff(change, width, paint)
    return "\n".join([f"{title}  {told}", about, "", *body, ""])


class _Paint:
    def __init__(self, *, color: bool) -> None:
        self._color = color

    def __call__(self, code: str, text: str) -> str:
        return f"{code}{text}{_OFF}" if self._color and text else text


def _diff(change: Change, width: int, paint: _Paint) -> Iterator[str]:
    if change.before is not None and width >= WIDE:
        yield from _beside(rows(change.before, change.after), (width - 7) // 2, paint)
        return
    for row in rows(change.before, change.after):
        yield from _above(row, max(width - 2, _LEAST), paint)


def _above(row: Row, width: int, paint: _Paint) -> Iterator[str]:
    if row.mark == "@":
        yield paint(_DIM, f"  ... {row.after}")
        return
    if row.mark == " ":
        yield from (f"  {piece}" for piece in cut(visible(row.after), width))
    if row.mark in "-~":
        yield from (paint(_RED, f"- {piece}") for piece in cut(visible(row.before), width))
    if row.mark in "+~":
        yield from (paint(_GREEN, f"+ {piece}") for piece in cut(visible(row.after), width))


def _beside(found: list[Row], width: int, paint: _Paint) -> Iterator[str]:
    for row in found:
        left, right = cut(visible(row.before), width), cut(visible(row.after), width)
        for old, new in zip_longest(left, right, fillvalue=""):
            gap = " " * (width - width_of(old))
            if row.mark == "@":
                yield paint(_DIM, f"  {old}{gap} \u2502   {new}")
                continue
            minus, plus = "-" if row.mark in "-~" else " ", "+" if row.mark in "+~" else " "
            red, green = (_RED if minus == "-" else ""), (_GREEN if plus == "+" else "")
            was = paint(red, f"{minus} {old}") if red else f"{minus} {old}"
            now = paint(green, f"{plus} {new}") if green else f"{plus} {new}"
            yield f"{was}{gap} \u2502 {now}".rstrip()


def _screens(change: Change, width: int, paint: _Paint) -> Iterator[str]:
    """Both screens as they stood, framed; a row that differs has a mark before it."""
    after = [visible(line) for line in change.after.splitlines()]
    if change.before is None:
        yield from _framed("after", after, after, width - 4, paint, _GREEN)
        return
    before = [visible(line) for line in change.before.splitlines()]
    both = max([width_of(line) for line in (*before, *after)] or [0]) * 2 + 12
    room = (width - 9) // 2 if width >= min(both, WIDE) else width - 4
    left = list(_framed("before", before, after, room, paint, _RED))
    right = list(_framed("after", after, before, room, paint, _GREEN))
    if room == width - 4:
        yield from (*left, *right)
        return
    blank = " " * (_inner(before, room) + 4)
    yield from (f"{a or blank} {b}".rstrip() for a, b in zip_longest(left, right, fillvalue=""))


def _inner(lines: list[str], room: int) -> int:
    return max(_LEAST, min(room, max((width_of(line) for line in lines), default=0)))


def _framed(
    title: str, lines: list[str], others: list[str], room: int, paint: _Paint, code: str
) -> Iterator[str]:
    width = _inner(lines, room)
    yield f" \u250c{title:\u2500<{width}}"[: width + 2] + "\u2510 "
    for index, line in enumerate(lines):
        differs = index >= len(others) or others[index] != line
        for piece in cut(line, width):
            mark = paint(code, "\u258c") if differs else " "
            text = paint(code, piece) if differs else piece
            yield f"{mark}\u2502{text}{' ' * (width - width_of(piece))}\u2502 "
    yield f" \u2514{_LINE * width}\u2518 "
