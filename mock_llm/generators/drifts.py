"""Texts that say the same again and again and are never equal: only a value, an order or the end changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from math import factorial
from typing import TYPE_CHECKING

from mock_llm.generators.generator import Generator, Parameters, by_name, joined
from mock_llm.generators.sentences import dice_of
from mock_llm.generators.writers import SCRIPT, gap_of, language_of, script_of, unlike, writer_of
from mock_llm.shape import Enum, Field, Int, Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

_BODY_CHARS = 130
_UNLIKE = 0.4
_START = datetime(2026, 3, 2, 8, 15, tzinfo=UTC)
_FIRST_WORDS = 10
_WORD_CHARS = 3  # where no blanks part words


def drift(parameters: Parameters, seed: int) -> str:
    """One paragraph again and again, in which only one value changes."""
    dice, script = dice_of(seed), script_of(parameters)
    language = language_of(script)
    attempt = language.attempt if language else "attempt {value}"
    body = writer_of(script, dice).passage(_BODY_CHARS)
    values = _values(parameters["kind"], dice)
    frame = f"{attempt[0].upper()}{attempt[1:]}: {body}"
    return joined([frame.replace("{value}", next(values)) for _ in range(parameters["repeats"])])


def _values(kind: str, dice: Random) -> Iterator[str]:
    """Endlessly many values, no two equal."""
    number, time, known = 0, _START, set[str]()
    while True:
        number += 1
        time += timedelta(seconds=dice.randint(1, 90))
        hexes = f"{dice.getrandbits(128):032x}"
        uuid = "-".join((hexes[:8], hexes[8:12], hexes[12:16], hexes[16:20], hexes[20:]))
        value = {
            "counter": str(number),
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "uuid": uuid,
            "hex": hexes[:12],
        }[kind]
        if value not in known:
            known.add(value)
            yield value


def clause_reorder(parameters: Parameters, seed: int) -> str:
    """The same clauses in another order each time."""
    dice, script = dice_of(seed), script_of(parameters)
    count, repeats = parameters["clauses"], parameters["repeats"]
    if repeats > factorial(count):
        raise ValueError(
            f"{count} clauses have {factorial(count)} orders, not {repeats}; take more 'clauses'"
        )
    language, writer = language_of(script), writer_of(script, dice)
    comma, stop = (language.comma, language.stop) if language else (", ", ".")
    known = unlike(script, _UNLIKE)
    for _ in range(count):
        known.add(known.draw(writer.sentence))
    clauses = [_clause(sentence.removesuffix(stop)) for sentence in known.paragraphs]
    paragraphs = []
    for rank in dice.sample(range(factorial(count)), repeats):
        text = comma.join(_permuted(clauses, rank))
        paragraphs.append(f"{text[0].upper()}{text[1:]}{stop}")
    return joined(paragraphs)


def _clause(sentence: str) -> str:
    return f"{sentence[0].lower()}{sentence[1:]}"


def _permuted(items: list[str], rank: int) -> list[str]:
    """The ``rank``-th order of the items."""
    left, order = list(items), []
    for size in range(len(items), 0, -1):
        at, rank = divmod(rank, factorial(size - 1))
        order.append(left.pop(at))
    return order


def growing_prefix(parameters: Parameters, seed: int) -> str:
    """A text begun anew again and again, each time getting a little further."""
    dice, script = dice_of(seed), script_of(parameters)
    steps, gap = parameters["steps"], gap_of(script)
    known, writer = unlike(script, 1.0), writer_of(script, dice)
    if parameters["by"] == "sentence":
        for _ in range(steps):
            known.add(known.draw(writer.sentence))
        return joined([gap.join(known.paragraphs[: step + 1]) for step in range(steps)])
    first = _FIRST_WORDS if gap else _FIRST_WORDS * _WORD_CHARS
    text = ""
    while len(words := _words(text, gap)) < first + steps:
        text = f"{text}{gap}{writer.sentence()}".strip()
    return joined([gap.join(words[: first + step]) for step in range(steps)])


def _words(text: str, gap: str) -> list[str]:
    return text.split(gap) if gap else list(text)


def phrase_shuffle(parameters: Parameters, seed: int) -> str:
    """A few sentences in random order, never in step."""
    dice, script = dice_of(seed), script_of(parameters)
    known, writer = unlike(script, _UNLIKE), writer_of(script, dice)
    for _ in range(parameters["phrases"]):
        known.add(known.draw(writer.sentence))
    end = "\n" if parameters["units"] == "line" else gap_of(script)
    return "".join(f"{dice.choice(known.paragraphs)}{end}" for _ in range(parameters["repeats"]))


GENERATORS = by_name(
    Generator(
        "drift",
        Record(
            "a drift",
            {
                "kind": Field(
                    Enum(("counter", "timestamp", "uuid", "hex"), "What changes."), default="counter"
                ),
                "repeats": Field(Int("How many paragraphs.", 1, 100_000), default=20),
                "script": SCRIPT,
            },
            "The same paragraph again and again, in which only a number, a time or an id changes.",
        ),
        drift,
        "'repeats' paragraphs, no two equal; with the value taken out all are equal. The value stands once,"
        " after the first word or two. A counter counts from 1, a timestamp (UTC, whole seconds) only grows.",
    ),
    Generator(
        "clause-reorder",
        Record(
            "a clause reorder",
            {
                "clauses": Field(Int("Clauses of a paragraph.", 2, 8), default=4),
                "repeats": Field(Int("How many paragraphs.", 1, 5000), default=16),
                "script": SCRIPT,
            },
            "The same clauses in another order each time.",
        ),
        clause_reorder,
        "'repeats' paragraphs, no two equal, all of the same length and of the same clauses.",
    ),
    Generator(
        "growing-prefix",
        Record(
            "a growing prefix",
            {
                "steps": Field(Int("How many paragraphs.", 1, 500), default=14),
                "by": Field(
                    Enum(("sentence", "word"), "What each has more than the last."), default="sentence"
                ),
                "script": SCRIPT,
            },
            "A text begun anew again and again, each time getting a little further.",
        ),
        growing_prefix,
        "'steps' paragraphs, each one the last with one sentence, or one word, more. By words the first has"
        " ten (in Chinese: thirty characters, and one more each).",
    ),
    Generator(
        "phrase-shuffle",
        Record(
            "a phrase shuffle",
            {
                "phrases": Field(Int("How many different sentences.", 2, 60), default=5),
                "repeats": Field(Int("How many sentences in all.", 1, 100_000), default=120),
                "units": Field(
                    Enum(("sentence", "line"), "In one endless line, or one a line."), default="sentence"
                ),
                "script": SCRIPT,
            },
            "A few sentences in random order, so that nothing repeats in step.",
        ),
        phrase_shuffle,
        "'repeats' sentences, at most 'phrases' of them distinct; one endless line, or lines without a blank"
        " one.",
    ),
)
