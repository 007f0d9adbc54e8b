"""A screen drawn as SVG: text that can be searched and copied, and scales."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from harness.terminal.picture import runs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.terminal.picture import Run
    from harness.terminal.screen import Picture, Rgb

_WIDTH, _HEIGHT, _BASE, _SIZE, _BORDER = 8, 18, 13, 13, 10
_FONTS = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_LINES = {2: " double", 3: " wavy", 4: " dotted", 5: " dashed"}


def render_svg(picture: Picture, title: str = "") -> str:
    """The picture as a whole SVG document.

    Args:
        picture: What to draw.
        title: What readers and screen readers are told; the window's own title if it is empty.
    """
    columns, rows = picture.size
    width, height = columns * _WIDTH + 2 * _BORDER, rows * _HEIGHT + 2 * _BORDER
    name = _xml(title or picture.title or f"terminal, {columns} x {rows}")
    box = f'width="{width}" height="{height}"'
    font = f'font-family="{_FONTS}" font-size="{_SIZE}" style="white-space: pre"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(name)}</title>",
        f'<rect {box} rx="6" fill="{_hex(picture.background)}"/>',
        f'<g transform="translate({_BORDER} {_BORDER})" {font}>',
        *_drawn(picture),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _drawn(picture: Picture) -> Iterator[str]:
    every = list(runs(picture))
    yield from (_paper(run) for run in every if run.look.paper != picture.background)
    yield from (_ink(run) for run in every if run.text or run.look.underline)
    if picture.cursor.is_visible:
        row, column, *_ = picture.cursor
        yield (
            f'<rect x="{column * _WIDTH}" y="{row * _HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
            f' fill="none" stroke="{_hex(picture.foreground)}"/>'
        )


def _paper(run: Run) -> str:
    return (
        f'<rect x="{run.column * _WIDTH}" y="{run.row * _HEIGHT}" width="{run.width * _WIDTH}"'
        f' height="{_HEIGHT}" fill="{_hex(run.look.paper)}"/>'
    )


def _ink(run: Run) -> str:
    look, text = run.look, run.text or " " * run.width
    lines = [f"underline{_LINES.get(look.underline, '')}"] if look.underline else []
    lines += ["line-through"] if look.strikethrough else []
    style = [
        *(['font-weight="bold"'] if look.bold else []),
        *(['font-style="italic"'] if look.italic else []),
        *([f'text-decoration="{" ".join(lines)}"'] if lines else []),
    ]
    place = f'x="{run.column * _WIDTH}" y="{run.row * _HEIGHT + _BASE}" textLength="{run.width * _WIDTH}"'
    look_text = "".join(f" {part}" for part in style)
    return (
        f'<text {place} fill="{_hex(look.ink)}"{look_text} xml:space="preserve">{escape(_xml(text))}</text>'
    )


def _hex(colour: Rgb) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _xml(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return "".join(
        c if c in "\t\n" or (" " <= c < "\ud800") or ("\ue000" <= c < "\ufffe") or c > "\uffff" else "\ufffd"
        for c in text
    )
