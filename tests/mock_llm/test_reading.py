from __future__ import annotations

import pytest

from mock_llm.located import open_source, parse_yaml
from mock_llm.reading import is_invalid, read
from mock_llm.schema import json_schema
from mock_llm.shape import (
    INVALID,
    At,
    Bool,
    Checked,
    Either,
    Enum,
    Field,
    Int,
    Json,
    ListOf,
    Located,
    MapOf,
    Num,
    OneKey,
    Picked,
    Record,
    Shape,
    Str,
)

PET = Record(
    "a pet",
    {"name": Field(Str("What it is called."), required=True), "legs": Field(Int(at_least=0), default=4)},
)


def read_text(shape: Shape, text: str) -> tuple[object, list[str]]:
    problems = open_source("a.yaml", text)
    node = parse_yaml(problems)
    assert node is not None
    value = read(shape, node, problems)
    return value, [
        f"{p.line}:{p.column} {p.message}" + "".join(f" | {h}" for h in p.hints) for p in problems.found
    ]


@pytest.mark.parametrize(
    ("shape", "text", "value"),
    [
        (Str(), "12", "12"),
        (Str(), "NO", "NO"),
        (Str(allow_empty=True), '""', ""),
        (Int(at_least=0, at_most=9), "9", 9),
        (Num(), "0.5", 0.5),
        (Num(), "3", 3),
        (Bool(), "true", True),
        (Enum(("a", "b")), "b", "b"),
        (Json(), "{a: [1, null]}", {"a": [1, None]}),
        (ListOf(Int()), "[1, 2]", (1, 2)),
        (ListOf(Str(), or_single=True), "x", ("x",)),
        (MapOf(Int()), "{a: 1}", {"a": 1}),
        (PET, "{name: Rex}", {"name": "Rex", "legs": 4}),
        (PET, "{legs: 3, name: Rex}", {"legs": 3, "name": "Rex"}),
        (Either((Int(), PET)), "{name: Rex}", {"name": "Rex", "legs": 4}),
        (Either((Int(), Str())), "x", "x"),
        (Either((Either((At(Int()), Bool())), ListOf(PET), Json())), "x", "x"),
        (Either((Checked(PET, len), ListOf(Int(), or_single=True))), "1", (1,)),
        (Checked(Int(), lambda value: value + 1), "1", 2),
    ],
)
def test_a_fitting_value_is_read(shape: Shape, text: str, value: object) -> None:
    assert read_text(shape, text) == (value, [])


def test_the_order_of_written_keys_is_kept() -> None:
    value, _ = read_text(PET, "{legs: 3, name: Rex}")
    assert isinstance(value, dict)
    assert list(value) == ["legs", "name"]


@pytest.mark.parametrize(
    ("shape", "text", "problem"),
    [
        (Str(), "[a]", "1:1 expected text, got a list"),
        (Str(), "~", "1:1 expected text, got nothing"),
        (Str(), "''", "1:1 expected text, got an empty one"),
        (Int(), "many", "1:1 expected a whole number, got 'many'"),
        (Int(), "1.0", "1:1 expected a whole number, got 1.0"),
        (Int(), "true", "1:1 expected a whole number, got true"),
        (Int(at_least=1), "0", "1:1 expected a whole number of at least 1, got 0"),
        (Int(at_most=5), "6", "1:1 expected a whole number of at most 5, got 6"),
        (Int(at_least=1, at_most=5), "6", "1:1 expected a whole number from 1 to 5, got 6"),
        (Num(), ".nan", "1:1 expected a number, got .nan"),
        (Num(), "1e999", "1:1 expected a number, got 1e999"),
        (Bool(), "yes", "1:1 expected true or false, got 'yes' | write true"),
        (Enum(("text", "thinking")), "thinkin", "1:1 unknown value 'thinkin' | did you mean 'thinking'?"),
        (Enum(("text",)), "[]", "1:1 expected a word, got a list"),
        (ListOf(Int()), "{a: 1}", "1:1 expected a list, got a mapping | such as [1]"),
        (ListOf(Int(), at_least=2), "[1]", "1:1 expected a list of at least 2, got 1"),
        (ListOf(Int(), at_most=1), "[1, 2]", "1:1 expected a list of at most 1, got 2"),
        (ListOf(Int(), or_single=True), "x", "1:1 expected a whole number or a list, got 'x'"),
        (MapOf(Int()), "[]", "1:1 expected a mapping, got a list | such as {a-name: 1}"),
        (MapOf(Int()), "{a: b}", "1:5 expected a whole number, got 'b'"),
        (PET, "[]", "1:1 expected a pet (a mapping), got a list | such as {name: some text}"),
        (PET, "{legs: 3}", "1:2 missing key 'name' in a pet | add 'name': What it is called."),
        (PET, "{}", "1:1 missing key 'name' in a pet | add 'name': What it is called."),
        (OneKey("a step", {"a": Int()}), "{b: 1}", "1:2 unknown key 'b' in a step | valid here: a"),
        (OneKey("a step", {"a": Int()}), "{}", "1:1 expected one key in a step, got 0 | valid here: a"),
        (OneKey("a step", {"a": Int()}), "x", "1:1 expected a step (a mapping), got 'x' | such as {a: 1}"),
        (Either((Int(), PET)), "[]", "1:1 expected a whole number or a pet (a mapping), got a list"),
        (ListOf(At(Int()), or_single=True), "x", "1:1 expected a whole number or a list, got 'x'"),
        (
            Either((Int(), At(Int()))),
            "[]",
            "1:1 expected a whole number, got a list",
        ),
        (Checked(Int(), lambda _value: int("x")), "1", "1:1 invalid literal for int() with base 10: 'x'"),
    ],
)
def test_a_mistake_has_its_place_and_its_cure(shape: Shape, text: str, problem: str) -> None:
    value, found = read_text(shape, text)
    assert found == [problem]
    assert is_invalid(value)


def test_two_keys_where_one_is_wanted_are_named() -> None:
    _, found = read_text(OneKey("a step", {"a": Int(), "b": Int()}), "{a: 1, b: 2}")
    assert found == ["1:8 expected one key in a step, got 2: 'a', 'b' | write each as an item of its own"]


def test_all_mistakes_are_reported_at_once() -> None:
    value, found = read_text(ListOf(PET), "[{name: [], leg: 1}, {legs: x, name: Rex}, 7]")
    assert found == [
        "1:9 expected text, got a list",
        "1:13 unknown key 'leg' in a pet | did you mean 'legs'?",
        "1:29 expected a whole number, got 'x'",
        "1:44 expected a pet (a mapping), got 7 | such as {name: some text}",
    ]
    assert isinstance(value, tuple)
    assert value[1] == {"legs": INVALID, "name": "Rex"}
    assert value[2] is INVALID
    assert repr(INVALID) == "INVALID"


def test_a_located_value_knows_its_node() -> None:
    value, _ = read_text(MapOf(At(Int())), "{a: 12}")
    assert isinstance(value, dict)
    assert isinstance(value["a"], Located)
    assert (value["a"].value, value["a"].node.start, value["a"].node.end) == (12, 4, 6)


def test_a_picked_key_is_known_even_if_its_value_is_wrong() -> None:
    value, _ = read_text(OneKey("a step", {"a": Int()}), "{a: x}")
    assert isinstance(value, Picked)
    assert (value.key, value.value) == ("a", INVALID)


def test_a_check_is_not_asked_about_an_invalid_value() -> None:
    _, found = read_text(Checked(PET, lambda value: value["name"].upper()), "{name: []}")
    assert len(found) == 1


def test_a_shape_describes_itself_to_editors() -> None:
    shape = Record(
        "a turn",
        {
            "say": Field(Either((Str("Text."), OneKey("a source", {"file": At(Str())}))), required=True),
            "times": Field(Int("Times.", 1, 9)),
            "kinds": Field(ListOf(Enum(("a", "b")), or_single=True)),
            "more": Field(MapOf(Checked(Num(at_least=0), float))),
            "on": Field(Bool()),
            "any": Field(Json()),
            "many": Field(ListOf(Json(), at_least=1)),
        },
        "One reply.",
    )
    text = {"type": ["string", "number", "boolean"], "minLength": 1}
    source = {"type": "object", "properties": {"file": text}, "additionalProperties": False}
    assert json_schema(shape) == {
        "type": "object",
        "description": "One reply.",
        "additionalProperties": False,
        "required": ["say"],
        "properties": {
            "say": {
                "anyOf": [text | {"description": "Text."}, source | {"minProperties": 1, "maxProperties": 1}]
            },
            "times": {"type": "integer", "minimum": 1, "maximum": 9, "description": "Times."},
            "kinds": {"anyOf": [{"enum": ["a", "b"]}, {"type": "array", "items": {"enum": ["a", "b"]}}]},
            "more": {"type": "object", "additionalProperties": {"type": "number", "minimum": 0}},
            "on": {"type": "boolean"},
            "any": {},
            "many": {"type": "array", "items": {}, "minItems": 1},
        },
    }
