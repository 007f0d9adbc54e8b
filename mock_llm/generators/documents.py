"""Documents with a template: table, changelog, API reference. Healthy, though their parts look alike."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

from mock_llm.generators.generator import Generator, Parameters, by_name, joined
from mock_llm.generators.sentences import Decks, dice_of, different
from mock_llm.generators.software import BANKS, CHANGES
from mock_llm.generators.vocabulary import BANKS as WORDS
from mock_llm.shape import Field, Int, Record

if TYPE_CHECKING:
    from random import Random

_HEAD = ("Object", "Condition", "Where", "Keeper", "Weight")
_SECTIONS = {"Added": CHANGES[:6], "Fixed": CHANGES[6:10], "Changed": CHANGES[10:]}
_LAST_RELEASE = date(2026, 8, 21)
_METHODS = {
    "GET /{noun}s": "Lists each {noun} with its {field}, {purpose}.",
    "GET /{noun}s/{id}": "Returns one {noun}, its {field} included, {purpose}.",
    "POST /{noun}s": "Creates a {noun} whose {field} must be given, {purpose}.",
    "PATCH /{noun}s/{id}": "Changes the {field} of a {noun}, {purpose}.",
    "DELETE /{noun}s/{id}": "Removes a {noun} whose {field} is empty, {purpose}.",
    "POST /{noun}s/{id}/{verb}": "Asks the server to {verb} a {noun}, {purpose}.",
    "GET /{noun}s/{id}/{field}": "Returns only the {field} of a {noun}, {purpose}.",
    "PUT /{package}/{noun}s/{id}": "Replaces a {noun} of the {package} service, {purpose}.",
}
# Routes with two free words come four times as often as those with one, of which there are far fewer.
_ROUTES = (*tuple(_METHODS)[:5], *tuple(_METHODS)[5:] * 4)
_ANSWERS = {
    "GET": "200 OK",
    "POST": "201 Created",
    "PATCH": "200 OK",
    "PUT": "200 OK",
    "DELETE": "204 No Content",
}
_ERRORS = ("403 Forbidden", "404 Not Found", "409 Conflict", "410 Gone", "422 Unprocessable Content")


def table(parameters: Parameters, seed: int) -> str:
    """A Markdown table."""
    dice = dice_of(seed)
    decks = Decks(dice)

    def row() -> str:
        words = decks.fill("{thing} | {quality} | {place} | {person}", WORDS)
        return f"| {words} | {dice.randint(2, 4000) / 10:.1f} kg |"

    rows = different(row, parameters["rows"])
    head = [f"| {' | '.join(_HEAD)} |", f"|{'---|' * len(_HEAD)}"]
    return "\n".join(head + rows) + "\n"


def changelog(parameters: Parameters, seed: int) -> str:
    """A changelog, the last release first."""
    dice = dice_of(seed)
    decks = Decks(dice)
    sizes = [[dice.randint(1, 3) for _ in _SECTIONS] for _ in range(parameters["releases"])]
    entries = {
        kind: iter(different(lambda: _entry(decks, kind), sum(size[at] for size in sizes)))  # noqa: B023
        for at, kind in enumerate(_SECTIONS)
    }
    blocks = ["# Changelog"]
    for version, size in zip(_versions(dice, len(sizes)), sizes, strict=True):
        blocks.append(version)
        for kind, count in zip(_SECTIONS, size, strict=True):
            blocks += [f"### {kind}", "\n".join(f"- {next(entries[kind])}" for _ in range(count))]
    return joined(blocks)


def _entry(decks: Decks, kind: str) -> str:
    text = decks.fill(decks.draw(kind, _SECTIONS[kind]), BANKS)
    return f"{text[0].upper()}{text[1:]}."


def _versions(dice: Random, count: int) -> list[str]:
    """Headings of so many releases, each with an older date and a lower version than the one before."""
    numbers, day = [(1, 0, 0)], _LAST_RELEASE
    while len(numbers) < count:
        major, minor, patch = numbers[-1]
        step = dice.choice(((major, minor, patch + 1), (major, minor + 1, 0), (major, minor + 1, 0)))
        numbers.append((major + 1, 0, 0) if dice.random() < 1 / 12 else step)
    headings = []
    for major, minor, patch in reversed(numbers):
        headings.append(f"## {major}.{minor}.{patch} ({day.isoformat()})")
        day -= timedelta(days=dice.randint(1, 40))
    return headings


def api_docs(parameters: Parameters, seed: int) -> str:
    """A reference of HTTP endpoints, all described by one template."""
    dice = dice_of(seed)
    decks = Decks(dice)
    says: dict[str, str] = {}

    def heading() -> str:
        route = decks.draw("route", _ROUTES)
        words = {name: (decks.draw(name, bank),) for name, bank in BANKS.items()} | {"id": ("{id}",)}
        filled = Decks(dice).fill(route, words)
        says.setdefault(filled, Decks(dice).fill(_METHODS[route], words))
        return filled

    blocks = []
    for route in different(heading, parameters["endpoints"]):
        answer, error = _ANSWERS[route.partition(" ")[0]], dice.choice(_ERRORS)
        returns = f"Returns `{answer}`. Fails with `{error}` when the request cannot be met."
        blocks += [f"### `{route}`", says[route], returns]
    return joined(blocks)


GENERATORS = by_name(
    Generator(
        "table",
        Record(
            "a table",
            {"rows": Field(Int("How many rows.", 1, 20_000), default=30)},
            "A Markdown table of things.",
        ),
        table,
        "A heading, a rule and 'rows' rows, no two equal, five cells each; one paragraph, no blank line.",
    ),
    Generator(
        "changelog",
        Record(
            "a changelog",
            {"releases": Field(Int("How many releases.", 1, 300), default=12)},
            "Release notes, the last release first.",
        ),
        changelog,
        "'releases' headings with falling versions and dates, under each the sections Added, Fixed and"
        " Changed with one to three entries; no two entries are equal.",
    ),
    Generator(
        "api-docs",
        Record(
            "an API reference",
            {"endpoints": Field(Int("How many endpoints.", 1, 1000), default=24)},
            "A reference of HTTP endpoints, all described by one template.",
        ),
        api_docs,
        "'endpoints' headings with a method and a path, no two equal, and two paragraphs under each:"
        " what it does, and what it returns. The second is one of few and comes again.",
    ),
)
