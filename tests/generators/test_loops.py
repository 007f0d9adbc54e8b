"""What the loop texts are like, in figures."""

from __future__ import annotations

from itertools import combinations, islice
from typing import Any

import pytest

from mock_llm.generators import GENERATORS
from mock_llm.generators.loops import ENDINGS, OPENERS
from mock_llm.generators.sentences import similarity, words_of
from mock_llm.generators.writers import SCRIPTS, units_of

SEEDS = range(1, 9)


def make(name: str, seed: int = 1, **parameters: Any) -> list[str]:
    """The paragraphs of a generated text, its defaults filled in."""
    shape = GENERATORS[name].shape
    defaults = {key: field.default for key, field in shape.fields.items()}
    text = GENERATORS[name].make({**defaults, **parameters}, seed)
    *paragraphs, end = text.split("\n\n")
    assert end == "", "every paragraph ends in a blank line"
    return paragraphs


def most_equal_in_a_ring(paragraphs: list[str], size: int = 64) -> int:
    """How often the commonest paragraph stands in any stretch of so many."""
    most = 0
    for end in range(1, len(paragraphs) + 1):
        stretch = paragraphs[max(0, end - size) : end]
        most = max(most, stretch.count(paragraphs[end - 1]))
    return most


def pairwise_similarities(paragraphs: list[str]) -> list[float]:
    sets = [words_of(paragraph) for paragraph in paragraphs]
    return [similarity(left, right) for left, right in combinations(sets, 2)]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_paragraph_loop_repeats_a_few_unlike_paragraphs_word_for_word(seed: int) -> None:
    paragraphs = make("paragraph-loop", seed, paragraphs=5, cycles=4)
    cycle = paragraphs[:5]
    assert paragraphs == cycle * 4
    assert len(set(cycle)) == 5
    assert max(pairwise_similarities(cycle)) < 0.4
    assert min(map(len, cycle)) >= 70


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("chars", [454, 500, 620])
def test_a_paragraph_loop_can_have_a_cycle_of_an_exact_length(seed: int, chars: int) -> None:
    paragraphs = make("paragraph-loop", seed, chars=chars)
    assert sum(len(paragraph) + 2 for paragraph in paragraphs) == 3 * chars
    assert len(set(paragraphs)) == 3


def test_an_exact_length_that_no_sentence_has_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no new paragraph of \d+ characters after 1"):
        make("paragraph-loop", paragraphs=2, chars=130)


def test_a_paraphrase_takes_openers_in_turn_and_every_ending_once() -> None:
    paragraphs = make("paraphrase", paragraphs=4, openers=["A b.", "C d."], endings=["e", "f", "g", "h"])
    assert paragraphs == ["A b. e", "C d. f", "A b. g", "C d. h"]


def test_a_paraphrase_has_no_two_equal_paragraphs_yet_says_the_same_again_and_again() -> None:
    paragraphs = make("paraphrase", paragraphs=len(ENDINGS))
    sets = [words_of(paragraph) for paragraph in paragraphs]
    assert len(set(paragraphs)) == len(ENDINGS)
    for (i, left), (j, right) in combinations(enumerate(sets), 2):
        is_same_opener = i % len(OPENERS) == j % len(OPENERS)
        assert (similarity(left, right) >= 0.5) == is_same_opener


def test_a_paraphrase_without_enough_endings_is_refused() -> None:
    with pytest.raises(
        ValueError, match="19 paragraphs need as many endings, but there are 18; take at most 18"
    ):
        make("paraphrase", paragraphs=19)
    with pytest.raises(ValueError, match=r"2 paragraphs need as many .* there are 1; give more 'endings'"):
        make("paraphrase", paragraphs=2, endings=["now"])


def test_a_paraphrase_that_would_repeat_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="paragraphs 1 and 3 would be equal"):
        make("paraphrase", paragraphs=3, openers=["A", "B"], endings=["x", "y", "x"])


@pytest.mark.parametrize("kind", ["restatements", "distinct"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_long_cycle_has_114_paragraphs_and_about_14400_characters(seed: int, kind: str) -> None:
    paragraphs = make("long-cycle", seed, kind=kind, cycles=3)
    cycle = paragraphs[:114]
    assert paragraphs == cycle * 3
    assert len(set(cycle)) == 114
    assert abs(sum(len(paragraph) + 2 for paragraph in cycle) - 14_400) <= 288
    assert most_equal_in_a_ring(paragraphs) == 1
    assert min(map(len, cycle)) >= 64


@pytest.mark.parametrize("seed", SEEDS)
def test_distinct_paragraphs_are_mutually_unlike(seed: int) -> None:
    assert max(pairwise_similarities(make("long-cycle", seed, kind="distinct"))) < 0.4


@pytest.mark.parametrize("seed", SEEDS)
def test_most_restatements_share_half_of_their_words_with_one_of_the_32_before(seed: int) -> None:
    sets = [words_of(paragraph) for paragraph in make("long-cycle", seed)]
    echoes = [
        any(similarity(words, other) >= 0.5 for other in sets[max(0, i - 32) : i])
        for i, words in enumerate(sets)
    ]
    assert sum(echoes) >= 100
    assert sum(islice(echoes, 20)) >= 8


def test_a_length_that_the_sentences_cannot_reach_is_refused() -> None:
    with pytest.raises(ValueError, match=r"114 paragraphs came to \d+ characters, not about 30000"):
        make("long-cycle", chars=30_000)


def test_a_paragraph_comes_twice_in_a_ring_only_when_it_does() -> None:
    assert most_equal_in_a_ring(["a", "b", "a"]) == 2
    assert most_equal_in_a_ring(["a", *"x" * 0, *map(str, range(63)), "a"]) == 1


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_paraphrase_says_three_things_in_any_script(script: str, seed: int) -> None:
    paragraphs = make("paraphrase", seed, script=script)
    assert len(set(paragraphs)) == len(paragraphs) == 15
    sets = [units_of(paragraph, script) for paragraph in paragraphs]
    for (i, left), (j, right) in combinations(enumerate(sets), 2):
        assert (similarity(left, right) >= 0.5) == (i % 3 == j % 3)
