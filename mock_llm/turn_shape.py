"""What a turn looks like in YAML, as shapes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

from mock_llm.fault_shape import FAULT
from mock_llm.generators import GENERATORS, source_shape
from mock_llm.problems import quoted
from mock_llm.script import Stream
from mock_llm.shape import (
    At,
    Checked,
    Either,
    Enum,
    Field,
    Int,
    Json,
    ListOf,
    MapOf,
    Num,
    OneKey,
    Record,
    Shape,
    Str,
)
from mock_llm.turn import Usage

_HOUR_MS = 3_600_000
_MOST_TIMES = 500


class Call(NamedTuple):
    """A tool call before it has an id: the tool's name and the JSON text of its arguments."""

    tool: str
    arguments: str


class TextSources(Mapping[str, Shape]):
    """What makes a text, by key; the shape of a generator is loaded only when it is asked for."""

    def __getitem__(self, name: str) -> Shape:
        return _FILE if name == "file" else At(source_shape(name), timed=True)

    def __iter__(self) -> Iterator[str]:
        return chain(("file",), GENERATORS)

    def __len__(self) -> int:
        return 1 + len(GENERATORS)

    def __contains__(self, name: object) -> bool:
        return name == "file" or name in GENERATORS


@cache
def text_shape() -> Shape:
    """Text as it is written (read as ``Located``), from a file or from a generator (read as ``Picked``)."""
    written = At(Str("The text; {nonce}, {time} and {request.model} in it are replaced.", allow_empty=True))
    return Either((written, OneKey("a text source", TextSources())), "Text, a file, or a generator.")


@cache
def turn_shape() -> Shape:
    """One turn of a script; its parts are ``say``, ``think``, ``call`` and ``refuse``."""
    return Record(
        "a turn",
        {
            **{key: Field(shape) for key, shape in part_shapes().items()},
            "parts": Field(
                ListOf(
                    OneKey("a part", part_shapes()),
                    "The parts one after the other, where one comes twice: each a key and its value.",
                    at_least=1,
                )
            ),
            "when": Field(At(Json("Answers only requests that fit all of it.", _when_shape))),
            "stop": Field(Str("Why it stopped: stop, tool, length, refusal, or a provider's own word.")),
            "recorded": Field(_RECORDED),
            "usage": Field(_USAGE),
            "times": Field(
                Int("How often the turn is played; {time} counts from 1.", 1, _MOST_TIMES), default=1
            ),
            "stream": Field(_STREAM, default=Stream()),
            "fault": Field(FAULT),
        },
        "One reply of the model; its parts come in the order of the keys.",
    )


@cache
def part_shapes() -> Mapping[str, Shape]:
    """What a turn is made of, by key."""
    return {"say": text_shape(), "think": text_shape(), "call": _CALLS, "refuse": text_shape()}


def _when_shape() -> Shape:
    from mock_llm.when_yaml import WHEN  # few scripts have matchers

    return WHEN


def model_shape() -> Shape:
    """The turns of a script, in order."""
    return ListOf(turn_shape(), "The turns of the model, in order.", at_least=1)


def _one_call(value: dict[str, Any]) -> Call:
    if len(value) != 1:
        names = ": " + ", ".join(map(quoted, value)) if value else ""
        raise ValueError(f"expected one tool name, got {len(value)}{names}")
    [(tool, arguments)] = value.items()
    try:
        return Call(tool, json.dumps(arguments, ensure_ascii=False, allow_nan=False))
    except ValueError:
        raise ValueError("JSON has no '.inf' and no '.nan'") from None


def _usage(value: dict[str, int]) -> Usage:
    return Usage(**value)


def _stream(value: dict[str, Any]) -> Stream:
    if value["deltas"] and value["chars_per_delta"]:
        raise ValueError("expected one of 'deltas' and 'chars_per_delta', got both")
    until = value.pop("until")
    return Stream(**value, until_hang_up=until is not None)


_FILE = At(Str("Path of a text relative to this file; taken verbatim."))
_RECORDED = At(
    ListOf(
        Str("Path of a recorded exchange, relative to this file."),
        "An exchange that 'mock-llm record' has written, in place of 'say', 'think' and 'call'; several are"
        " the attempts at one reply.",
        at_least=1,
        or_single=True,
    )
)
_CALL = Checked(MapOf(MapOf(Json(), example="{command: ls}"), example="{bash: {command: ls}}"), _one_call)
_CALLS = At(ListOf(_CALL, "Tool calls: each a tool's name with its arguments.", at_least=1, or_single=True))
_TOKENS = Int("Tokens.", 0, 1_000_000_000)
_USAGE = Checked(
    Record(
        "usage",
        {"input_tokens": Field(_TOKENS, required=True), "output_tokens": Field(_TOKENS, required=True)},
        "Token counts as a provider would bill them.",
    ),
    _usage,
)
_STREAM = Checked(
    Record(
        "a stream",
        {
            "deltas": Field(Int("Pieces that each part is cut into, of equal length.", 1, 1_000_000)),
            "chars_per_delta": Field(Int("Characters of a piece.", 1, 1_000_000)),
            "first_after_ms": Field(Num("Milliseconds before the first piece.", 0, _HOUR_MS), default=0),
            "every_ms": Field(Num("Milliseconds from one piece to the next.", 0, _HOUR_MS), default=0),
            "until": Field(Enum(("client-hangs-up",), "Play the text again and again until then.")),
            "hold_after": Field(
                Int("Stop after so many characters until the gate is released.", 0, 100_000_000)
            ),
            "hold": Field(
                Str("Name of the gate; alone it holds the reply before its first character."), default=""
            ),
            "cap_chars": Field(
                Int("With 'until', stop after so many characters.", 1, 100_000_000), default=200_000
            ),
        },
        "How the reply is cut and paced.",
    ),
    _stream,
)
