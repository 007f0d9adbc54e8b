"""What holds for every generator."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from mock_llm.generators import GENERATORS
from mock_llm.generators.sentences import Decks, Prose, Unlike, dice_of, different
from mock_llm.generators.vocabulary import BANKS, CODAS, EMPHASES, INTENTIONS, SENTENCES

every_generator = pytest.mark.parametrize("name", GENERATORS)


def defaults(name: str) -> dict[str, Any]:
    return {key: field.default for key, field in GENERATORS[name].shape.fields.items()}


@every_generator
def test_the_same_seed_gives_the_same_text(name: str) -> None:
    generator = GENERATORS[name]
    assert generator.make(defaults(name), 5) == generator.make(defaults(name), 5)


@every_generator
def test_another_seed_gives_another_text_unless_a_reason_is_given(name: str) -> None:
    generator = GENERATORS[name]
    texts = {generator.make(defaults(name), seed) for seed in range(5, 9)}
    assert len(texts) == (1 if generator.seedless else 4)


def test_texts_do_not_depend_on_the_process() -> None:
    code = "from mock_llm.generators import GENERATORS as G; print(G['prose'].make({'paragraphs': 3}, 9), end='')"
    text = GENERATORS["prose"].make({"paragraphs": 3}, 9)
    for hash_seed in ("1", "2"):
        run = [sys.executable, "-c", code]
        made = subprocess.run(
            run, env={"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True, check=True
        )
        assert made.stdout == text


@every_generator
def test_a_generator_says_what_its_text_is_like(name: str) -> None:
    generator = GENERATORS[name]
    assert generator.name == name
    assert generator.doc.endswith(".")
    assert generator.shape.doc.endswith(".")
    assert generator.make.__doc__
    assert "seed" not in generator.shape.fields


def test_the_word_banks_hold_whole_phrases_and_none_twice() -> None:
    for bank in (*BANKS.values(), SENTENCES, CODAS, INTENTIONS, EMPHASES):
        assert len(set(bank)) == len(bank)
        assert all(phrase == " ".join(phrase.split()) and phrase for phrase in bank)


def test_a_sentence_has_a_capital_a_full_stop_and_no_open_slot() -> None:
    prose = Prose(dice_of(3))
    for _ in range(500):
        sentence = prose.sentence()
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert not set("{}") & set(sentence)


def test_no_template_comes_back_before_all_were_used() -> None:
    decks = Decks(dice_of(3))
    templates = [decks.draw("sentence", SENTENCES) for _ in range(2 * len(SENTENCES))]
    assert set(templates[: len(SENTENCES)]) == set(templates[len(SENTENCES) :]) == set(SENTENCES)


def test_a_used_up_vocabulary_is_an_error_and_not_an_endless_search() -> None:
    text = Unlike(0.5)
    text.add("the only sentence there is")
    with pytest.raises(ValueError, match="no new paragraph after 1"):
        text.draw(lambda: "the only sentence there is")
    with pytest.raises(ValueError, match="no new paragraph after 1"):
        text.closest(lambda: "the only sentence there is", 20, tries=4)


def test_a_vocabulary_with_too_few_different_texts_is_an_error_too() -> None:
    decks = Decks(dice_of(1))
    assert set(different(lambda: decks.draw("ab", "ab"), 2)) == {"a", "b"}
    with pytest.raises(ValueError, match="no new text after 2, not 3"):
        different(lambda: decks.draw("ab", "ab"), 3)
