"""The screen as the core of the Ghostty terminal keeps it. Loading this file loads the library."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from pyghostty import GhosttyError, Terminal, ffi, lib

from harness.terminal.screen import (
    BACKGROUND,
    CELL_PIXELS,
    FOREGROUND,
    Cell,
    Cursor,
    Picture,
    Rgb,
    Style,
    row_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCROLLBACK_ROWS = 10_000
_GRAPHEME_CLUSTERING = 2027
_ALTERNATE = 1
_ANSI = 1 << 15


class GhosttyScreen:
    r"""A :class:`harness.terminal.screen.Screen`.

    Graphemes are laid out as clusters (DEC mode 2027), which is Ghostty's own default: a family of emoji
    takes the two columns that programs count for it.

    >>> screen = GhosttyScreen(20, 3)
    >>> screen.feed("one\r\n\x1b[1mtwo")
    >>> screen.rows
    ('one', 'two', '')
    """

    def __init__(self, columns: int, rows: int) -> None:
        self._core = _Core(columns, rows, _SCROLLBACK_ROWS, FOREGROUND, BACKGROUND)
        self._core.set_default(_GRAPHEME_CLUSTERING)
        self.resize(columns, rows)

    def feed(self, text: str) -> None:
        """Read output of the program."""
        self._core.feed(text)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size; the main screen is wrapped anew."""
        self._core.resize(columns, rows, *CELL_PIXELS)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        columns, rows = self._core.size
        return columns, rows

    @property
    def cursor(self) -> Cursor:
        """Where the cursor is."""
        column, row = self._core.cursor
        return Cursor(row, column, self._flag("cursor_visible"), self._flag("cursor_pending_wrap"))

    @property
    def is_alternate(self) -> bool:
        """Whether the alternate screen is shown."""
        return bool(self._core.get("active_screen", "GhosttyTerminalScreen") == _ALTERNATE)

    @property
    def title(self) -> str:
        """The window title that the program has set last."""
        title = self._core.get("title", "GhosttyString")
        return bytes(ffi.buffer(title.ptr, title.len)).decode(errors="replace") if title.len else ""

    @property
    def rows(self) -> tuple[str, ...]:
        """The text of each row, blanks at its end left out."""
        rows = [row.rstrip(" ") for row in self._core.shown(unwrap=False).split("\n")]
        return (*rows, *[""] * (self.size[1] - len(rows)))

    @property
    def text(self) -> str:
        """The rows as one text in which wrapped lines are whole."""
        return self._core.shown(unwrap=True)

    @property
    def whole_text(self) -> str:
        """The same with everything that has scrolled off above it."""
        return str(self._core.contents())

    @property
    def scrollback(self) -> tuple[str, ...]:
        """The rows that have scrolled off, the oldest first; none while the alternate screen is shown."""
        kept = self._core.get("scrollback_rows", "size_t")
        return tuple(row_text(self._row(y, "history")) for y in range(kept))

    def mode(self, number: int, *, is_ansi: bool = False) -> bool | None:
        """Whether a mode is set; None when there is no such mode."""
        if not 0 <= number < _ANSI:
            return None
        try:
            return bool(self._core.mode(number, is_ansi))
        except GhosttyError:
            return None

    def colour(self, name: int | str) -> Rgb:
        """A colour of the palette by its number, or ``foreground``, ``background`` or ``cursor``."""
        if isinstance(name, int):
            return self._core.palette()[name]
        try:
            colour = self._core.get(f"color_{name}", "GhosttyColorRgb")
        except GhosttyError:  # the cursor has the colour of the text until a program sets another
            return self.colour("foreground")
        return colour.r, colour.g, colour.b

    def picture(self) -> Picture:
        """All cells with their styles, and everything around them."""
        return Picture(
            cells=tuple(tuple(self._row(y, "active")) for y in range(self.size[1])),
            cursor=self.cursor,
            title=self.title,
            is_alternate=self.is_alternate,
            palette=self._core.palette(),
            foreground=self.colour("foreground"),
            background=self.colour("background"),
        )

    def close(self) -> None:
        """Give its memory back."""
        self._core.end()

    def _flag(self, key: str) -> bool:
        return bool(self._core.get(key, "bool"))

    def _row(self, y: int, part: str) -> Iterator[Cell]:
        """The cells of a row. Equal cells are read once; a style's number means the same in a whole row."""
        ref = self._core.ref(0, y, part)
        raw = ffi.new("GhosttyCell*")
        known = {0: Cell("")}
        for ref.x in range(self.size[0]):
            lib.ghostty_grid_ref_cell(ref, raw)
            cell = known.get(raw[0])
            if cell is None:
                cell = _cell(ref, raw[0])
                if len(cell.text) < 2:  # the code points of a longer grapheme do not stand in the cell
                    known[raw[0]] = cell
            yield cell


class _Core(Terminal):  # type: ignore[misc]  # the library has no annotations
    """The library's terminal with what it leaves to its raw functions."""

    def set_default(self, mode: int) -> None:
        """Set a DEC mode now and after each reset."""
        value = ffi.new("GhosttyTerminalModeConfig*", {"mode": mode, "value": True})
        lib.ghostty_terminal_set(self._t[0], lib.GHOSTTY_TERMINAL_OPT_MODE_DEFAULT, value)

    def palette(self) -> tuple[Rgb, ...]:
        """The 256 colours."""
        palette = ffi.new("GhosttyColorRgb[256]")
        lib.ghostty_terminal_get(self._t[0], lib.GHOSTTY_TERMINAL_DATA_COLOR_PALETTE, palette)
        return tuple((colour.r, colour.g, colour.b) for colour in palette)

    def shown(self, *, unwrap: bool) -> str:
        """The text of the screen, blanks at the end of its lines left out."""
        columns, rows = self.size
        selection = _sized("GhosttySelection")
        selection.start = self.ref(0, 0)[0]
        selection.end = self.ref(columns - 1, rows - 1)[0]
        options = _sized("GhosttyTerminalSelectionFormatOptions")
        options.emit, options.selection = lib.GHOSTTY_FORMATTER_FORMAT_PLAIN, selection
        options.unwrap, options.trim = unwrap, True
        count = ffi.new("size_t*")
        write = partial(lib.ghostty_terminal_selection_format_buf, self._t[0], options[0])
        write(ffi.NULL, 0, count)
        text = ffi.new("uint8_t[]", max(count[0], 1))
        write(text, len(text), count)
        return bytes(ffi.buffer(text, count[0])).decode(errors="replace")

    def end(self) -> None:
        """Give the memory back; may be called twice."""
        if self._t is not None:
            self.close()


def _sized(name: str) -> Any:
    """A new structure of the library, which reads the size of what it is given from its first field."""
    return ffi.new(f"{name}*", {"size": ffi.sizeof(name)})


_WIDTHS = (1, 2, 0, 1)  # narrow, wide, the tail of a wide one, the gap before a wide one that was wrapped


def _cell(ref: Any, raw: int) -> Cell:
    wide = ffi.new("GhosttyCellWide*")
    lib.ghostty_cell_get(raw, lib.GHOSTTY_CELL_DATA_WIDE, wide)
    return Cell(_grapheme(ref), _WIDTHS[wide[0]], _style(ref, raw))


def _grapheme(ref: Any) -> str:
    count = ffi.new("size_t*")
    lib.ghostty_grid_ref_graphemes(ref, ffi.NULL, 0, count)
    points = ffi.new("uint32_t[]", max(count[0], 1))
    lib.ghostty_grid_ref_graphemes(ref, points, len(points), count)
    return "".join(map(chr, points[0 : count[0]]))


def _style(ref: Any, raw: int) -> Style:
    tag = ffi.new("GhosttyCellContentTag*")
    lib.ghostty_cell_get(raw, lib.GHOSTTY_CELL_DATA_CONTENT_TAG, tag)
    if tag[0] == lib.GHOSTTY_CELL_CONTENT_BG_COLOR_PALETTE:
        number = ffi.new("GhosttyColorPaletteIndex*")
        lib.ghostty_cell_get(raw, lib.GHOSTTY_CELL_DATA_COLOR_PALETTE, number)
        return Style(background=int(number[0]))
    if tag[0] == lib.GHOSTTY_CELL_CONTENT_BG_COLOR_RGB:
        colour = ffi.new("GhosttyColorRgb*")
        lib.ghostty_cell_get(raw, lib.GHOSTTY_CELL_DATA_COLOR_RGB, colour)
        return Style(background=(colour.r, colour.g, colour.b))
    style = _sized("GhosttyStyle")
    lib.ghostty_grid_ref_style(ref, style)
    return Style(
        foreground=_colour(style.fg_color),
        background=_colour(style.bg_color),
        bold=style.bold,
        faint=style.faint,
        italic=style.italic,
        underline=style.underline,
        blink=style.blink,
        inverse=style.inverse,
        invisible=style.invisible,
        strikethrough=style.strikethrough,
    )


def _colour(colour: Any) -> int | Rgb | None:
    if colour.tag == lib.GHOSTTY_STYLE_COLOR_PALETTE:
        return int(colour.value.palette)
    if colour.tag == lib.GHOSTTY_STYLE_COLOR_RGB:
        return colour.value.rgb.r, colour.value.rgb.g, colour.value.rgb.b
    return None
