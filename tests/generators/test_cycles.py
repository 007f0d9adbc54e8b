"""Exact repetition: cycles of any period in any script, pairs, lines and short pieces."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.detectors.guard import Guard
from mock_llm.generators import generate
from mock_llm.generators.figures import paragraphs_of, period_of
from mock_llm.generators.sentences import similarity
from mock_llm.generators.writers import SCRIPTS, units_of

seed_numbers = st.integers(0, 2**32)
scripts = st.sampled_from(SCRIPTS)
some = settings(max_examples=40, deadline=None)


def make(name: str, seed: int, **values: Any) -> str:
    return generate(name, {"seed": seed, **values})


@some
@given(
    seed=seed_numbers,
    script=scripts,
    units=st.sampled_from(("sentence", "line", "paragraph")),
    period=st.integers(1, 30),
    repeats=st.integers(1, 5),
)
def test_a_cycle_of_any_period_repeats_to_the_character(
    seed: int, script: str, units: str, period: int, repeats: int
) -> None:
    once = make("cycle", seed, script=script, units=units, period=period, repeats=1)
    text = make("cycle", seed, script=script, units=units, period=period, repeats=repeats)
    assert text == once * repeats
    assert period_of(once * 2) == len(once), "the smallest period"
    ends = {"sentence": None, "line": "\n", "paragraph": "\n\n"}
    if end := ends[units]:
        parts = once.split(end)[:-1]
        assert len(set(parts)) == len(parts) == period
        sets = [units_of(part, script) for part in parts]
        assert all(similarity(sets[i], sets[j]) < 0.4 for i in range(period) for j in range(i))
    else:
        assert "\n" not in text


@some
@given(seed=seed_numbers, script=scripts, period=st.integers(1, 500))
def test_a_cycle_of_characters_has_exactly_that_period(seed: int, script: str, period: int) -> None:
    text = make("cycle", seed, script=script, units="characters", period=period, repeats=3)
    assert len(text) == 3 * period
    assert period_of(text) == period


@pytest.mark.parametrize("chars", [454, 600, 2500, 14_400])
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_cycle_can_have_an_exact_length(seed: int, chars: int) -> None:
    period = max(3, chars // 130)
    assert len(make("cycle", seed, period=period, chars=chars, repeats=2)) == 2 * chars


@some
@given(seed=seed_numbers, script=scripts, repeats=st.integers(2, 20))
def test_a_pair_takes_turns(seed: int, script: str, repeats: int) -> None:
    parts = paragraphs_of(make("alternating-pair", seed, script=script, repeats=repeats))
    assert parts == parts[:2] * repeats
    assert parts[0] != parts[1]


@some
@given(seed=seed_numbers, script=scripts, period=st.integers(1, 4), repeats=st.integers(2, 20))
def test_a_line_cycle_has_no_blank_line(seed: int, script: str, period: int, repeats: int) -> None:
    lines = make("line-cycle", seed, script=script, period=period, repeats=repeats).splitlines()
    assert lines == lines[:period] * repeats
    assert len(set(lines)) == period
    assert all(lines)


@some
@given(seed=seed_numbers, script=scripts, period=st.integers(2, 64), chars=st.integers(200, 900))
def test_a_short_period_is_exact_and_no_guard_takes_it_for_data(
    seed: int, script: str, period: int, chars: int
) -> None:
    text = make("short-period", seed, script=script, period=period, chars=chars)
    assert len(text) == chars
    assert period_of(text) == period
    finding = Guard().feed(0, "text", text + text[:period] * 40)
    assert finding
    assert finding.mechanism == "short-period"


def test_a_piece_can_be_given() -> None:
    assert make("short-period", 1, unit="ha ", chars=10) == "ha ha ha h"


def test_a_cycle_of_characters_has_no_second_length() -> None:
    with pytest.raises(ValueError, match="a cycle of 7 characters cannot have 9; leave 'chars' out"):
        make("cycle", 1, units="characters", chars=9)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("units", ["line", "paragraph"])
def test_an_escaped_loop_decodes_to_a_cycle(units: str, depth: int, script: str) -> None:
    text = make("json-escaped-loop", 3, units=units, depth=depth, period=2, repeats=5, script=script)
    assert "\n" not in text
    assert text.count("\\") > 0
    for _ in range(depth - 1):
        text = json.loads(text)["arguments"]
    value = json.loads(text)
    assert value["content"] == make("cycle", 3, units=units, period=2, repeats=5, script=script)


@pytest.mark.parametrize("depth", [1, 2])
def test_an_escaped_loop_can_consist_of_entries_and_break_off(depth: int) -> None:
    closed, broken = (
        make("json-escaped-loop", 3, form="array", depth=depth, closed=closed) for closed in (True, False)
    )
    assert closed.startswith(broken)
    with pytest.raises(json.JSONDecodeError):
        json.loads(broken)
    inner = json.loads(closed)["arguments"] if depth == 2 else closed
    items = json.loads(inner)["items"]
    assert items == items[:2] * 12
    assert items[0] != items[1]
