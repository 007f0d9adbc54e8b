"""Texts are made in linear time: a few times longer costs a few times more, and a megabyte no wait."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from mock_llm.generators import GENERATORS, generate

if TYPE_CHECKING:
    from types import FrameType

# The parameter that makes a text longer, two values of it with one ten times the other, and what else to set.
GROWING: dict[str, tuple[str, int, dict[str, Any]]] = {
    "paragraph-loop": ("cycles", 20, {}),
    "long-cycle": ("cycles", 20, {}),
    "cycle": ("period", 100, {"repeats": 1}),
    "alternating-pair": ("repeats", 50, {}),
    "line-cycle": ("repeats", 50, {}),
    "short-period": ("chars", 2000, {}),
    "drift": ("repeats", 50, {}),
    "clause-reorder": ("repeats", 50, {"clauses": 7}),
    "phrase-shuffle": ("repeats", 100, {}),
    "character-flood": ("chars", 2000, {}),
    "whitespace-flood": ("chars", 2000, {"kind": "mixed"}),
    "separator-flood": ("chars", 2000, {}),
    "control-token-leak": ("count", 100, {}),
    "json-escaped-loop": ("repeats", 50, {}),
    "item-list": ("items", 100, {}),
    "prose": ("paragraphs", 100, {}),
    "table": ("rows", 200, {}),
    "changelog": ("releases", 30, {}),
    "api-docs": ("endpoints", 50, {}),
    "quiz": ("questions", 200, {"kind": "fractions"}),
    "json-array": ("items", 100, {}),
    "sql-inserts": ("rows", 200, {}),
    "svg": ("elements", 200, {}),
    "test-log": ("tests", 200, {}),
    "base64": ("bytes", 5000, {}),
    "code": ("functions", 100, {}),
    "diff": ("files", 100, {}),
}
# A text of one size, one that is a part of a list, and one that is longer than its parameter squared.
FIXED = {"paraphrase", "incident-1", "incident-2", "item-step", "glossary", "lyrics", "growing-prefix"}


def calls_of(name: str, values: dict[str, Any]) -> int:
    """How many Python and C functions the making of a text calls: time without a clock."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        generate(name, values)
    finally:
        sys.setprofile(None)
    return calls


def test_every_generator_that_can_grow_is_measured() -> None:
    assert set(GROWING) | FIXED == set(GENERATORS)


@pytest.mark.parametrize("name", GROWING)
def test_a_text_ten_times_as_long_takes_at_most_fifteen_times_the_calls(name: str) -> None:
    parameter, size, values = GROWING[name]
    generate(name, values)  # so that its module is loaded
    short, long = (calls_of(name, {**values, parameter: count}) for count in (size, 10 * size))
    assert long <= 15 * short
