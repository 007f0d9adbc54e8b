from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.reporters.paint import Paint
from harness.reporters.printable import padded, printable, width_of, wrapped


@given(st.text())
def test_printable_text_holds_no_control_character(text: str) -> None:
    shown = printable(text)
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in shown)
    assert printable(shown) == shown
    assert printable(text, ascii_only=True).isascii()


@given(st.text(alphabet="ab 日e\u0301-"), st.integers(2, 30))
def test_wrapped_lines_fit_and_lose_nothing_but_blanks(text: str, cells: int) -> None:
    lines = wrapped(text, cells)
    assert all(width_of(line) <= cells for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_a_lone_surrogate_and_a_line_separator_are_escaped() -> None:
    assert printable("\ud800\u2028\U0001f600") == "\\ud800\\u2028\U0001f600"
    assert printable("\U0001f600", ascii_only=True) == "\\U0001f600"


def test_padding_counts_cells_and_never_cuts() -> None:
    assert padded("日本", 6) == "日本  "
    assert padded("too long", 3) == "too long"


@pytest.mark.parametrize("width", [1, 40, 200])
def test_a_block_goes_on_below_its_head(width: int) -> None:
    lines = Paint(color=False, width=width).block("  head  ", "word " * 30)
    assert lines[0].startswith("  head  word")
    assert all(line.startswith(" " * 8 + "word") for line in lines[1:])


def test_the_colour_codes_of_a_head_take_no_room() -> None:
    paint = Paint(color=True, width=40)
    lines = paint.block(f"{paint.tone('head', 'strong')}  ", "word " * 10)
    assert lines[1].startswith(" " * 6 + "word")
