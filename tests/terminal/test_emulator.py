"""A synchronized frame is shown when it is whole, and not before."""

from __future__ import annotations

import pytest
from hypothesis import given

from harness.terminal.emulator import MOST_HELD, Emulator
from harness.terminal.ghostty import GhosttyScreen
from tests.terminal.outputs import OUTPUT, PLACES, cut

BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"


def fed(*pieces: str) -> Emulator:
    emulator = Emulator(GhosttyScreen(20, 4))
    for piece in pieces:
        list(emulator.feed(piece))
    return emulator


def test_half_a_frame_is_not_on_the_screen() -> None:
    emulator = fed("old", BEGIN + "\x1b[2J\x1b[H", "new")
    assert (emulator.screen.rows[0], emulator.is_in_frame, emulator.is_torn) == ("old", True, False)
    list(emulator.feed("er" + END))
    assert (emulator.screen.rows[0], emulator.is_in_frame, emulator.is_torn) == ("newer", False, False)


def test_what_follows_a_frame_in_the_same_write_is_shown_at_once() -> None:
    assert fed(BEGIN + "a" + END + "b" + BEGIN + "c").screen.rows[0] == "ab"


@pytest.mark.parametrize("begin", [BEGIN, "\x1b[?25;2026h", "\x1b[?2026;25h"])
def test_the_mode_may_be_set_with_others(begin: str) -> None:
    assert fed(begin + "hidden").screen.rows[0] == ""


@pytest.mark.parametrize("text", ["\x1b[?12026h", "\x1b[2026h", "\x1b[?2026$p"])
def test_other_modes_begin_no_frame(text: str) -> None:
    assert fed(text + "shown").screen.rows[0] == "shown"


def test_a_frame_within_a_frame_is_the_same_frame() -> None:
    assert fed(BEGIN + "a" + BEGIN + "b").screen.rows[0] == ""
    assert fed(BEGIN + "a" + BEGIN + "b" + END).screen.rows[0] == "ab"


def test_a_reset_ends_the_frame() -> None:
    emulator = fed(BEGIN + "a\x1bcb")
    assert (emulator.screen.rows[0], emulator.is_in_frame) == ("b", False)


def test_a_query_within_a_frame_is_answered_for_what_is_drawn_and_leaves_the_screen_torn() -> None:
    emulator = fed("\r\n", BEGIN + "abc")
    assert list(emulator.feed("\x1b[6n")) == ["\x1b[2;4R"]
    assert emulator.is_torn
    list(emulator.feed("d"))
    assert emulator.is_torn
    list(emulator.feed(END))
    assert not emulator.is_torn
    assert emulator.screen.rows[1] == "abcd"


def test_a_resize_within_a_frame_leaves_the_screen_torn() -> None:
    emulator = fed(BEGIN + "abc")
    emulator.resize(10, 2)
    assert (emulator.screen.size, emulator.screen.rows, emulator.is_torn) == ((10, 2), ("abc", ""), True)


def test_a_program_that_ends_within_a_frame_shows_what_it_had_drawn() -> None:
    emulator = fed(BEGIN + "abc")
    emulator.finish()
    assert (emulator.screen.rows[0], emulator.is_torn) == ("abc", True)
    whole = fed(BEGIN + "abc" + END)
    whole.finish()
    assert not whole.is_torn


def test_a_frame_without_end_is_not_held_for_ever() -> None:
    emulator = fed(BEGIN)
    piece = "x" * 1000 + "\r"
    for _ in range(2 * MOST_HELD // len(piece)):
        list(emulator.feed(piece))
    assert emulator.is_torn
    assert emulator.screen.rows[-1] == "x" * 20
    assert emulator._held_chars <= MOST_HELD


@given(OUTPUT, PLACES)
def test_how_output_is_cut_never_changes_what_is_shown(text: str, places: list[int]) -> None:
    whole, pieces = fed(text), fed(*cut(text, places))
    assert pieces.screen.picture() == whole.screen.picture()
    assert (pieces.is_torn, pieces.is_in_frame) == (whole.is_torn, whole.is_in_frame)


@given(OUTPUT)
def test_at_the_end_the_screen_is_the_same_as_without_frames(text: str) -> None:
    emulator, screen = fed(text), GhosttyScreen(20, 4)
    emulator.finish()
    screen.feed(text)
    assert emulator.screen.picture() == screen.picture()


@pytest.mark.parametrize(
    ("text", "unseen"),
    [
        ("plain", ""),
        (BEGIN + "abc", "3 characters of a frame (DEC mode 2026) that has not ended"),
        (BEGIN + "abc\x1b[6n", ""),  # the query showed it
        (BEGIN + "abc" + END, ""),
        ("\x1b]0;t\x07", ""),
        ("\x1b[31", ""),
        (
            "\x1b]0;ti\ntle",
            "all that has come since 'OSC 0;ti\\ntle' began: it has no end yet, and is a part of it",
        ),
        (
            "\x1bPq" + "x" * 9000,
            f"all that has come since 'DCS q{'x' * 59}...' began: it has no end yet, and is a part of it",
        ),
        ("\x1b_G\x18after", ""),
    ],
)
def test_what_is_not_on_the_screen_yet_is_told_with_the_reason(text: str, unseen: str) -> None:
    assert fed(text).unseen == unseen
    assert fed(*text).unseen == unseen
