"""Texts of models that get on with their work. No guard may stop them."""

from __future__ import annotations

from mock_llm.generators.generator import Generator, Parameters, by_name, joined
from mock_llm.generators.sentences import Prose, Unlike, dice_of
from mock_llm.shape import Field, Int, Record

_UNLIKE = 0.35
_LOOKBACK = 70  # beyond what the published guards remember


def prose(parameters: Parameters, seed: int) -> str:
    """Paragraphs of a few sentences, 260 to 530 characters."""
    dice = dice_of(seed)
    writer = Prose(dice)
    text = Unlike(_UNLIKE, _LOOKBACK)
    for _ in range(parameters["paragraphs"]):
        text.add(text.draw(lambda: writer.passage(dice.randint(280, 480))))
    return joined(text.paragraphs)


def item_list(parameters: Parameters, seed: int) -> str:
    """A walk through many items in one message, one paragraph each."""
    writer = Prose(dice_of(seed))
    findings = Unlike(_UNLIKE, _LOOKBACK)
    for _ in range(parameters["items"]):
        findings.add(findings.draw(writer.sentence))
    return joined([_item(number, finding) for number, finding in enumerate(findings.paragraphs, 1)])


def item_step(parameters: Parameters, seed: int) -> str:
    """What is said about one item before the tool call for it: the paragraph of :func:`item_list`."""
    paragraphs = item_list({"items": parameters["number"]}, seed).split("\n\n")
    return str(paragraphs[parameters["number"] - 1])


def _item(number: int, finding: str) -> str:
    return f"Processing item {number}: {finding[0].lower()}{finding[1:]}"


GENERATORS = by_name(
    Generator(
        "item-list",
        Record(
            "an item list",
            {"items": Field(Int("How many items.", 1, 1000), default=40)},
            "A walk through items, one paragraph each: 'Processing item N: ...'.",
        ),
        item_list,
        "'items' paragraphs, no two equal; what is said about any two of 70 neighbours shares less than 0.35"
        " of its words.",
    ),
    Generator(
        "item-step",
        Record(
            "an item step",
            {"number": Field(Int("Which item, from 1.", 1, 1000), default=1)},
            "One message of a walk through items with a tool call after each.",
        ),
        item_step,
        "Paragraph 'number' of 'item-list' with the same seed, without a blank line after it.",
    ),
    Generator(
        "prose",
        Record(
            "prose",
            {"paragraphs": Field(Int("How many paragraphs.", 1, 1000), default=12)},
            "Ordinary paragraphs of a few sentences, 260 to 530 characters.",
        ),
        prose,
        "'paragraphs' paragraphs, no two equal; any two of 70 neighbours share less than 0.35 of the words.",
    ),
)
