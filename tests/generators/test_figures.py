"""The figures of every generator with its defaults, whatever the seed, and how they are counted."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mock_llm.generators import GENERATORS, generate
from mock_llm.generators.figures import figures_of, paragraphs_of, period_of


class Stated(NamedTuple):
    paragraphs: int
    distinct: int
    most_in_ring: int
    copies: float = 0  # whole periods in the text; 0 when it does not repeat


STATED = {
    "paragraph-loop": Stated(9, 3, 3, 3),
    "paraphrase": Stated(15, 15, 1),
    "long-cycle": Stated(114, 114, 1),
    "cycle": Stated(21, 7, 3, 3),
    "alternating-pair": Stated(12, 2, 6, 6),
    "line-cycle": Stated(1, 1, 1, 12),
    "short-period": Stated(1, 1, 1, 50),
    "drift": Stated(20, 20, 1),
    "clause-reorder": Stated(16, 16, 1),
    "growing-prefix": Stated(14, 14, 1),
    "phrase-shuffle": Stated(1, 1, 1),
    "character-flood": Stated(1, 1, 1, 600),
    "whitespace-flood": Stated(0, 0, 0, 600),
    "separator-flood": Stated(1, 1, 1, 2000),
    "control-token-leak": Stated(2, 2, 1),
    "incident-1": Stated(64, 7, 10, 9),
    "incident-2": Stated(315, 112, 2, 2),
    "json-escaped-loop": Stated(1, 1, 1),
    "item-list": Stated(40, 40, 1),
    "item-step": Stated(1, 1, 1),
    "prose": Stated(12, 12, 1),
    "table": Stated(1, 1, 1),
    "changelog": Stated(85, 52, 10),
    "glossary": Stated(24, 24, 1),
    "lyrics": Stated(8, 5, 4),
    "quiz": Stated(20, 20, 1),
    "json-array": Stated(1, 1, 1),
    "sql-inserts": Stated(1, 1, 1),
    "svg": Stated(1, 1, 1),
    "test-log": Stated(1, 1, 1),
    "base64": Stated(1, 1, 1),
    "code": Stated(20, 20, 1),
    "diff": Stated(1, 1, 1),
}
# What an endpoint returns is one of a few sentences, so how many differ depends on the seed.
VARYING = {"api-docs"}


def test_every_generator_is_held_to_its_figures() -> None:
    assert set(STATED) | VARYING == set(GENERATORS)


@pytest.mark.parametrize("name", STATED)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_figures_hold_for_every_seed(name: str, seed: int) -> None:
    text = generate(name, {"seed": seed})
    figures, stated = figures_of(text), STATED[name]
    assert (figures.paragraphs, figures.distinct, figures.most_in_ring) == stated[:3]
    assert (len(text) // figures.period if figures.period else 0) == stated.copies


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), endpoints=st.integers(1, 40))
def test_an_api_reference_has_three_paragraphs_for_each_endpoint(seed: int, endpoints: int) -> None:
    paragraphs = paragraphs_of(generate("api-docs", {"seed": seed, "endpoints": endpoints}))
    assert len(paragraphs) == 3 * endpoints
    assert len(set(paragraphs[::3])) == endpoints
    assert len(set(paragraphs[2::3])) <= 20


@given(unit=st.text("ab", min_size=1, max_size=9), repeats=st.integers(0, 4), cut=st.integers(0, 9))
def test_the_period_is_the_smallest_shift_that_leaves_the_text_alike(
    unit: str, repeats: int, cut: int
) -> None:
    text = unit * repeats + unit[:cut]
    shifts = (p for p in range(1, len(text) // 2 + 1) if text[p:] == text[:-p])
    assert period_of(text) == next(shifts, 0)


def test_paragraphs_are_parted_by_blank_lines_only() -> None:
    assert paragraphs_of("\n\n a\nb\n \t\n\n  c\r\n\r\nd\n\n") == [" a\nb", "c", "d"]
    assert paragraphs_of("") == paragraphs_of(" \n\n\n") == []


def test_the_commonest_paragraph_is_counted_inside_a_ring_of_64() -> None:
    others = [f"{number}\n\n" for number in range(63)]
    assert figures_of("".join(["a\n\n", *others[:62], "a\n\n"])).most_in_ring == 2
    assert figures_of("".join(["a\n\n", *others, "a\n\n"])).most_in_ring == 1
