"""Texts of models that run in circles."""

from __future__ import annotations

from functools import partial

from mock_llm.generators.generator import Generator, Parameters, by_name, joined
from mock_llm.generators.sentences import Prose, Unlike, dice_of, restatement
from mock_llm.generators.writers import SCRIPT, language_of, script_of
from mock_llm.shape import Enum, Field, Int, ListOf, Record, Str

_UNLIKE = 0.4
_PARAGRAPH_CHARS = 150
_BLANK_LINE = 2
_TRIES = 4
_TOLERANCE = 0.02

OPENERS = (
    "Before touching the parser I would like to see once more how the reader splits a record into fields,",
    "Let me return to the failing export job and follow its log from the first warning to the stack trace,",
    "Perhaps the cache is to blame, so I am opening its eviction policy to count which entries survive,",
)
ENDINGS = (
    "since one quote may stay open.",
    "as the offset looks wrong.",
    "for the memory never shrinks.",
    "because empty cells vanish.",
    "and note every retry.",
    "while traffic is low.",
    "so no comma gets lost.",
    "until the cause is plain.",
    "with a fresh profile.",
    "given how old this code is.",
    "then decide what to patch.",
    "if only to rule that out.",
    "although tests are green.",
    "rather than guess.",
    "just to be certain.",
    "before lunch.",
    "line by line.",
    "in a debugger.",
)


def paragraph_loop(parameters: Parameters, seed: int) -> str:
    """The same few paragraphs again and again, word for word."""
    prose, cycle = Prose(dice_of(seed)), Unlike(_UNLIKE)
    count, chars = parameters["paragraphs"], parameters.get("chars")
    for left in range(count, 0, -1):
        wanted = _PARAGRAPH_CHARS if chars is None else _share(chars, cycle.paragraphs, left)
        length = round(wanted) if chars is not None and left == 1 else None
        cycle.add(cycle.draw(partial(prose.passage, wanted), length))
    return joined(cycle.paragraphs) * int(parameters["cycles"])


def _share(chars: int, so_far: list[str], left: int) -> float:
    """How long the next of ``left`` paragraphs has to be on average."""
    return (chars - len(joined(so_far))) / left - _BLANK_LINE


def paraphrase(parameters: Parameters, seed: int) -> str:
    """One thing said over and over in other words."""
    own_openers, own_endings, between = _phrases(script_of(parameters))
    openers = parameters.get("openers") or own_openers
    endings = parameters.get("endings") or dice_of(seed).sample(own_endings, len(own_endings))
    count = parameters["paragraphs"]
    if count > len(endings):
        fewer = f"take at most {len(endings)}, or give 'endings' of your own"
        cure = "give more 'endings'" if parameters.get("endings") else fewer
        raise ValueError(f"{count} paragraphs need as many endings, but there are {len(endings)}; {cure}")
    paragraphs = [f"{openers[i % len(openers)]}{between}{endings[i]}" for i in range(count)]
    for i, paragraph in enumerate(paragraphs):
        if paragraph in paragraphs[:i]:
            raise ValueError(
                f"paragraphs {paragraphs.index(paragraph) + 1} and {i + 1} would be equal; change an ending"
            )
    return joined(paragraphs)


def _phrases(script: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Openers and endings of a script, and what stands between the two."""
    language = language_of(script)
    if language is None:
        return OPENERS, ENDINGS, " "
    endings = tuple(f"{reason}{language.stop}" for reason in language.banks["reason"])
    return language.openers, endings, language.gap or language.comma


def long_cycle(parameters: Parameters, seed: int) -> str:
    """A cycle too long for a look at recent paragraphs to see it come back."""
    dice = dice_of(seed)
    prose, chars = Prose(dice), parameters["chars"]
    restates = parameters["kind"] == "restatements"
    cycle = Unlike(1.0 if restates else _UNLIKE)
    for left in range(parameters["paragraphs"], 0, -1):
        wanted = _share(chars, cycle.paragraphs, left)
        make = partial(restatement, dice) if restates else partial(prose.passage, wanted)
        cycle.add(cycle.closest(make, wanted, _TRIES))
    text = joined(cycle.paragraphs)
    if abs(len(text) - chars) > _TOLERANCE * chars:
        came = f"{parameters['paragraphs']} paragraphs came to {len(text)} characters, not about {chars}"
        raise ValueError(f"{came}; take about 126 for each")
    return text * int(parameters["cycles"])


_CYCLES = Int("How often the cycle comes.", 1, 1000)

GENERATORS = by_name(
    Generator(
        "paragraph-loop",
        Record(
            "a paragraph loop",
            {
                "paragraphs": Field(Int("Paragraphs of one cycle.", 1, 60), default=3),
                "cycles": Field(_CYCLES, default=3),
                "chars": Field(Int("Exact characters of one cycle with its blank lines.", 130, 10_000)),
            },
            "The same paragraphs again and again, word for word.",
        ),
        paragraph_loop,
        "'paragraphs' x 'cycles' paragraphs of which 'paragraphs' are distinct; those share less than 0.4 of"
        " their words. Each is one sentence or more, at least 70 characters.",
    ),
    Generator(
        "paraphrase",
        Record(
            "a paraphrase",
            {
                "paragraphs": Field(
                    Int("Paragraphs in all; without 'endings' at most 18.", 1, 1000),
                    default=15,
                ),
                "openers": Field(ListOf(Str(), "How paragraphs begin, in turn.", at_least=1)),
                "endings": Field(ListOf(Str(), "How paragraphs end, one for each.", at_least=1)),
                "script": SCRIPT,
            },
            "Paragraph i is opener i (they take turns), a space and ending i.",
        ),
        paraphrase,
        "No two paragraphs are equal. With the built-in openers and endings (three, and 18, which"
        " the seed shuffles) any two paragraphs with the same opener share at least half of their words (in"
        " Chinese and emoji: pairs of characters), and any two with different openers less than half.",
    ),
    Generator(
        "long-cycle",
        Record(
            "a long cycle",
            {
                "paragraphs": Field(Int("Paragraphs of one cycle.", 1, 300), default=114),
                "cycles": Field(_CYCLES, default=1),
                "kind": Field(
                    Enum(("restatements", "distinct"), "A few actions in other words, or no two alike."),
                    default="restatements",
                ),
                "chars": Field(
                    Int("About how many characters one cycle has, blank lines included.", 64), default=14_400
                ),
            },
            "A cycle of many short paragraphs.",
        ),
        long_cycle,
        "One cycle has no two equal paragraphs and is within 2 % of 'chars' at about 126 characters"
        " a paragraph. 'restatements': three actions announced in varying words, so that most paragraphs"
        " share half of their words with one of the 32 before. 'distinct': any two share less than 0.4.",
    ),
)
