"""A screen drawn as PNG. Needs Pillow, which 'pip install ttsr-qa[png]' brings."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw, ImageFont

from harness.terminal.picture import runs

if TYPE_CHECKING:
    from harness.terminal.picture import Run
    from harness.terminal.screen import Picture

_SIZE, _BORDER = 15, 12
_MONOSPACE = ("DejaVuSansMono.ttf", "Menlo.ttc", "consola.ttf", "LiberationMono-Regular.ttf")
_Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


def render_png(picture: Picture) -> bytes:
    """The picture as a PNG file.

    The first monospaced font that this machine has is used, else Pillow's own. Every character stands in
    its cell whichever it is; one that the font lacks is drawn as the font draws what it lacks.
    """
    font = _font()
    width, height = _cell(font)
    columns, rows = picture.size
    image = Image.new("RGB", (columns * width + 2 * _BORDER, rows * height + 2 * _BORDER), picture.background)
    brush = _Brush(ImageDraw.Draw(image), font, width, height)
    for run in runs(picture):
        brush.draw(run)
    if picture.cursor.is_visible:
        brush.outline(picture.cursor.row, picture.cursor.column, picture.foreground)
    file = BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


class _Brush:
    def __init__(self, draw: ImageDraw.ImageDraw, font: _Font, width: int, height: int) -> None:
        self._draw, self._font, self._width, self._height = draw, font, width, height

    def draw(self, run: Run) -> None:
        """Draw cell by cell: a font need not keep to the grid."""
        x, y = self._place(run.row, run.column)
        right, bottom = x + run.width * self._width, y + self._height
        self._draw.rectangle((x, y, right - 1, bottom - 1), run.look.paper)
        alone = len(run.text) != run.width
        for offset, text in enumerate([run.text] if alone else run.text):
            if text.strip():
                place = (x + offset * self._width, y)
                self._draw.text(place, text, run.look.ink, self._font, stroke_width=0.4 * run.look.bold)
        if run.look.underline:
            self._draw.line((x, bottom - 2, right - 1, bottom - 2), run.look.ink)
        if run.look.strikethrough:
            self._draw.line((x, y + self._height // 2, right - 1, y + self._height // 2), run.look.ink)

    def outline(self, row: int, column: int, colour: tuple[int, int, int]) -> None:
        """Draw the cursor."""
        x, y = self._place(row, column)
        self._draw.rectangle((x, y, x + self._width - 1, y + self._height - 1), outline=colour)

    def _place(self, row: int, column: int) -> tuple[int, int]:
        return _BORDER + column * self._width, _BORDER + row * self._height


def _font() -> _Font:
    for name in _MONOSPACE:
        try:
            return ImageFont.truetype(name, _SIZE)
        except OSError:
            continue
    return ImageFont.load_default(_SIZE)


def _cell(font: _Font) -> tuple[int, int]:
    """Width and height of a cell, such that the lines of boxes join where the font lets them."""
    height = sum(font.getmetrics()) if isinstance(font, ImageFont.FreeTypeFont) else _SIZE + 3
    return round(max(font.getlength(letter) for letter in "MW")), height
