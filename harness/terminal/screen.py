"""The grid of cells that a program has drawn, behind one interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

Rgb = tuple[int, int, int]

FOREGROUND: Rgb = (0xC5, 0xC8, 0xC6)
BACKGROUND: Rgb = (0x1D, 0x1F, 0x21)
CELL_PIXELS = (8, 16)
"""Width and height of a cell, as size reports tell them."""


class Style(NamedTuple):
    """How a cell looks.

    A colour is None for the default, a number for an entry of the palette, or its three parts, 0 to 255.
    ``underline`` is 0 for none, else the kind of SGR 4: 1 single, 2 double, 3 curly, 4 dotted, 5 dashed.
    """

    foreground: int | Rgb | None = None
    background: int | Rgb | None = None
    bold: bool = False
    faint: bool = False
    italic: bool = False
    underline: int = 0
    blink: bool = False
    inverse: bool = False
    invisible: bool = False
    strikethrough: bool = False


PLAIN = Style()


class Cell(NamedTuple):
    """One cell. ``text`` is a whole grapheme and empty in a blank cell; ``width`` is 2 for a wide one.

    Behind a wide cell stands one of width 0, which is its other half.
    """

    text: str
    width: int = 1
    style: Style = PLAIN


class Cursor(NamedTuple):
    """Where the cursor is, from 0. With ``wraps`` the next character goes to the next row."""

    row: int
    column: int
    is_visible: bool = True
    wraps: bool = False


class Picture(NamedTuple):
    """Everything about a screen at one moment.

    ``palette`` are the 256 colours as they are now, with those that the program has changed.
    """

    cells: tuple[tuple[Cell, ...], ...]
    cursor: Cursor
    title: str
    is_alternate: bool
    palette: tuple[Rgb, ...]
    foreground: Rgb
    background: Rgb

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        return len(self.cells[0]), len(self.cells)

    @property
    def rows(self) -> tuple[str, ...]:
        """The text of each row, blanks at its end left out."""
        return tuple(row_text(row) for row in self.cells)


class Screen(Protocol):
    """A terminal's screen: characters in, a grid of cells out.

    Any text is allowed, cut anywhere. The cursor is always inside. The main screen keeps what scrolls off
    it at the top; the alternate screen keeps nothing and gives the main one back as it was.
    """

    def feed(self, text: str) -> None:
        """Read output of the program."""

    def resize(self, columns: int, rows: int) -> None:
        """Change the size; the main screen is wrapped anew."""

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""

    @property
    def cursor(self) -> Cursor:
        """Where the cursor is."""

    @property
    def is_alternate(self) -> bool:
        """Whether the alternate screen is shown."""

    @property
    def title(self) -> str:
        """The window title that the program has set last."""

    @property
    def rows(self) -> tuple[str, ...]:
        """The text of each row, blanks at its end left out; always as many as the screen is high."""

    @property
    def text(self) -> str:
        """The rows as one text in which wrapped lines are whole, blank lines at its end left out."""

    @property
    def whole_text(self) -> str:
        """The same with everything that has scrolled off above it."""

    @property
    def scrollback(self) -> tuple[str, ...]:
        """The rows that have scrolled off the main screen, the oldest first."""

    def mode(self, number: int, *, is_ansi: bool = False) -> bool | None:
        """Whether a mode is set (DEC private, or ANSI); None when there is no such mode."""

    def colour(self, name: int | str) -> Rgb:
        """A colour of the palette by its number, or ``foreground``, ``background`` or ``cursor``."""

    def picture(self) -> Picture:
        """All cells with their styles, and everything around them."""

    def close(self) -> None:
        """Give its memory back. May be called twice; nothing else may be called then."""


def row_text(cells: Iterable[Cell]) -> str:
    """The text of a row: a space for each blank cell, and blanks at its end left out.

    >>> row_text([Cell("a"), Cell(""), Cell("b"), Cell("")])
    'a b'
    """
    return "".join(cell.text or (" " if cell.width else "") for cell in cells).rstrip(" ")
