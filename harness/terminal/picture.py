"""What drawings of a screen share: its cells as runs of one look, in colours that can be painted."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.terminal.screen import Cell, Picture, Rgb, Style

_FAINT = 0.55


class Look(NamedTuple):
    """A style in colours."""

    ink: Rgb
    paper: Rgb
    bold: bool = False
    italic: bool = False
    underline: int = 0
    strikethrough: bool = False


class Run(NamedTuple):
    """Cells of one look beside each other; ``text`` is empty when there is nothing to write.

    A wide cell, or one of several code points, is a run of its own: a font need not keep to the grid.
    """

    row: int
    column: int
    width: int
    text: str
    look: Look


def runs(picture: Picture) -> Iterator[Run]:
    """All cells, row by row. Control characters are shown as a replacement."""
    for row, cells in enumerate(picture.cells):
        column = 0
        for (look, _), group in groupby(_looks(cells, picture), key=lambda item: item[:2]):
            part = [cell for *_, cell in group]
            width = sum(cell.width for cell in part)
            text = "".join(_painted(cell) for cell in part)
            yield Run(row, column, width, "" if not text.strip() else text, look)
            column += width


def _looks(cells: Sequence[Cell], picture: Picture) -> Iterator[tuple[Look, int, Cell]]:
    """Each cell with its look and a number that tells it from neighbours it must not be joined with."""
    for number, cell in enumerate(cells):
        if cell.width:
            alone = cell.width > 1 or len(cell.text) > 1
            yield _look(cell.style, picture), number + 1 if alone else 0, cell


def _painted(cell: Cell) -> str:
    if cell.style.invisible or not cell.text:
        return " " * cell.width
    return cell.text if all(ord(c) > 0x9F or 0x20 <= ord(c) < 0x7F for c in cell.text) else "\ufffd"


def _look(style: Style, picture: Picture) -> Look:
    ink = _rgb(style.foreground, picture.foreground, picture)
    paper = _rgb(style.background, picture.background, picture)
    if style.inverse:
        ink, paper = paper, ink
    if style.faint:
        ink = _between(ink, paper)
    return Look(ink, paper, style.bold, style.italic, style.underline, style.strikethrough)


def _between(ink: Rgb, paper: Rgb) -> Rgb:
    red, green, blue = (round(p + (i - p) * _FAINT) for i, p in zip(ink, paper, strict=True))
    return red, green, blue


def _rgb(colour: int | Rgb | None, default: Rgb, picture: Picture) -> Rgb:
    if colour is None:
        return default
    return picture.palette[colour] if isinstance(colour, int) else colour
