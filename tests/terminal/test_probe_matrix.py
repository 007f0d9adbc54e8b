"""The screen beside a second emulator: where the two differ, the probe says which is right and why."""

from __future__ import annotations

import pytest
from avt import Color, Vt
from hypothesis import given
from hypothesis import strategies as st

from harness.terminal.ghostty import GhosttyScreen
from harness.terminal.screen import Rgb, Style
from tests.terminal.probes import COLUMNS, PROBES, ROWS, Probe

each_probe = pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)


def shown_by_pyavt(text: str, columns: int = COLUMNS) -> tuple[str, tuple[int, int]]:
    terminal = Vt(columns, ROWS)
    terminal.feed_str(text)
    rows = "\n".join(line.text.rstrip(" ") for line in terminal.view()).rstrip("\n")
    return rows, (terminal.cursor.row, terminal.cursor.col)


def shown_by_ours(*pieces: str, columns: int = COLUMNS) -> tuple[str, tuple[int, int]]:
    screen = GhosttyScreen(columns, ROWS)
    for piece in pieces:
        screen.feed(piece)
    assert screen.picture().rows == screen.rows
    return "\n".join(screen.rows).rstrip("\n"), screen.cursor[:2]


@each_probe
def test_the_screen_shows_what_the_probe_says(probe: Probe) -> None:
    assert shown_by_ours(probe.text) == (probe.rows, probe.cursor)


@each_probe
def test_the_second_emulator_agrees_or_the_probe_says_why_not(probe: Probe) -> None:
    other = probe.rows if probe.other is None else probe.other
    assert shown_by_pyavt(probe.text) == (other, probe.other_cursor or probe.cursor)
    differs = (probe.other, probe.other_cursor) != (None, None)
    assert differs == bool(probe.why)


@each_probe
def test_a_probe_fed_one_character_at_a_time_shows_the_same(probe: Probe) -> None:
    assert shown_by_ours(*probe.text) == (probe.rows, probe.cursor)


def test_the_matrix_has_the_agreed_size_and_says_where_ours_is_wrong() -> None:
    assert len(PROBES) >= 34
    assert len({probe.name for probe in PROBES}) == len(PROBES)
    wrong = [probe.name for probe in PROBES if not probe.is_right]
    assert wrong == ["soft reset", "ESC before a letter outside ASCII"]


STYLES = [
    ("1", Style(bold=True)),
    ("2", Style(faint=True)),
    ("3", Style(italic=True)),
    ("4", Style(underline=1)),
    ("5", Style(blink=True)),
    ("7", Style(inverse=True)),
    ("9", Style(strikethrough=True)),
    ("31", Style(foreground=1)),
    ("42", Style(background=2)),
    ("93", Style(foreground=11)),
    ("38;5;200", Style(foreground=200)),
    ("48;2;1;2;3", Style(background=(1, 2, 3))),
    ("38:5:9", Style(foreground=9)),
    ("38:2::255:0:1", Style(foreground=(255, 0, 1))),
    ("1;31;44;7", Style(foreground=1, background=4, bold=True, inverse=True)),
    ("1;22", Style()),
    ("31;0", Style()),
]


def pyavt_style(text: str) -> Style:
    terminal = Vt(COLUMNS, ROWS)
    terminal.feed_str(text)
    pen = terminal[0][0].pen
    return Style(
        foreground=_colour(pen.foreground),
        background=_colour(pen.background),
        bold=pen.bold,
        faint=pen.faint,
        italic=pen.italic,
        underline=int(pen.underline),
        blink=pen.blink,
        inverse=pen.inverse,
        strikethrough=pen.strikethrough,
    )


def _colour(colour: Color | None) -> int | Rgb | None:
    if isinstance(colour, Color.Indexed):
        return colour[0]
    if isinstance(colour, Color.RGB):
        return colour[0], colour[1], colour[2]
    return None


def our_style(text: str) -> Style:
    screen = GhosttyScreen(COLUMNS, ROWS)
    screen.feed(text)
    return screen.picture().cells[0][0].style


@pytest.mark.parametrize(("sgr", "style"), STYLES)
def test_both_emulators_read_the_same_style(sgr: str, style: Style) -> None:
    text = f"\x1b[{sgr}mx"
    assert our_style(text) == style
    assert pyavt_style(text) == style


def test_kinds_of_underline_are_told_apart_by_ours_only() -> None:
    assert our_style("\x1b[4:3mx") == Style(underline=3)
    assert our_style("\x1b[4:3m\x1b[4:0mx") == Style()
    assert our_style("\x1b[8mx") == Style(invisible=True)


# Wide enough that nothing wraps: pending wraps, and lines inserted or deleted, have probes of their own.
WIDE = 300
PLAIN_PARTS = st.sampled_from(
    [
        *("word ", "日本", "\r\n", "\n", "\r", "\b", "\t", "\x1bM", "\x1b7", "\x1b8"),
        *("\x1b[A", "\x1b[2B", "\x1b[3C", "\x1b[D", "\x1b[2;3H", "\x1b[2;3r", "\x1b[r", "\x1b[S", "\x1b[T"),
        *("\x1b[K", "\x1b[1K", "\x1b[J", "\x1b[2J", "\x1b[2P", "\x1b[@", "\x1b[X"),
        *("\x1b[?1049hother\x1b[?1049l", "\x1b[31m", "\x1b[m"),
    ]
)


@given(st.lists(PLAIN_PARTS, max_size=30))
def test_both_emulators_draw_any_mixture_of_common_sequences_alike(parts: list[str]) -> None:
    text = "".join(parts)
    assert shown_by_ours(text, columns=WIDE) == shown_by_pyavt(text, WIDE)
