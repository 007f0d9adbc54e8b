"""docs/scripts.md: every example is loaded, and played as the page says."""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from mock_llm.lane_shape import INVARIANT, WORDS, lanes_shape
from mock_llm.located import ListNode, MapNode, Node, open_source, parse_yaml
from mock_llm.script_shape import SCRIPT
from mock_llm.script_yaml import parse_script
from mock_llm.shape import At, Checked, Either, MapOf, OneKey, Record, Shape
from mock_llm.turn_shape import turn_shape
from mock_llm.when_yaml import WHEN

PAGE = (Path(__file__).parents[2] / "docs" / "scripts.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```yaml\n(.*?)```(?:\n\n```play\n(.*?)```)?", PAGE, re.DOTALL)
PLAYER = runpy.run_path(str(Path(__file__).with_name("script_play.py")))["Player"]
FILES = {
    "texts/answer.txt": "An answer.",
    "parts/opening.yaml": "- say: one\n- include: more.yaml\n",
    "parts/more.yaml": "model: [say: two]\n",
    "parts/rules.yaml": "- max_messages: 9\n",
}


@pytest.mark.parametrize(("script", "played"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_an_example_is_played_as_the_page_says(script: str, played: str) -> None:
    player = PLAYER(parse_script(script, "script.yaml", FILES.__getitem__))
    lines = played.splitlines()
    assert player.transcript([line for line in lines if line.startswith(">")], lines) == lines


def test_most_examples_are_played() -> None:
    assert sum(bool(played) for _, played in EXAMPLES) >= 14


def keys(node: Node) -> Iterator[str]:
    if isinstance(node, MapNode):
        for key, value in node.entries:
            yield key.text
            yield from keys(value)
    elif isinstance(node, ListNode):
        for item in node.items:
            yield from keys(item)
    elif isinstance(node.value, str):
        yield node.value


def fields(shape: Shape) -> Mapping[str, object]:
    if isinstance(shape, At | Checked):
        return fields(shape.shape)
    if isinstance(shape, MapOf):
        return fields(shape.value)
    if isinstance(shape, Either):
        return {key: each for inner in shape.shapes for key, each in fields(inner).items()}
    if isinstance(shape, OneKey):
        return shape.options
    return shape.fields if isinstance(shape, Record) else {}


def test_every_key_has_an_example() -> None:
    used: set[str] = set()
    for script, _ in EXAMPLES:
        node = parse_yaml(open_source("script.yaml", script))
        assert node is not None
        used |= set(keys(node))
    turn = fields(turn_shape())
    stream = turn_shape().fields["stream"].shape  # type: ignore[union-attr]
    comparisons = fields(WHEN.fields["model"].shape)
    shapes = (fields(SCRIPT), turn, fields(lanes_shape()), fields(WHEN), fields(stream), comparisons)
    known = {key for shape in shapes for key in shape} | {*WORDS, *fields(INVARIANT), "include"}
    elsewhere = {"recorded"}  # it names a file that the recorder writes
    assert known - used == elsewhere
