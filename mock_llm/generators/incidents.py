"""Two public incidents of a coding agent, made anew so that every published figure of them holds.

Source: detectors.md, "Figures to reproduce" (2026-09-03 and 2026-09-16). The words are our own.
"""

from __future__ import annotations

from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from mock_llm.generators.cycles import distinct
from mock_llm.generators.generator import Generator, Parameters, by_name, joined
from mock_llm.generators.planning import PLANNING, PLANS, Plan
from mock_llm.generators.sentences import Unlike, dice_of, different, similarity, words_of
from mock_llm.generators.vocabulary import EMPHASES, INTENTIONS
from mock_llm.generators.writers import LanguageProse
from mock_llm.shape import Enum, Field, Record

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

_BLANK_LINE = 2
_TRIES = 4
_LAST, _LAST_TRIES = 8, 24
_PATIENCE = 20_000

# Incident 1: nine cycles and the first paragraph once more are 9 x 4,177 + 600 = 38,193 characters.
_CYCLE_CHARS = 4177
_FIRST_CHARS = 600
_CYCLES = 9
_PARAGRAPHS = 7
_UNLIKE = 0.4

# Incident 2: seven different actions, then eight restatements; the eighth ends at character 1,935.
_ECHO = 0.5
_LOOKBACK = 32
_START, _START_CHARS = 15, 1935
_LONG_CYCLE, _LONG_CYCLE_CHARS = 114, 14_400
_TAIL = 315
_TWINS = (40, 80)  # paragraphs that repeat one of the 39 before, each another one
_PARAPHRASES = 30

_words_of = lru_cache(_LOOKBACK)(words_of)


def incident_1(_parameters: Parameters, seed: int) -> str:
    """Seven paragraphs of planning, about nine times, until the user stopped it."""
    writer = LanguageProse(dice_of(seed), PLANNING)
    known = Unlike(_UNLIKE)
    first = _FIRST_CHARS - _BLANK_LINE
    known.add(known.draw(partial(writer.passage, first), first))
    cycle = distinct(
        writer, known, _PARAGRAPHS - 1, gap=_BLANK_LINE, usual=0, chars=_CYCLE_CHARS - _FIRST_CHARS
    )
    return joined(cycle * _CYCLES + cycle[:1])


def incident_2(parameters: Parameters, seed: int) -> str:
    """Paraphrases, then a cycle too long for a ring of 64 paragraphs."""
    dice = dice_of(seed)
    cycle = _long_cycle(dice)
    tail = (cycle * (_TAIL // len(cycle) + 1))[:_TAIL]
    if parameters.get("part") != "whole":
        return joined(tail)
    new = [text for text in different(lambda: _any(dice), _LONG_CYCLE + _PARAPHRASES) if text not in cycle]
    return joined(new[:_PARAPHRASES] + tail)


def _long_cycle(dice: Random) -> list[str]:
    cycle: list[str] = []
    for i, plan in enumerate(dice.sample(PLANS, len(PLANS))):
        _append(cycle, partial(_announce, dice, plan), _START_CHARS, _START - i)
    while len(cycle) < _START:
        _append(cycle, lambda: _any(dice), _START_CHARS, _START - len(cycle), echoes=True)
    while len(cycle) < _LONG_CYCLE:
        if len(cycle) in _TWINS:
            cycle.append(cycle[-dice.randint(10, 39)])
        else:
            _append(cycle, lambda: _any(dice), _LONG_CYCLE_CHARS, _LONG_CYCLE - len(cycle), echoes=True)
    return cycle


def _append(
    cycle: list[str], make: Callable[[], str], chars: int, left: int, *, echoes: bool = False
) -> None:
    """Add a new paragraph, the first of ``left`` that bring the cycle to ``chars`` characters."""
    rest = chars - len(joined(cycle))
    wanted = rest / left - _BLANK_LINE

    def is_fit(text: str) -> bool:
        if text in cycle or (left == 1 and len(text) != wanted):
            return False
        words = words_of(text)
        return echoes == any(similarity(words, _words_of(other)) >= _ECHO for other in cycle[-_LOOKBACK:])

    # The nearer the end, the closer to the mean, so that the last one has a length that sentences have.
    tries = 1 if left == 1 else _TRIES if left > _LAST else _LAST_TRIES
    fit = list(islice(filter(is_fit, islice(iter(make, ""), _PATIENCE)), tries))
    if not fit:
        raise ValueError(f"the vocabulary gives no new paragraph after {len(cycle)}; take another seed")
    cycle.append(min(fit, key=lambda text: abs(len(text) - wanted)))


def _any(dice: Random) -> str:
    return _announce(dice, dice.choice(PLANS))


def _announce(dice: Random, plan: Plan) -> str:
    verb, emphasis = dice.choice(plan.verbs), dice.choice(EMPHASES)
    return f"{dice.choice(INTENTIONS)} {verb} {plan.thing} {emphasis} {dice.choice(plan.purposes)}."


GENERATORS = by_name(
    Generator(
        "incident-1",
        Record(
            "incident 1",
            {},
            "The public incident of 2026-09-03: a plan told about nine times in one message.",
        ),
        incident_1,
        "Exactly 38,193 characters: 64 paragraphs, 7 distinct, in a cycle of 4,177 characters that comes nine"
        " times and begins once more. The seven share less than 0.4 of their words.",
    ),
    Generator(
        "incident-2",
        Record(
            "incident 2",
            {
                "part": Field(
                    Enum(("tail", "whole"), "What was captured, or that with paraphrases before it."),
                    default="tail",
                )
            },
            "The public incident of 2026-09-16: paraphrases that settle into a cycle of 114 paragraphs.",
        ),
        incident_2,
        "The tail (the whole has 30 other paragraphs before it): 315 paragraphs, 112 distinct,"
        " at most 2 equal ones inside a ring of 64; a cycle of 114 paragraphs and exactly 14,400 characters."
        " Its paragraphs 8 to 15 are the first to share half of their words with an earlier one, and the 15th"
        " ends at character 1,935.",
    ),
)
