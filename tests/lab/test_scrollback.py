"""Terminal output read as text: control codes obeyed or taken out, broken lines joined."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.lab.scrollback import read_terminal
from harness.lab.unwrap import unwrapped

ESC = "\x1b"


def lines(output: str) -> list[str]:
    return list(read_terminal(output).lines)


@pytest.mark.parametrize(
    "code",
    [
        f"{ESC}[1;38;2;10;20;30m",
        f"{ESC}[?25l",
        f"{ESC}[?2026h",
        f"{ESC}[>4;2m",
        f"{ESC}]0;a title\x07",
        f"{ESC}]8;;https://example.org/a?b=1{ESC}\\",
        f"{ESC}P+q544e\x07 still inside{ESC}\\",
        f"{ESC}Ptmux;{ESC}{ESC}]52;c;aGk=\x07{ESC}\\",
        f"{ESC}_Gi=31,s=1,v=1;AAAA{ESC}\\",
        f"{ESC}^private{ESC}\\",
        f"{ESC}Xstart of string{ESC}\\",
        f"{ESC}]0;cancelled\x18",
        f"{ESC}(B",
        f"{ESC}=",
        f"{ESC}7{ESC}8",
        "\x9b31m",
        "\x9d0;title\x07",
        "\x07\x00\x0e",
    ],
)
def test_a_code_that_shows_nothing_leaves_nothing(code: str) -> None:
    assert lines(f"one {code}two\r\n{code}three") == ["one two", "three"]


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("loading 10 %\rloading 99 %", ["loading 99 %"]),
        ("long line\rab", ["abng line"]),
        (f"long line\r{ESC}[Kab", ["ab"]),
        (f"gone{ESC}[2K\rhere", ["here"]),
        (f"abc{ESC}[1Kd", ["   d"]),
        ("abx\bc", ["abc"]),
        ("a\tb", ["a       b"]),
        (f"spinner\n{ESC}[1A{ESC}[2Kdone\n", ["done", ""]),
        (f"one\ntwo\nthree\r{ESC}[2A{ESC}[JONE", ["ONE"]),
        (f"one{ESC}[5Cx", ["one     x"]),
        (f"12345{ESC}[3Dx", ["12x45"]),
        (f"12345{ESC}[2Gx", ["1x345"]),
        (f"a{ESC}Eb{ESC}Dc{ESC}Md", ["a", "bd", "c"]),
        (f"a\nb{ESC}[Fc", ["c", "b"]),
        ("trailing   \r\nblanks  ", ["trailing", "blanks"]),
    ],
)
def test_what_was_overwritten_is_gone_and_what_was_printed_last_stays(
    output: str, expected: list[str]
) -> None:
    assert lines(output) == expected


@pytest.mark.parametrize("clear", [f"{ESC}[2J", f"{ESC}[3J", f"{ESC}[H", f"{ESC}[?1049h", f"{ESC}c"])
def test_a_cleared_screen_keeps_what_stood_there(clear: str) -> None:
    assert lines(f"before{clear}after") == ["before", "after"]
    assert lines(f"before{clear}after{ESC}[9Ax") == ["before", "afterx"]


@pytest.mark.parametrize("kind", "]PX^_")
def test_a_string_that_never_ends_hides_nothing(kind: str) -> None:
    assert lines(f"a{ESC}{kind}b\nc") == ["ab", "c"]


def test_a_torn_sequence_at_the_end_shows_nothing() -> None:
    assert lines(f"a{ESC}[38;5") == ["a"]
    assert lines(f"a{ESC}") == ["a"]


def test_a_cursor_sent_far_away_costs_no_memory() -> None:
    (line,) = lines(f"a{ESC}[999999999Cb{ESC}[99999B")
    assert len(line) < 2_000


def test_of_a_very_long_line_only_the_end_can_be_overwritten() -> None:
    assert lines(f"{'a' * 5_000}\b\bcd\nnext") == ["a" * 4_998 + "cd", "next"]
    assert lines(f"{'a' * 5_000}\r\n{'b' * 5_000}{ESC}[A{ESC}[J") == ["a" * 5_000]


def test_a_program_that_paints_the_screen_is_told_from_one_that_prints() -> None:
    assert not read_terminal("text\n" * 100).is_painted
    assert read_terminal(f"{ESC}[3;4Htext" * 30).is_painted


@given(st.text(st.sampled_from("ab \n\r\b\t\x1b[]P_;?0129ABCDGHJKm\\\x07\x18"), max_size=60))
def test_any_output_is_read_and_no_control_character_is_left(output: str) -> None:
    assert all(line.isprintable() for line in lines(output))


@given(st.lists(st.text(st.characters(exclude_categories=("C", "Z")), max_size=20), max_size=8))
def test_plain_lines_are_read_as_they_are(plain: list[str]) -> None:
    assert lines("\r\n".join(plain)) == (plain or [""])


def unwrap(text: str, columns: int | None = None) -> str:
    return unwrapped(text.split("\n"), "text", columns).text


def test_lines_broken_at_blanks_are_joined_with_blanks() -> None:
    text = "The quick brown fox in\nMay jumps over the lazy\ndog and goes on.\n\nNext one."
    assert unwrap(text) == "The quick brown fox in May jumps over the lazy dog and goes on.\n\nNext one.\n"


def test_lines_broken_at_the_last_cell_are_joined_without() -> None:
    text = "The quick brown fox jumps over t\nhe lazy dog and goes on and on b\nefore it rests in a warm and dry\n place."
    joined = "The quick brown fox jumps over the lazy dog and goes on and on before it rests in a warm and dry place."
    assert unwrap(text) == unwrap(text, 32) == joined + "\n"


def test_a_line_that_had_room_for_the_next_word_was_not_broken() -> None:
    text = "The quick brown fox jumps over\nshort line\nagain one\nThe end of it."
    assert unwrap(text) == text + "\n"


@pytest.mark.parametrize("start", ["- ", "* ", "2. ", "# ", "> ", "| ", "```", "\u2502 "])
def test_what_begins_anew_is_not_joined(start: str) -> None:
    text = f"The quick brown fox jumps over\n{start}{'x' * 20}"
    assert unwrap(text) == text + "\n"


def test_fenced_code_is_not_joined() -> None:
    text = "The quick brown fox jumps over it\n```\nthe quick brown fox jumps over i\nx = 1\n```"
    assert unwrap(text) == text + "\n"


def test_the_margin_of_nearly_all_lines_is_taken_away_and_deeper_indents_stay() -> None:
    text = "prompt\n" + "  words\n" * 9 + "    indented"
    assert unwrap(text) == "prompt\n" + "words\n" * 9 + "  indented\n"


def test_an_offset_is_found_again_on_its_own_line_of_the_file() -> None:
    part = unwrapped(["The quick brown fox in May", "jumps over a big and lazy", "dog."], "text", 26)
    assert part.text[part.text.index("lazy") :] == "lazy dog.\n"
    assert part.place(part.text.index("jumps")) == (2, 1)
    assert part.place(part.text.index("dog")) == (3, 1)
    assert part.place(len(part.text)) == (3, 6)


@given(st.lists(st.text("ab .-", max_size=12), max_size=12), st.none() | st.integers(20, 30))
def test_joining_never_changes_the_words(rows: list[str], columns: int | None) -> None:
    rows = [row.rstrip() for row in rows]
    part = unwrapped(rows, "text", columns)
    assert "".join(part.text.split()) == "".join("".join(rows).split())
    assert [line for _, line in part.lines] == list(range(1, len(rows) + 1))
