"""Secrets never come out, wherever the text was cut."""

from __future__ import annotations

import itertools
import json
from html import escape
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from harness.redact import MaskedStream, Masks
from mock_llm.dialects.fields import MOST_LEVELS

SECRETS = Masks({"abcd": "[1]", "cdefg": "[2]", "abcdef": "[3]", "bbbb": "[4]", "ab": "[never]"})
texts = st.text(alphabet="abcdefg.", max_size=60)


@given(texts, st.lists(st.integers(0, 60), max_size=6))
def test_where_a_text_was_cut_never_changes_what_comes_out(text: str, cuts: list[int]) -> None:
    stream = MaskedStream(SECRETS)
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[a:b] for a, b in itertools.pairwise(bounds)]
    out = "".join(stream.feed(piece) for piece in pieces) + stream.finish()
    assert out == SECRETS.apply(text)


@given(texts)
def test_no_secret_of_four_characters_or_more_is_left(text: str) -> None:
    masks = Masks({"abcd": "#", "gfed": "#"})
    assert "abcd" not in masks.apply(text)
    assert "gfed" not in masks.apply(text)


def test_the_longer_secret_wins_where_two_begin() -> None:
    assert SECRETS.apply("xabcdefy") == "x[3]y"


def test_a_short_value_is_left_alone() -> None:
    assert SECRETS.apply("ab") == "ab"


def test_a_secret_is_masked_too_as_json_writes_it() -> None:
    masks = Masks({'pass"word\\é': "[KEY]"})
    for is_ascii in (True, False):
        assert masks.apply(json.dumps('a pass"word\\é z', ensure_ascii=is_ascii)) == '"a [KEY] z"'


def test_a_value_of_json_stays_one_whatever_the_secrets_are() -> None:
    """Digits, the name of a field, and what follows a backslash in JSON."""
    masks = Masks(
        {"12345": "[PIN]", "model": "[NAME]", "othing": "[WORD]", "/home/me": "~", "sk-1234": "[KEY]"}
    )
    value = {"at": 0.123456, "model": "model", "sk-1234": None, "said": ["\r\nothing", {"/home/me/a": 12345}]}
    masked = masks.of_value(value)
    assert json.loads(json.dumps(masked)) == {
        "at": 0.123456,
        "model": "[NAME]",
        "[KEY]": None,
        "said": ["\r\n[WORD]", {"~/a": 12345}],
    }


def test_a_value_as_deep_as_a_request_or_a_session_may_be_is_masked() -> None:
    value: Any = "/home/me"
    for _ in range(MOST_LEVELS):
        value = {"a": [value]}
    assert (
        json.dumps(Masks({"/home/me": "~"}).of_value(value))
        == '{"a": [' * MOST_LEVELS + '"~"' + "]}" * MOST_LEVELS
    )


def test_a_secret_is_masked_too_as_a_picture_writes_it() -> None:
    masks = Masks({"a<b>&'c'": "[KEY]"})
    assert masks.apply("<text>a&lt;b&gt;&amp;'c'</text>") == "<text>[KEY]</text>"
    assert masks.apply(escape("x a<b>&'c'")) == "x [KEY]"
