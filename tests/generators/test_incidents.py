"""The two public incidents: their published figures, and what the published rules say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.detectors.guard import Guard
from harness.detectors.mechanisms import PUBLISHED
from mock_llm.generators import generate
from mock_llm.generators.figures import figures_of, paragraphs_of

seeds = given(seed=st.integers(0, 2**32))
some = settings(max_examples=20, deadline=None)


@some
@seeds
def test_incident_1_tells_seven_paragraphs_about_nine_times_in_38193_characters(seed: int) -> None:
    text = generate("incident-1", {"seed": seed})
    paragraphs = paragraphs_of(text)
    assert figures_of(text) == (38_193, 64, 7, 10, 4177)
    assert paragraphs == paragraphs[:7] * 9 + paragraphs[:1]
    assert text.endswith(".\n\n")


@some
@seeds
def test_the_tail_of_incident_2_has_the_published_figures(seed: int) -> None:
    text = generate("incident-2", {"seed": seed})
    paragraphs = paragraphs_of(text)
    assert figures_of(text)[1:] == (315, 112, 2, 14_400)
    assert paragraphs[114:] == paragraphs[:-114]


@some
@seeds
def test_only_the_density_rule_sees_incident_2_after_1935_characters(seed: int) -> None:
    text = generate("incident-2", {"seed": seed})
    finding = Guard().feed(0, "text", text)
    assert finding
    assert (finding.mechanism, finding.fired_at) == ("near-duplicate-paragraphs", 1935)
    assert Guard(profile=PUBLISHED.without("near-duplicate-paragraphs")).feed(0, "text", text) is None


@pytest.mark.parametrize("seed", range(1, 6))
def test_the_whole_of_incident_2_begins_with_paraphrases_that_never_come_again(seed: int) -> None:
    whole, tail = (generate("incident-2", {"seed": seed, "part": part}) for part in ("whole", "tail"))
    assert whole.endswith(tail)
    before = paragraphs_of(whole.removesuffix(tail))
    assert len(set(before)) == len(before) == 30
    assert not set(before) & set(paragraphs_of(tail))
