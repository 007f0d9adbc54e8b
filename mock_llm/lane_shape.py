"""What lanes, invariants and the end of a script look like in YAML, as shapes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mock_llm.dialects import NAMES
from mock_llm.includes import INCLUDE
from mock_llm.script_shape import CONVERSATIONS, MODEL, RULES
from mock_llm.shape import At, Bool, Either, Enum, Field, Int, Json, ListOf, MapOf, OneKey, Record, Str
from mock_llm.turn_shape import model_shape, turn_shape

if TYPE_CHECKING:
    from mock_llm.shape import Shape

WORDS = ("tool_results_answer_calls", "roles_alternate", "system_unchanged", "tools_unchanged", "no_replay")
INVARIANT = Either(
    (
        Enum(WORDS, "A rule that takes nothing."),
        OneKey(
            "an invariant",
            {
                "lacks": Str("Text that stands nowhere in a request."),
                "contains": Str("Text that stands somewhere in every request."),
                "max_messages": Int("Messages of a request at most.", 1),
                "roles_alternate": ListOf(
                    Enum(NAMES), "The dialects in which roles have to alternate.", at_least=1, or_single=True
                ),
                "tool_results_answer_calls": Bool("false switches it off."),
            },
        ),
    ),
    "A rule that every request keeps to.",
)


def invariants_shape() -> Shape:
    """The invariants of a lane."""
    return ListOf(INVARIANT, "What every request keeps to; a breach fails the run.")


@cache
def exhausted_shape() -> Shape:
    """What answers when no turn is left."""
    words = Enum(("error", "repeat-last", "stop"), "One of the ways that need no text.")
    return Either((words, turn_shape()), "What answers when no turn is left.")


@cache
def lanes_shape() -> Shape:
    """Lanes by name."""
    return MapOf(
        Record(
            "a lane",
            {
                "match": Field(At(Json("What its requests are like.", _match_shape))),
                "lane": Field(At(Str("Text that a user message of its requests carries."))),
                "model": Field(MODEL, required=True),
                "conversations": CONVERSATIONS,
                **RULES,
            },
            "Requests that are recognised together, and the turns that answer them.",
        ),
        "Further lanes by name; they are looked at before the main one, in order.",
        "{title: {match: {system: titles}, model: [say: A title]}}",
    )


@cache
def items_shape() -> Shape:
    """The turns of a script, each written or included."""
    turns = model_shape()
    assert isinstance(turns, ListOf)
    return turns._replace(item=Either((turns.item, INCLUDE), "A turn, or turns of another file."))


def invariant_items_shape() -> Shape:
    """The invariants of a lane, each written or included."""
    item = Either((*INVARIANT.shapes, INCLUDE), "A rule, or rules of another file.")
    return ListOf(item, "What every request keeps to; a breach fails the run.")


def _match_shape() -> Shape:
    from mock_llm.when_yaml import MATCH

    return MATCH
