"""A picture of the screen as SVG and as PNG."""

from __future__ import annotations

from io import BytesIO
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from PIL import Image

from harness.terminal.ghostty import GhosttyScreen
from harness.terminal.picture import Look, Run, runs
from harness.terminal.png import render_png
from harness.terminal.screen import BACKGROUND, FOREGROUND, Picture
from harness.terminal.svg import render_svg
from tests.terminal.outputs import OUTPUT

SVG = "{http://www.w3.org/2000/svg}"
GREEN, YELLOW = (181, 189, 104), (240, 198, 116)


def picture(text: str, columns: int = 12, rows: int = 2) -> Picture:
    screen = GhosttyScreen(columns, rows)
    screen.feed(text)
    return screen.picture()


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(svg).iter(f"{SVG}text")]


def looks(text: str) -> list[Look]:
    return [run.look for run in runs(picture(text)) if run.text.strip()]


def test_cells_of_one_look_are_one_run() -> None:
    plain = Look(FOREGROUND, BACKGROUND)
    assert list(runs(picture("ab \x1b[32mcd\x1b[m", 6, 1))) == [
        Run(0, 0, 3, "ab ", plain),
        Run(0, 3, 2, "cd", Look(GREEN, BACKGROUND)),
        Run(0, 5, 1, "", plain),
    ]


def test_a_wide_character_and_a_cluster_are_runs_of_their_own() -> None:
    found = [(run.column, run.width, run.text) for run in runs(picture("日本e\u0301a", 7, 1))]
    assert found == [(0, 2, "日"), (2, 2, "本"), (4, 1, "e\u0301"), (5, 2, "a ")]


@pytest.mark.parametrize(
    ("sgr", "look"),
    [
        ("", Look(FOREGROUND, BACKGROUND)),
        ("1", Look(FOREGROUND, BACKGROUND, bold=True)),
        ("3;9", Look(FOREGROUND, BACKGROUND, italic=True, strikethrough=True)),
        ("4:3", Look(FOREGROUND, BACKGROUND, underline=3)),
        ("32;43", Look(GREEN, YELLOW)),
        ("32;43;7", Look(YELLOW, GREEN)),
        ("7", Look(BACKGROUND, FOREGROUND)),
        ("38;2;1;2;3", Look((1, 2, 3), BACKGROUND)),
        ("2", Look((121, 124, 124), BACKGROUND)),
    ],
)
def test_a_style_is_turned_into_colours(sgr: str, look: Look) -> None:
    assert looks(f"\x1b[{sgr}mx") == [look]


def test_invisible_text_is_not_drawn() -> None:
    assert texts(render_svg(picture("\x1b[8msecret"))) == []


def test_the_svg_holds_the_text_and_can_be_searched() -> None:
    assert texts(render_svg(picture("a <b> & 'c'\r\n\x1b[1mbold\x1b[m rest"))) == [
        "a <b> & 'c' ",
        "bold",
        " rest   ",
    ]


def test_the_svg_has_the_title_that_is_given_or_the_windows() -> None:
    shown = picture("\x1b]2;my <title>\x07")
    (own,) = ET.fromstring(render_svg(shown)).iter(f"{SVG}title")
    (given_title,) = ET.fromstring(render_svg(shown, "at 3 s")).iter(f"{SVG}title")
    (size,) = ET.fromstring(render_svg(picture(""))).iter(f"{SVG}title")
    assert (own.text, given_title.text, size.text) == ("my <title>", "at 3 s", "terminal, 12 x 2")


def test_the_cursor_is_drawn_only_when_it_is_seen() -> None:
    assert render_svg(picture("ab")).count("stroke=") == 1
    assert render_svg(picture("ab\x1b[?25l")).count("stroke=") == 0


@given(OUTPUT)
def test_any_screen_is_well_formed_svg(text: str) -> None:
    ET.fromstring(render_svg(picture(text, 20, 4)))


def pixels(text: str) -> Image.Image:
    return Image.open(BytesIO(render_png(picture(text + "\x1b[?25l")))).convert("RGB")


def colours(image: Image.Image) -> set[object]:
    return {colour for _, colour in image.getcolors(1 << 16) or ()}


def test_the_png_has_the_papers_and_the_ink_of_the_cells() -> None:
    image = pixels("\x1b[42m \x1b[m \x1b[33m█")
    assert colours(image) >= {BACKGROUND, GREEN, YELLOW}
    assert colours(pixels("")) == {BACKGROUND}


def test_text_leaves_ink_in_its_own_cell_only() -> None:
    blank, written = pixels(""), pixels("  x")
    assert blank.size == written.size
    width = (blank.width - 24) / 12
    changed = [
        x
        for x in range(blank.width)
        for y in range(blank.height)
        if blank.getpixel((x, y)) != written.getpixel((x, y))
    ]
    assert 12 + 2 * width <= min(changed) <= max(changed) < 12 + 3 * width


def test_lines_under_and_through_text_are_drawn() -> None:
    plain = pixels("\x1b[32m  ")
    assert GREEN not in colours(plain)
    assert GREEN in colours(pixels("\x1b[4;32m  "))
    assert GREEN in colours(pixels("\x1b[9;32m  "))


@settings(max_examples=20, deadline=None)
@given(OUTPUT)
def test_any_screen_can_be_drawn_as_png(text: str) -> None:
    assert render_png(picture(text, 20, 4)).startswith(b"\x89PNG")
