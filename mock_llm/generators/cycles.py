"""Texts that repeat exactly: a cycle of any length, its short forms, and two paragraphs in turn."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from mock_llm.generators.generator import Generator, Parameters, by_name
from mock_llm.generators.sentences import dice_of
from mock_llm.generators.writers import SCRIPT, Writer, gap_of, script_of, unlike, writer_of
from mock_llm.shape import Enum, Field, Int, Record, Str

if TYPE_CHECKING:
    from random import Random

    from mock_llm.generators.sentences import Unlike

_UNLIKE = 0.4
_LOOKBACK = 70
_ENDS = {"line": "\n", "paragraph": "\n\n"}
_USUAL_CHARS = {"sentence": 0, "line": 0, "paragraph": 150}


def cycle(parameters: Parameters, seed: int) -> str:
    """The same sentences, lines, paragraphs or characters again and again."""
    dice, script = dice_of(seed), script_of(parameters)
    kind, period, chars = parameters["units"], parameters["period"], parameters["chars"]
    if kind == "characters":
        if chars not in {None, period}:
            raise ValueError(f"a cycle of {period} characters cannot have {chars}; leave 'chars' out")
        return primitive(dice, script, period) * int(parameters["repeats"])
    end = gap_of(script) if kind == "sentence" else _ENDS[kind]
    known = unlike(script, _UNLIKE, _LOOKBACK)
    writer = writer_of(script, dice)
    units = distinct(writer, known, period, gap=len(end), usual=_USUAL_CHARS[kind], chars=chars)
    return "".join(f"{unit}{end}" for unit in units) * int(parameters["repeats"])


def alternating_pair(parameters: Parameters, seed: int) -> str:
    """Two paragraphs, lines or sentences in turn."""
    return cycle({**parameters, "period": 2, "chars": None}, seed)


def line_cycle(parameters: Parameters, seed: int) -> str:
    """One to four lines again and again."""
    return cycle({**parameters, "units": "line", "chars": None}, seed)


def short_period(parameters: Parameters, seed: int) -> str:
    """A piece of a few characters again and again, cut at an exact length."""
    unit, chars = parameters["unit"], parameters["chars"]
    if unit is None:
        unit = _spoken(dice_of(seed), script_of(parameters), parameters["period"])
    return str(unit * (chars // len(unit) + 1))[:chars]


def distinct(
    writer: Writer, known: Unlike, count: int, *, gap: int, usual: float, chars: int | None
) -> list[str]:
    """So many texts that are unlike one another.

    Args:
        writer: Writes them.
        known: Decides what is unlike, and takes them in.
        count: How many.
        gap: Characters that stand after each.
        usual: About how long each is, when ``chars`` is None; one sentence at least.
        chars: The exact length of all of them with their gaps.

    Raises:
        ValueError: If no texts of that length can be found.
    """
    used = 0
    for left in range(count, 0, -1):
        wanted = usual if chars is None else (chars - used) / left - gap
        length = round(wanted) if chars is not None and left == 1 else None
        known.add(known.draw(partial(writer.passage, wanted), length))
        used += len(known.paragraphs[-1]) + gap
    return known.paragraphs


def primitive(dice: Random, script: str, period: int) -> str:
    """The first ``period`` characters of a text, which are no shorter text repeated."""
    writer = writer_of(script, dice)
    while True:
        text = writer.sentence()
        while len(text) < period:
            text = f"{text}{gap_of(script)}{writer.sentence()}"
        if is_primitive(text[:period]):
            return text[:period]


def is_primitive(text: str) -> bool:
    """Whether a text is not a shorter text repeated.

    >>> is_primitive("abab"), is_primitive("aba")
    (False, True)
    """
    return (text + text).find(text, 1) == len(text)


def _spoken(dice: Random, script: str, period: int) -> str:
    """A unit that no guard takes for data: it has a letter that is no hex digit and ends in a blank."""
    gap = gap_of(script)
    while True:
        unit = primitive(dice, script, period - len(gap)).lower() + gap
        has_letter = any(char.isalpha() and char not in "abcdef" for char in unit) or script == "emoji"
        if has_letter and len(unit) == period and unit[-2:].strip() and is_primitive(unit):
            return unit


_REPEATS = Int("How often the cycle comes.", 1, 100_000)

GENERATORS = by_name(
    Generator(
        "cycle",
        Record(
            "a cycle",
            {
                "units": Field(
                    Enum(
                        ("sentence", "line", "paragraph", "characters"),
                        "What the cycle consists of; sentences make one endless line.",
                    ),
                    default="paragraph",
                ),
                "period": Field(Int("Units of one cycle.", 1, 2000), default=7),
                "repeats": Field(_REPEATS, default=3),
                "chars": Field(Int("Exact characters of one cycle with what stands between.", 1, 1_000_000)),
                "script": SCRIPT,
            },
            "The same text again and again, with a period of any length.",
        ),
        cycle,
        "One cycle 'repeats' times, to the character; its smallest period is 'period' units, all distinct,"
        " of which any two of 70 neighbours share less than 0.4 of their words (in Chinese and emoji:"
        " pairs of characters).",
    ),
    Generator(
        "alternating-pair",
        Record(
            "an alternating pair",
            {
                "units": Field(
                    Enum(("sentence", "line", "paragraph"), "What takes turns."), default="paragraph"
                ),
                "repeats": Field(Int("How often the pair comes.", 1, 100_000), default=6),
                "script": SCRIPT,
            },
            "Two texts in turn: A B A B.",
        ),
        alternating_pair,
        "2 x 'repeats' units, two of them distinct, never the same twice in a row.",
    ),
    Generator(
        "line-cycle",
        Record(
            "a line cycle",
            {
                "period": Field(Int("Lines of one cycle.", 1, 4), default=2),
                "repeats": Field(_REPEATS, default=12),
                "script": SCRIPT,
            },
            "One to four lines again and again, without a blank line.",
        ),
        line_cycle,
        "'period' x 'repeats' lines, each equal to the one 'period' lines before, 'period' of them distinct.",
    ),
    Generator(
        "short-period",
        Record(
            "a short period",
            {
                "period": Field(Int("Characters (code points) of the piece.", 2, 64), default=12),
                "unit": Field(Str("The piece itself, in place of one that is made.")),
                "chars": Field(Int("Exact characters of the text.", 2, 1_000_000), default=600),
                "script": SCRIPT,
            },
            "A piece of a few characters again and again.",
        ),
        short_period,
        "Exactly 'chars' characters with the smallest period 'period'. The piece has a letter that is no"
        " hex digit and, but for Chinese, a blank, so that it is neither base64 nor a number.",
    ),
)
