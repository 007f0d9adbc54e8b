"""The screen's contract: sizes, scrollback, the alternate screen, and that no input can break it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.terminal.ghostty import GhosttyScreen
from harness.terminal.screen import BACKGROUND, FOREGROUND, Cell, Cursor, Style
from tests.terminal.outputs import OUTPUT, PLACES, cut


def screen(text: str = "", columns: int = 20, rows: int = 4) -> GhosttyScreen:
    made = GhosttyScreen(columns, rows)
    made.feed(text)
    return made


def test_there_are_as_many_rows_as_the_screen_is_high() -> None:
    assert screen().rows == ("", "", "", "")
    assert screen("\r\n\r\nx").rows == ("", "", "x", "")


def test_a_wrapped_line_is_two_rows_and_one_line_of_the_text() -> None:
    made = screen("x" * 25 + "\r\nend")
    assert made.rows == ("x" * 20, "x" * 5, "end", "")
    assert made.text == "x" * 25 + "\nend"


def test_what_scrolls_off_is_kept_in_order() -> None:
    made = screen("\r\n".join(f"line {number}" for number in range(9)))
    assert made.scrollback == tuple(f"line {number}" for number in range(5))
    assert made.rows == tuple(f"line {number}" for number in range(5, 9))


def test_erasing_the_scrollback_empties_it() -> None:
    assert screen("\n" * 9 + "\x1b[3J").scrollback == ()


def test_the_alternate_screen_keeps_no_scrollback_and_gives_the_main_one_back() -> None:
    made = screen("main\r\n" * 6)
    before = made.rows, made.scrollback, made.cursor
    made.feed("\x1b[?1049h\x1b[H" + "other\r\n" * 9)
    assert made.is_alternate
    assert made.scrollback == ()
    assert made.rows == ("other", "other", "other", "")
    made.feed("\x1b[?1049l")
    assert not made.is_alternate
    assert (made.rows, made.scrollback, made.cursor) == before


def test_a_narrower_screen_wraps_the_main_screen_anew_and_a_wider_one_joins_it_again() -> None:
    made = screen("abcdefghij")
    made.resize(5, 4)
    assert (made.size, made.rows) == ((5, 4), ("abcde", "fghij", "", ""))
    made.resize(20, 3)
    assert made.rows == ("abcdefghij", "", "")


def test_the_title_is_the_one_that_was_set_last() -> None:
    made = screen("\x1b]0;first\x07\x1b]2;grün 日本\x1b\\")
    assert made.title == "grün 日本"


def test_the_cursor_tells_where_it_is_whether_it_is_seen_and_whether_the_next_character_wraps() -> None:
    made = screen("ab\x1b[?25l")
    assert made.cursor == Cursor(0, 2, is_visible=False, wraps=False)
    made.feed("x" * 18)
    assert made.cursor == Cursor(0, 19, is_visible=False, wraps=True)


def test_a_wide_character_stands_in_two_cells_the_second_of_which_is_empty() -> None:
    row = screen("日x").picture().cells[0]
    assert row[:4] == (Cell("日", 2), Cell("", 0), Cell("x"), Cell(""))


def test_a_cell_holds_a_whole_grapheme() -> None:
    marks = "a" + "\u0301" * 60
    assert screen(marks + "b").picture().cells[0][:2] == (Cell(marks), Cell("b"))


def test_an_erased_cell_keeps_the_background_it_was_erased_with() -> None:
    cells = screen("\x1b[44m\x1b[K\x1b[48;2;1;2;3m\x1b[2;1H\x1b[K").picture().cells
    assert cells[0][5] == Cell("", 1, Style(background=4))
    assert cells[1][5] == Cell("", 1, Style(background=(1, 2, 3)))


def test_a_style_is_read_also_where_many_stand_in_one_row() -> None:
    text = "".join(f"\x1b[38;5;{number}mx" for number in range(20))
    row = screen(text).picture().cells[0]
    assert [cell.style.foreground for cell in row] == list(range(20))


def test_a_program_may_change_colours() -> None:
    made = screen("\x1b]11;#102030\x07\x1b]4;3;rgb:ff/00/80\x07")
    assert (made.colour("background"), made.colour(3)) == ((0x10, 0x20, 0x30), (0xFF, 0, 0x80))
    assert made.colour("foreground") == made.colour("cursor") == FOREGROUND
    picture = made.picture()
    assert (picture.background, picture.palette[3]) == ((0x10, 0x20, 0x30), (0xFF, 0, 0x80))
    made.feed("\x1b]111\x07")
    assert made.colour("background") == BACKGROUND


def test_a_mode_is_set_or_reset_or_unknown() -> None:
    made = screen("\x1b[?2004h\x1b[4h")
    assert (made.mode(2004), made.mode(1000), made.mode(31999)) == (True, False, None)
    assert (made.mode(4, is_ansi=True), made.mode(99, is_ansi=True)) == (True, None)
    assert made.mode(99_999) is made.mode(-1) is None


def test_clusters_are_one_character_also_after_a_reset() -> None:
    assert screen("\x1bc👨‍👩‍👧").cursor[:2] == (0, 2)


def test_closing_twice_does_no_harm() -> None:
    made = screen("x")
    made.close()
    made.close()


@given(OUTPUT, st.integers(1, 30), st.integers(1, 8), st.integers(1, 30), st.integers(1, 8))
def test_on_any_output_and_size_the_cursor_stays_inside(
    text: str, columns: int, rows: int, later_columns: int, later_rows: int
) -> None:
    made = GhosttyScreen(columns, rows)
    for size in ((columns, rows), (later_columns, later_rows)):
        made.resize(*size)
        made.feed(text)
        assert made.size == size
        assert 0 <= made.cursor.row < size[1]
        assert 0 <= made.cursor.column < size[0]
        assert len(made.rows) == size[1]
    made.close()


@given(OUTPUT, PLACES)
def test_how_output_is_cut_never_changes_the_picture(text: str, places: list[int]) -> None:
    whole, pieces = screen(text), screen()
    for piece in cut(text, places):
        pieces.feed(piece)
    assert pieces.picture() == whole.picture()
    assert (pieces.scrollback, pieces.text) == (whole.scrollback, whole.text)


@given(OUTPUT)
def test_the_rows_are_the_text_of_the_cells(text: str) -> None:
    made = screen(text)
    assert made.picture().rows == made.rows
    for cells in made.picture().cells:
        assert len(cells) == sum(cell.width for cell in cells) == 20


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (500, 200)])
def test_the_smallest_and_a_large_screen_work(size: tuple[int, int]) -> None:
    made = GhosttyScreen(*size)
    made.feed("日本語 text\r\n" * 3)
    assert made.size == made.picture().size == size
