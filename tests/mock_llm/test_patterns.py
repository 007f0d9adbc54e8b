"""Regular expressions of a script end quickly, or are refused when the script is loaded."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm.patterns import MAX_SEARCHED, compile_pattern, found, repeated_twice

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
    "text", ["(a+)+", r"(\w+\s?)*$", "(?:a|b+)+c", "((?:x*)y?)+", "(a{2,})*", "(?:(a*)b?)+"]
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
