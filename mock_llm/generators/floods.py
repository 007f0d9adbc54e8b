"""Floods: one character, whitespace or a separator without end."""

from __future__ import annotations

from mock_llm.generators.generator import Generator, Parameters, by_name
from mock_llm.generators.sentences import dice_of
from mock_llm.shape import Enum, Field, Int, Record, Str

_BLANKS = {"newlines": "\n", "spaces": " ", "tabs": "\t"}
_MIXED = "\n \t "


def character_flood(parameters: Parameters, _seed: int) -> str:
    """One character again and again."""
    character, chars, every = parameters["character"], parameters["chars"], parameters["line_chars"]
    if len(character) != 1:
        raise ValueError(
            f"'character' is one code point, but this has {len(character)}; take 'separator-flood'"
        )
    if every is None:
        return str(character * chars)
    return "\n".join(str(character * min(every, chars - at)) for at in range(0, chars, every))


def whitespace_flood(parameters: Parameters, seed: int) -> str:
    """Nothing but blanks."""
    kind, chars = parameters["kind"], parameters["chars"]
    if kind != "mixed":
        return _BLANKS[kind] * int(chars)
    dice, groups = dice_of(seed), chars // len(_MIXED) + 1
    blanks = iter(dice.choices(_MIXED, k=groups * (len(_MIXED) - 1)))
    return "".join(f"\n{a}{b}{c}" for a, b, c in zip(blanks, blanks, blanks, strict=True))[:chars]


def separator_flood(parameters: Parameters, _seed: int) -> str:
    """A separator that does not end."""
    separator, chars = parameters["separator"], parameters["chars"]
    return str(separator * (chars // len(separator) + 1))[:chars]


_CHARS = Int("Exact characters of the flood.", 1, 1_000_000)

GENERATORS = by_name(
    Generator(
        "character-flood",
        Record(
            "a character flood",
            {
                "character": Field(Str("The character, one code point."), default="!"),
                "chars": Field(Int("How often it comes.", 1, 1_000_000), default=600),
                "line_chars": Field(Int("A line break after so many of them.", 1, 1_000_000)),
            },
            "One character without end. Put prose before it with 'lead'.",
        ),
        character_flood,
        "'character' exactly 'chars' times, with single line breaks between if wanted and nothing else.",
        "the character and the length say it all",
    ),
    Generator(
        "whitespace-flood",
        Record(
            "a whitespace flood",
            {
                "kind": Field(
                    Enum(("newlines", "spaces", "tabs", "mixed"), "Which blanks."), default="newlines"
                ),
                "chars": Field(_CHARS, default=600),
            },
            "Nothing but blanks. Put prose before it with 'lead'.",
        ),
        whitespace_flood,
        "Exactly 'chars' characters of ASCII whitespace; when mixed, at least every fourth is a line break.",
        "only the kind 'mixed' leaves something to choose",
    ),
    Generator(
        "separator-flood",
        Record(
            "a separator flood",
            {
                "separator": Field(Str("What is repeated."), default="-"),
                "chars": Field(_CHARS, default=2000),
            },
            "A separator, such as the rule of a table, that does not end. Put prose before it with 'lead'.",
        ),
        separator_flood,
        "Exactly 'chars' characters, the separator again and again, the last one cut.",
        "the separator and the length say it all",
    ),
)
