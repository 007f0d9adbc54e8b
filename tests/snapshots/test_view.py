from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from harness.reporters.printable import width_of
from harness.snapshots.difference import changed_lines, differing, lines_of, rows
from harness.snapshots.page import render_page
from harness.snapshots.view import cut, render_change, visible
from tests.snapshots.made import change

TEXTS = st.text("ab\n\r\x0c\x1b\u4e00 ", max_size=60)
COLOURS = re.compile(r"\x1b\[\d+m")


def shown(before: str | None, after: str, width: int = 80, artifact: str = "requests") -> list[str]:
    text = render_change(change(before, after, artifact), 1, 2, width=width, color=False)
    return text.split("\n")


def test_a_narrow_terminal_shows_one_side_below_the_other() -> None:
    assert shown("one\ntwo\n", "one\n2\nthree\n") == [
        "[1/2] loop/common/requests  changed",
        "from pi-openai-chat, step loop.yaml:3:5",
        "",
        "  one",
        "- two",
        "+ 2",
        "+ three",
        "",
    ]


def test_a_wide_one_shows_them_side_by_side() -> None:
    lines = shown("one\ntwo\n", "one\n2\nthree\n", 110)
    assert lines[3:6] == [
        f"  one{' ' * 48} \u2502   one",
        f"- two{' ' * 48} \u2502 + 2",
        f"  {' ' * 51} \u2502 + three",
    ]


def test_screens_are_shown_as_screens_and_rows_that_differ_are_marked() -> None:
    lines = shown("> hello\nold\n", "> hello\nnew\n", 80, "screen")
    assert lines[3:7] == [
        " \u250cbefore\u2500\u2500\u2510   \u250cafter\u2500\u2500\u2500\u2510",
        " \u2502> hello \u2502   \u2502> hello \u2502",
        "\u258c\u2502old     \u2502  \u258c\u2502new     \u2502",
        " \u2514\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2518   \u2514\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2500\u2518",
    ]


def test_lines_that_are_left_out_are_said_by_the_number_of_the_next_one() -> None:
    before = "".join(f"{n}\n" for n in range(1, 30))
    after = before.replace("20\n", "twenty\n")
    assert shown(before, after)[3:5] == ["  ... line 17", "  17"]
    wide = shown(before, after, 110)
    assert wide[3] == f"  line 17{' ' * 44} \u2502   line 17"
    assert '<td class="gap">line 17</td>' in render_page([change(before, after)], [])


def test_screens_that_have_no_room_side_by_side_stand_one_below_the_other() -> None:
    lines = shown(f"{'x' * 60}\n", f"{'y' * 60}\n", 80, "screen")
    assert [line[1:8] for line in lines[3:9]] == [
        "\u250cbefore",
        "\u2502xxxxxx",
        "\u2514" + "\u2500" * 6,
        "\u250cafter\u2500",
        "\u2502yyyyyy",
        "\u2514" + "\u2500" * 6,
    ]


def test_a_letter_with_a_mark_takes_the_cells_of_the_letter() -> None:
    assert (width_of("e\u0301"), width_of("\u4e00"), visible("\u202ea\x9b")) == (1, 2, "\ufffda\ufffd")


@given(st.one_of(st.none(), TEXTS), TEXTS, st.integers(40, 200), st.sampled_from(["requests", "screen"]))
def test_no_line_is_wider_than_the_terminal_and_no_snapshot_controls_it(
    before: str | None, after: str, width: int, artifact: str
) -> None:
    text = render_change(change(before, after, artifact), 1, 1, width=width, color=True)
    for line in COLOURS.sub("", text).split("\n"):
        assert "\x1b" not in line
        assert width_of(line) <= width


@given(st.text(max_size=40), st.integers(2, 9))
def test_a_line_in_pieces_is_the_whole_line(text: str, width: int) -> None:
    pieces = cut(visible(text), width)
    assert "".join(pieces) == visible(text)
    assert all(width_of(piece) <= width for piece in pieces)


@given(TEXTS, TEXTS)
def test_a_diff_with_all_lines_holds_both_texts(before: str, after: str) -> None:
    found = rows(before, after, 1000)
    if before == after:
        assert found == []
        return
    assert [r.before for r in found if r.mark in " -~"] == lines_of(before)
    assert [r.after for r in found if r.mark in " +~"] == lines_of(after)


def test_line_ends_that_differ_are_seen() -> None:
    assert shown("one\r\n", "one\n")[3:5] == ["- one\u240d", "+ one"]
    assert shown("one", "one\n")[3:5] == ["  one", "- \\ no line end"]


@given(st.text("ab,1 .", max_size=20), st.text("ab,1 .", max_size=20))
def test_two_lines_differ_between_what_both_begin_and_end_with(before: str, after: str) -> None:
    old, new = differing(before, after)
    assert ("".join(old), "".join(new)) == (before, after)
    assert (old[0], old[2]) == (new[0], new[2])
    assert (old[1] == new[1]) is (before == after)


def test_words_and_numbers_are_not_cut() -> None:
    assert differing("fired at 1,042 characters", "fired at 1,494 characters")[0] == (
        "fired at ",
        "1,042",
        " characters",
    )


def test_the_page_names_evidence_from_the_folder_it_was_made_in() -> None:
    found = change("a\n", "b\n")._replace(evidence="/here/.qa/runs/0001/x")
    assert "evidence: <code>.qa/runs/0001/x</code>" in render_page([found], [], "/here")
    assert "evidence: <code>/here/.qa/runs/0001/x</code>" in render_page([found], [], "/there")


def test_a_failed_step_shows_the_first_lines_that_differ() -> None:
    assert changed_lines("a", "1\n2\n3\n", "1\nx\ny\nz\n", 2) == [
        "a:",
        "- 2",
        "+ x",
        "... 3 more lines differ",
    ]
    assert changed_lines("a", None, "1\n2\n") == ["a: 2 new lines"]
    long = "x" * 90
    assert changed_lines("a", f"{long}1\n", f"{long}2\n") == ["a:", f"- ...{'x' * 40}1", f"+ ...{'x' * 40}2"]


def test_the_page_has_before_after_and_diff_of_each_change_and_loads_nothing() -> None:
    page = render_page([change("<old>\n", "<new>\n"), change(None, "s\x1b[2J\n", "screen")], ["loop/x/y.txt"])
    assert "2 changes to review" in page
    assert '<td class="old">&lt;<del>old</del>&gt;</td><td class="new">&lt;<ins>new</ins>&gt;</td>' in page
    assert page.count("<details") == 2
    for part in ("before", "after", "diff"):
        assert page.count(f'data-part="{part}"') == 2
    assert "qa review --accept loop/common/requests" in page
    assert "<code>loop/x/y.txt</code>" in page
    assert "default-src 'none'" in page
    assert not re.search(r"https?:|src=(?!['\"]data)|@import|url\(", page)
    assert "\x1b" not in page
