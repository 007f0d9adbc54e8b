"""Data that a model writes out: JSON, SQL, SVG, a test log, base64. Healthy, though line resembles line."""

from __future__ import annotations

import json
from base64 import b64encode

from mock_llm.generators.generator import Generator, Parameters, by_name
from mock_llm.generators.sentences import Decks, dice_of, different
from mock_llm.generators.software import BANKS
from mock_llm.generators.vocabulary import BANKS as WORDS
from mock_llm.shape import Bool, Enum, Field, Int, Record

_COLOURS = (
    "teal", "crimson", "goldenrod", "slategray", "indigo", "seagreen", "tomato", "orchid", "peru", "navy",
    "khaki", "salmon", "olive", "plum", "sienna", "turquoise",
)  # fmt: skip
_SHAPES = (
    '<rect x="{a}" y="{b}" width="{c}" height="{d}" fill="{colour}"/>',
    '<circle cx="{a}" cy="{b}" r="{c}" fill="{colour}"/>',
    '<line x1="{a}" y1="{b}" x2="{c}" y2="{d}" stroke="{colour}"/>',
    '<text x="{a}" y="{b}" fill="{colour}">{label}</text>',
    '<path d="M{a} {b} L{c} {d} Q{d} {a} {b} {c} Z" stroke="{colour}" fill="none"/>',
    '<ellipse cx="{a}" cy="{b}" rx="{c}" ry="{d}" fill="{colour}"/>',
)
_SIDE = 800
_ENDINGS = ("PASSED", "PASSED", "PASSED", "PASSED", "PASSED", "PASSED", "PASSED", "FAILED", "SKIPPED")
_LINE = 76  # what MIME allows


def json_array(parameters: Parameters, seed: int) -> str:
    """A JSON array of records."""
    dice = dice_of(seed)
    decks = Decks(dice)

    def record() -> str:
        item = {
            "item": decks.fill("{quality} {thing}", WORDS),
            "keeper": decks.fill("{person}", WORDS),
            "where": decks.fill("{place}", WORDS),
            "price": dice.randint(100, 99_999) / 100,
            "sold": dice.random() < 1 / 3,
            "tags": dice.sample(WORDS["trade"], dice.randint(0, 3)),
        }
        return json.dumps(item)

    records = [json.loads(text) for text in different(record, parameters["items"])]
    if parameters.get("layout", "lines") == "lines":
        return "[\n" + ",\n".join(f"  {json.dumps(item)}" for item in records) + "\n]\n"
    return json.dumps(records, indent=2 if parameters["layout"] == "indented" else None) + "\n"


def sql_inserts(parameters: Parameters, seed: int) -> str:
    """INSERT statements of one table."""
    dice = dice_of(seed)
    decks = Decks(dice)

    def values() -> str:
        words = decks.fill("'{thing}', '{quality}', '{person}', '{place}'", WORDS)
        return f"{words}, {dice.randint(100, 99_999) / 100:.2f}"

    head = "INSERT INTO objects (name, quality, keeper, place, price) VALUES"
    return "".join(f"{head} ({row});\n" for row in different(values, parameters["rows"]))


def svg(parameters: Parameters, seed: int) -> str:
    """A drawing."""
    dice = dice_of(seed)
    decks = Decks(dice)

    def element() -> str:
        numbers = {name: dice.randint(1, _SIDE) for name in "abcd"}
        label = decks.fill("{quality} {thing}", WORDS)
        return decks.draw("shape", _SHAPES).format(
            **numbers, colour=decks.draw("colour", _COLOURS), label=label
        )

    lines = "".join(f"  {text}\n" for text in different(element, parameters["elements"]))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE} {_SIDE}">\n{lines}</svg>\n'


def log_of_tests(parameters: Parameters, seed: int) -> str:
    """What a test runner prints."""
    dice, count = dice_of(seed), parameters["tests"]
    decks = Decks(dice)

    def name() -> str:
        words = decks.fill("tests/{package}/test_{noun}.py::test_{verb} {behaviour}", BANKS)
        return words.replace(" ", "_")

    endings = dice.choices(_ENDINGS, k=count)
    lines = [
        f"{test} {ending} [{100 * at // count:3}%]"
        for at, (test, ending) in enumerate(zip(different(name, count), endings, strict=True), 1)
    ]
    sums = ", ".join(f"{endings.count(kind)} {kind.lower()}" for kind in ("FAILED", "PASSED", "SKIPPED"))
    return "\n".join([*lines, f"==== {sums} in {dice.randint(100, 9999) / 100:.2f}s ====\n"])


def base64(parameters: Parameters, seed: int) -> str:
    """Random bytes in base64."""
    text = b64encode(dice_of(seed).randbytes(parameters["bytes"])).decode()
    if not parameters.get("wrapped", True):
        return text
    return "".join(f"{text[at : at + _LINE]}\n" for at in range(0, len(text), _LINE))


GENERATORS = by_name(
    Generator(
        "json-array",
        Record(
            "a JSON array",
            {
                "items": Field(Int("How many records.", 1, 20_000), default=30),
                "layout": Field(
                    Enum(("lines", "indented", "compact"), "A record a line, a value a line, or one line."),
                    default="lines",
                ),
            },
            "A JSON array of records with the same keys.",
        ),
        json_array,
        "Valid JSON: 'items' objects with six keys, no two equal; no blank line.",
    ),
    Generator(
        "sql-inserts",
        Record(
            "SQL inserts",
            {"rows": Field(Int("How many statements.", 1, 20_000), default=40)},
            "INSERT statements of one table, one a line.",
        ),
        sql_inserts,
        "'rows' lines of valid SQL, no two equal, that begin alike; no blank line.",
    ),
    Generator(
        "svg",
        Record(
            "an SVG drawing",
            {"elements": Field(Int("How many elements.", 1, 20_000), default=60)},
            "A drawing of simple elements, one a line.",
        ),
        svg,
        "Well-formed XML: a root and 'elements' elements of six kinds, no two equal; no blank line.",
    ),
    Generator(
        "test-log",
        Record(
            "a test log",
            {"tests": Field(Int("How many tests.", 1, 20_000), default=80)},
            "What a test runner prints, one test a line.",
        ),
        log_of_tests,
        "'tests' lines with a name, how it ended and the percentage done; no two names are equal, and the"
        " sums in the last line are right; no blank line.",
    ),
    Generator(
        "base64",
        Record(
            "base64",
            {
                "bytes": Field(Int("How many bytes are encoded.", 1, 1_000_000), default=3000),
                "wrapped": Field(Bool("Lines of 76 characters, or one line."), default=True),
            },
            "Random bytes in base64.",
        ),
        base64,
        "Exactly 'bytes' bytes when decoded, in lines of 76 characters or in one; no blank line.",
    ),
)
