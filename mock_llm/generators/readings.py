"""Texts for people that repeat by their form: glossary, song, quiz. Healthy all the same."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from mock_llm.generators.generator import Generator, Parameters, by_name, joined
from mock_llm.generators.knowledge import CAPITALS, CHORUSES, COUPLETS, ELEMENTS, TERMS
from mock_llm.generators.sentences import dice_of, different
from mock_llm.shape import Enum, Field, Int, Record

if TYPE_CHECKING:
    from random import Random

_LETTERS = "ABCD"
_SUMS = ("Work out", "Simplify", "Write as one fraction", "Find the value of", "Compute", "Evaluate")
_FACTS = tuple(
    [
        (f"What is the capital of {country}?", city, tuple(CAPITALS.values()))
        for country, city in CAPITALS.items()
    ]
    + [
        (f"Which element has the symbol {sign}?", name, tuple(ELEMENTS.values()))
        for sign, name in ELEMENTS.items()
    ]
)


def glossary(parameters: Parameters, seed: int) -> str:
    """Terms with their definitions, in the order of the alphabet."""
    chosen = sorted(dice_of(seed).sample(sorted(TERMS), parameters["terms"]))
    return joined([f"**{term}** (noun): {TERMS[term]}." for term in chosen])


def lyrics(parameters: Parameters, seed: int) -> str:
    """A song: verses, and after each the same chorus."""
    dice, verses = dice_of(seed), parameters["verses"]
    chorus, couplets = dice.choice(CHORUSES), dice.sample(COUPLETS, 2 * verses)
    parts = []
    for at in range(0, 2 * verses, 2):
        parts += ["\n".join(couplets[at : at + 2]), chorus]
    return joined(parts)


def quiz(parameters: Parameters, seed: int) -> str:
    """Questions with four answers of which one is right."""
    dice, count = dice_of(seed), parameters["questions"]
    if parameters.get("kind") == "fractions":
        questions = different(lambda: _sum(dice), count)
    elif count > len(_FACTS):
        raise ValueError(f"'facts' has {len(_FACTS)} questions, not {count}; take 'fractions'")
    else:
        questions = [_fact(dice, *fact) for fact in dice.sample(_FACTS, count)]
    return joined([f"{number}. {question}" for number, question in enumerate(questions, 1)])


def _fact(dice: Random, question: str, right: str, answers: tuple[str, ...]) -> str:
    wrong = dice.sample([answer for answer in answers if answer != right], 3)
    return _asked(dice, question, right, wrong)


def _sum(dice: Random) -> str:
    """A question about two fractions, in LaTeX."""
    left, right = (Fraction(dice.randint(1, 19), dice.randint(2, 24)) for _ in range(2))
    sign, value = dice.choice(
        (("+", left + right), ("-", left - right), (r"\cdot", left * right), (":", left / right))
    )
    wrong = {
        left + right,
        left - right,
        left * right,
        left / right,
        right / left,
        value + 1,
        value + 2,
        value + 3,
    }
    question = f"{dice.choice(_SUMS)} ${_tex(left)} {sign} {_tex(right)}$."
    return _asked(dice, question, _tex(value), [_tex(each) for each in sorted(wrong - {value})[:3]])


def _tex(value: Fraction) -> str:
    return rf"\frac{{{value.numerator}}}{{{value.denominator}}}"


def _asked(dice: Random, question: str, right: str, wrong: list[str]) -> str:
    answers = dice.sample([right, *wrong], len(_LETTERS))
    lines = [f"   {letter}) {answer}" for letter, answer in zip(_LETTERS, answers, strict=True)]
    return "\n".join([question, *lines, f"   Answer: {_LETTERS[answers.index(right)]}"])


GENERATORS = by_name(
    Generator(
        "glossary",
        Record(
            "a glossary",
            {"terms": Field(Int("How many terms.", 1, len(TERMS)), default=24)},
            "Terms of computing with their definitions.",
        ),
        glossary,
        f"'terms' paragraphs, no two equal, in the order of the alphabet; at most {len(TERMS)}.",
    ),
    Generator(
        "lyrics",
        Record(
            "a song",
            {"verses": Field(Int("How many verses.", 1, len(COUPLETS) // 2), default=4)},
            "A song: verses of four lines, and after each the same chorus of four lines.",
        ),
        lyrics,
        "2 x 'verses' paragraphs, 'verses' + 1 of them distinct: the chorus comes after each verse.",
    ),
    Generator(
        "quiz",
        Record(
            "a quiz",
            {
                "questions": Field(Int("How many questions.", 1, 5000), default=20),
                "kind": Field(
                    Enum(("facts", "fractions"), "Capitals and elements, or sums in LaTeX."), default="facts"
                ),
            },
            "Numbered questions, each with four answers and the right letter.",
        ),
        quiz,
        "'questions' paragraphs of six lines, no two questions equal; the four answers differ and the letter"
        f" is that of the right one. There are {len(_FACTS)} facts.",
    ),
)
