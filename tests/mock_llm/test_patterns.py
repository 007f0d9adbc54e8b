"""Regular expressions of a script end quickly, or are refused when the script is loaded."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm import patterns
from mock_llm.patterns import (
    MAX_SEARCHED,
    RunsAwayError,
    compile_pattern,
    found,
    repeated_twice,
    search,
    substitute,
)

pieces = st.recursive(
    st.sampled_from(["a", "b", r"\w", "[ab]", ".", "ab", ""]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{2}", "{1,}", "*?", "++"])).map(
            lambda t: f"(?:{t[0]}){t[1]}"
        ),
        st.tuples(inner, inner).map("|".join).map(lambda text: f"({text})"),
        st.tuples(inner, inner).map("".join),
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(
    "text", ["(a+)+", r"(\w+\s?)*$", "(?:a|b+)+c", "((?:x*)y?)+", "(a{2,})*", "(?:(a*)b?)+", "(a{,})*"]
)
def test_a_repeated_repetition_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="repeats what repeats already"):
        compile_pattern(text)


@pytest.mark.parametrize(
    "text", [r"(\w+,)*", "(a++)+", "(?>a+)+", "(ab)+c*", r"\(a+\)+", "[(a+)+]+", "(?i)stop"]
)
def test_an_ordinary_pattern_is_taken(text: str) -> None:
    assert compile_pattern(text).pattern == text


@pytest.mark.parametrize("text", ["(", "[a", "*a", "a{99999999999}", "(?P<a>"])
def test_what_is_no_pattern_says_why(text: str) -> None:
    with pytest.raises(ValueError, match="not a regular expression"):
        compile_pattern(text)


@given(pieces, st.text(alphabet="ab1", max_size=30))
def test_whatever_is_taken_means_what_re_says(text: str, searched: str) -> None:
    try:
        pattern = compile_pattern(text)
    except ValueError:
        return
    assert found(pattern, searched) == (re.search(text, searched) is not None)


def test_of_a_long_text_both_ends_are_searched() -> None:
    text = "x" * MAX_SEARCHED
    assert found(re.compile("START"), f"START{text}{text}")
    assert found(re.compile("END$"), f"{text}{text}END")
    assert not found(re.compile("MIDDLE"), f"{text}MIDDLE{text}")


@pytest.mark.parametrize("text", ["", "a", "(a)", "a|b", "(?#note)a+", "(?P<n>a)(?P=n)+", "(?<=a+)b"])
def test_a_pattern_without_a_repeated_repetition_has_none(text: str) -> None:
    assert repeated_twice(text) == ""


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "LIMIT_S", 0.02)


@pytest.mark.usefixtures("soon")
def test_a_search_that_does_not_end_is_ended_and_says_what_to_do() -> None:
    with pytest.raises(RunsAwayError) as caught:
        search(re.compile("^(a|a)*$"), "a" * 40 + "b")
    assert str(caught.value) == (
        "the regular expression /^(a|a)*$/ had no result after 0.02 s of work on 41 characters; "
        "let no two parts of it take the same text, such as 'a*' for '(a|a)*'"
    )
    with pytest.raises(RunsAwayError):
        substitute(re.compile("^(a|a)*$"), lambda match: match[0], "a" * 40 + "b")


@given(pieces, st.text(alphabet="ab1", max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_a_part_of_a_text_is_searched_as_re_searches_it(text: str, searched: str, one: int, two: int) -> None:
    start, end = sorted((one, two))
    try:
        pattern = compile_pattern(text)
    except ValueError:
        return
    ours, theirs = search(pattern, searched, start, end), pattern.search(searched, start, end)
    assert (ours and ours.span()) == (theirs and theirs.span())


@given(pieces, st.text(alphabet="ab1", max_size=30))
def test_what_is_replaced_is_what_re_replaces(text: str, searched: str) -> None:
    try:
        pattern = compile_pattern(text)
    except ValueError:
        return

    def marked(match: re.Match[str]) -> str:
        return f"<{match[0]}>"

    assert substitute(pattern, marked, searched) == pattern.sub(marked, searched)


@pytest.mark.parametrize(
    "text", ["(a){e}", "a{i<2}(b)", "{}(a)?", "(a){,}", r"\N{DIGIT ONE}(a)", r"[{e}](a)"]
)
def test_a_brace_that_counts_nothing_is_itself(text: str) -> None:
    pattern = compile_pattern(text)
    for searched in ("a", "b", "ab", "a{e}", "a{i<2}b", "{}a", "1a", "ea"):
        ours, theirs = search(pattern, searched), re.search(text, searched)
        assert (ours and ours.span()) == (theirs and theirs.span()), searched
