from __future__ import annotations

import pytest

from mock_llm.problems import Problem, Problems, ScriptError, Source, did_you_mean, quoted, render_problem


def picture(text: str, start: int, end: int, *hints: str) -> list[str]:
    problems = Problems(Source("a.yaml", text))
    problems.add(start, end, "wrong", *hints)
    return render_problem(problems.found[0], text).splitlines()


def test_the_caret_stands_under_the_marked_text() -> None:
    assert picture("one: two\n", 5, 8, "take it out") == [
        "a.yaml:1:6: wrong",
        "  1 | one: two",
        "    |      ^^^ take it out",
    ]


def test_the_gutter_is_as_wide_as_the_line_number() -> None:
    text = "\n" * 99 + "x: y"
    assert picture(text, 99, 100)[1:] == ["  100 | x: y", "      | ^"]


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    text = "漢字 e\u0301: x"
    start = text.index("x")
    assert picture(text, start, start + 1)[2] == "    |         ^"


def test_a_tab_takes_four_columns_in_both_lines() -> None:
    assert picture("\tx", 1, 2)[1:] == ["  1 |     x", "    |     ^"]


def test_control_characters_never_reach_the_terminal() -> None:
    assert "\x1b" not in "".join(picture("a: \x1b[31m", 3, 4))
    assert quoted("a\x1b\nb") == "'a��b'"


def test_a_long_line_is_cut_around_the_mistake() -> None:
    text = "a" * 500 + "X" + "b" * 500
    _, line, caret = picture(text, 500, 501)
    assert len(line) < 110
    assert line[caret.index("^")] == "X"
    assert line.startswith("  1 | …a")
    assert line.endswith("b…")


def test_only_the_first_line_of_a_long_value_is_marked() -> None:
    text = "a: [1,\n  2]\n"
    assert picture(text, 3, 11)[2] == "    |    ^^^"


def test_further_hints_stand_below() -> None:
    assert picture("x", 0, 1, "one", "", "two")[2:] == ["    | ^ one", "  two"]


def test_an_error_lists_its_problems_in_line_order() -> None:
    problems = [Problem("a.yaml", line, 1, 2, f"p{line}") for line in (3, 1, 2)]
    error = ScriptError(problems, "a\nb\nc\n")
    assert [p.message for p in error.problems] == ["p1", "p2", "p3"]
    assert str(error).count("\n\n") == 2


def test_nothing_is_raised_without_a_problem() -> None:
    problems = Problems(Source("a.yaml", ""))
    problems.raise_any()
    problems.add(0, 0, "wrong")
    with pytest.raises(ScriptError):
        problems.raise_any()


@pytest.mark.parametrize(
    ("word", "options", "hint"),
    [
        ("Say", ["say"], "did you mean 'say'?"),
        ("sya", ["say", "think"], "did you mean 'say'?"),
        ("x", list("abcdefgh"), "valid here: a, b, c, d, e, f, g, h"),
        ("x", list("abcdefghi"), "valid here: a, b, c, d, e, f, g, h, ..."),
        ("x", [], ""),
    ],
)
def test_the_closest_name_or_at_most_eight(word: str, options: list[str], hint: str) -> None:
    assert did_you_mean(word, options) == hint
