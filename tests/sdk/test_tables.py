"""The tables can tell: a reply that is understood wrongly, or in part, does not pass for a good one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sdk import endings, errors
from tests.sdk.clients_table import PYTHON_CELLS, Cell, seen
from tests.sdk.page import committed, with_table
from tests.sdk.running import Understood

CELL = next(cell for cell in PYTHON_CELLS if cell.name == "openai: openai-chat, iterated")
GOOD = {
    "thinking": "The user wants both files. ",
    "text": "I will read “a” and list b.\n",
    "calls": [["call_read", "read", {"path": "a.txt"}], ["call_list", "bash", {"command": "ls b"}]],
    "usage": [31, 27],
    "stop": "tool_calls",
}


def look(cell: Cell = CELL, **heard: Any) -> dict[str, bool | None]:
    return seen(cell, Understood({**GOOD, **heard}, [], []))


def test_a_reply_that_is_understood_is_seen_to_be() -> None:
    assert set(look().values()) == {True}


@pytest.mark.parametrize(
    ("heard", "wrong"),
    [
        ({"thinking": "s both files. "}, "thinking"),
        ({"text": "I will read"}, "text"),
        ({"calls": GOOD["calls"][:1]}, "calls"),
        ({"calls": [["x", "read", {"path": "a.txt"}], GOOD["calls"][1]]}, "ids"),
        ({"usage": [31, 0]}, "usage"),
        ({"stop": "stop"}, "stop"),
    ],
)
def test_each_aspect_can_be_wrong(heard: dict[str, Any], wrong: str) -> None:
    assert [aspect for aspect, right in look(**heard).items() if right is False] == [wrong]


def test_what_is_not_shown_is_neither_right_nor_wrong() -> None:
    shown = look(thinking="", text="", calls=[], usage=None, stop=None)
    assert set(shown.values()) == {None}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "nothing"),
        (endings.HALF, "half"),
        (endings.WHOLE, "whole"),
        (endings.HALF[:-1], repr(endings.HALF[:-1])),
    ],
)
def test_how_much_was_heard_has_a_word(text: str, word: str) -> None:
    assert endings._text(text) == word


def test_a_wait_outside_the_published_range_is_told_by_its_figure() -> None:
    heard = {"error": "", "text": errors.SAID, "waits_s": [0.9]}
    assert errors._word(errors.PYTHON[0], Understood(heard, [], [])) == "waits 0.9 s"


def test_a_table_takes_its_place_in_the_page() -> None:
    page = "before\n<!-- a -->\nold\n<!-- end -->\n<!-- b -->\nkept\n<!-- end -->\n"
    assert with_table(page, "a", r"new \1") == page.replace("old", r"new \1")


def test_the_page_without_the_table_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="has no place for 'nothing'"):
        committed("nothing")
