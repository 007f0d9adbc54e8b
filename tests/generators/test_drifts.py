"""Repetition that is never equal: a value, an order or the end changes."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from itertools import pairwise
from math import factorial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mock_llm.generators import generate
from mock_llm.generators.figures import paragraphs_of
from mock_llm.generators.writers import SCRIPTS, gap_of, language_of

seed_numbers = st.integers(0, 2**32)
scripts = st.sampled_from(SCRIPTS)
some = settings(max_examples=30, deadline=None)
VALUES = {
    "counter": re.compile(r"\b\d+\b"),
    "timestamp": re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"),
    "uuid": re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "hex": re.compile(r"\b[0-9a-f]{12}\b"),
}


def make(name: str, seed: int, **values: Any) -> list[str]:
    return paragraphs_of(generate(name, {"seed": seed, **values}))


@pytest.mark.parametrize("kind", VALUES)
@some
@given(seed=seed_numbers, script=scripts)
def test_a_drift_changes_one_value_and_nothing_else(kind: str, seed: int, script: str) -> None:
    paragraphs = make("drift", seed, kind=kind, script=script, repeats=50)
    values = [VALUES[kind].findall(paragraph) for paragraph in paragraphs]
    assert [len(found) for found in values] == [1] * 50
    assert len({found[0] for found in values}) == 50
    assert len({VALUES[kind].sub("", paragraph) for paragraph in paragraphs}) == 1


def test_a_counter_counts_from_1_and_a_timestamp_only_grows() -> None:
    counters = [VALUES["counter"].findall(each)[0] for each in make("drift", 2, repeats=12)]
    assert counters == [str(number) for number in range(1, 13)]
    stamps = [VALUES["timestamp"].findall(each)[0] for each in make("drift", 2, kind="timestamp")]
    assert sorted(set(stamps)) == stamps
    assert all(datetime.fromisoformat(stamp) for stamp in stamps)


@some
@given(seed=seed_numbers, script=scripts, clauses=st.integers(2, 6))
def test_a_reorder_keeps_the_clauses_and_never_the_order(seed: int, script: str, clauses: int) -> None:
    repeats = min(factorial(clauses), 24)
    paragraphs = make("clause-reorder", seed, script=script, clauses=clauses, repeats=repeats)
    assert len(set(paragraphs)) == len(paragraphs) == repeats
    assert len({len(paragraph) for paragraph in paragraphs}) == 1
    assert len({tuple(sorted(Counter(paragraph.lower()).items())) for paragraph in paragraphs}) == 1


def test_more_orders_than_there_are_is_refused() -> None:
    with pytest.raises(ValueError, match="3 clauses have 6 orders, not 7; take more 'clauses'"):
        make("clause-reorder", 1, clauses=3, repeats=7)


@pytest.mark.parametrize("by", ["sentence", "word"])
@some
@given(seed=seed_numbers, script=scripts, steps=st.integers(2, 30))
def test_a_prefix_grows_by_one_at_every_step(by: str, seed: int, script: str, steps: int) -> None:
    paragraphs = make("growing-prefix", seed, script=script, by=by, steps=steps)
    assert len(paragraphs) == steps
    gap = gap_of(script)
    for shorter, longer in pairwise(paragraphs):
        assert longer.startswith(shorter + gap)
        added = longer.removeprefix(shorter + gap)
        if by == "word":
            assert len(added.split(gap) if gap else added) == 1
        else:
            language = language_of(script)
            assert added.endswith(language.stop if language else ".")
    if by == "word":
        assert len(paragraphs[0].split(gap) if gap else paragraphs[0]) == (10 if gap else 30)


@some
@given(seed=seed_numbers, phrases=st.integers(2, 20))
def test_a_shuffle_says_a_few_sentences_in_no_order(seed: int, phrases: int) -> None:
    text = generate("phrase-shuffle", {"seed": seed, "phrases": phrases, "units": "line"})
    lines = text.splitlines()
    assert len(lines) == 120
    assert 2 <= len(set(lines)) <= phrases
    assert text.replace("\n", " ") == generate("phrase-shuffle", {"seed": seed, "phrases": phrases})
