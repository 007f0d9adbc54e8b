"""What a message about a wrong shape shows as the right one."""

from __future__ import annotations

import pytest

from mock_llm.examples import cure, example
from mock_llm.located import open_source, parse_yaml
from mock_llm.problems import Problems
from mock_llm.reading import read
from mock_llm.shape import (
    Bool,
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

PET = Record("a pet", {"name": Field(Str(), required=True), "legs": Field(Int())})


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (Str(), "some text"),
        (Int(), "1"),
        (Int(at_least=0), "1"),
        (Num(at_least=0.5), "1"),
        (Int(at_least=7), "7"),
        (Int(at_least=7, usual=80), "80"),
        (Bool(), "true"),
        (Enum(("a", "b")), "a"),
        (Json(), "some value"),
        (Json("", lambda: PET), "{name: some text}"),
        (PET, "{name: some text}"),
        (Record("a dog", {"tail": Field(Bool()), "ears": Field(Int())}), "{tail: true}"),
        (ListOf(PET), "[{name: some text}]"),
        (ListOf(Str(), or_single=True), "some text"),
        (MapOf(Int()), "{a-name: 1}"),
        (MapOf(Int(), example="{legs: 4}"), "{legs: 4}"),
        (OneKey("a pet", {"dog": PET, "cat": PET}), "{dog: {name: some text}}"),
        (Either((PET, Str())), "some text"),
        (Either((PET, ListOf(PET))), "{name: some text}"),
    ],
)
def test_an_example_fits_its_shape(shape: Shape, text: str) -> None:
    assert example(shape) == text
    problems: Problems = open_source("a.yaml", text)
    node = parse_yaml(problems)
    assert node is not None
    read(shape, node, problems)
    assert problems.found == []


@pytest.mark.parametrize(
    ("shape", "text", "hint"),
    [
        (PET, "Rex", "such as {name: some text}"),
        (PET, "name Rex", "a colon is missing: write 'name: ...'"),
        (OneKey("a pet", {"dog": PET}), 'dog "Rex"', "a colon is missing: write 'dog: ...'"),
        (Bool(), "yes", "write true"),
        (Bool(), "Off", "write false"),
        (Bool(), "maybe", ""),
        (ListOf(Str()), "'a b'", "write it as a list: ['a b']"),
        (ListOf(PET), "Rex", "such as [{name: some text}]"),
        (Str(), "{nonce}", "a text that begins with \"{\" is written in quotes: '{nonce}'"),
        (Str(), "{a: 1}", ""),
        (Str(), "[a]", ""),
        (Int(), "many", ""),
        (ListOf(Str()), "x" * 31, "such as [some text]"),
        (
            Record("a pet", {f"a_long_name_of_a_key_{n}": Field(Str(), required=True) for n in range(3)}),
            "Rex",
            "",
        ),
    ],
)
def test_a_cure_is_short_or_absent(shape: Shape, text: str, hint: str) -> None:
    node = parse_yaml(open_source("a.yaml", text))
    assert node is not None
    assert cure(shape, node, text) == hint


def test_a_shape_that_goes_deep_is_cut_short() -> None:
    shape: Shape = Str()
    for name in "edcba":
        shape = OneKey("a step", {name: shape})
    assert example(shape) == "{a: {b: {c: {d: ...}}}}"
