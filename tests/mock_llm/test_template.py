from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm.located import open_source, parse_yaml
from mock_llm.script import ScriptTurn
from mock_llm.template import bind, check_names, fill, fill_text, fill_turns, literal, names
from mock_llm.turn import Text, Thinking, ToolCall, Turn, Usage

braced = st.text(alphabet="{}$ab_.1 \n", max_size=30)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("{nonce}", "N"),
        ("{{nonce}}", "{nonce}"),
        ("{{{nonce}}}", "{{nonce}}"),
        ("${nonce}", "${nonce}"),
        ("${{ nonce }} ${{nonce}}", "${{ nonce }} ${{nonce}}"),
        ("{other}", "{other}"),
        ('{"a": {"b": {}}}', '{"a": {"b": {}}}'),
        ('{"a":{nonce}}', '{"a":N}'),
        ("{ nonce }", "{ nonce }"),
        ("a{2} {1,3}", "a{2} {1,3}"),
    ],
)
def test_only_names_in_single_braces_are_replaced(text: str, filled: str) -> None:
    assert fill_text(text, {"nonce": "N"}) == filled


@given(braced, st.dictionaries(st.sampled_from(["a", "b", "a.b", "ab"]), braced))
def test_a_literal_text_fills_to_itself(text: str, variables: dict[str, str]) -> None:
    assert fill_text(literal(text), variables) == text


@given(braced, braced)
def test_binding_first_and_filling_later_is_filling_at_once(text: str, value: str) -> None:
    assert fill_text(bind(text, {"a": value}), {"b": "x"}) == fill_text(text, {"a": value, "b": "x"})


def test_a_long_row_of_braces_takes_no_time() -> None:
    text = "{" * 200_000 + "a"
    assert fill_text(text, {"a": "x"}) == text


def test_names_are_listed_in_order() -> None:
    assert names('{b} {{c}} ${d} {a.x} {"e": 1} {b}') == ["b", "a.x", "b"]


def test_a_turn_is_filled_in_every_part() -> None:
    turn = Turn((Text("{n}"), Thinking("a {n}"), ToolCall("i", "bash", '{"x": "{n}"}')), Usage(1, 2), "tool")
    assert fill(turn, {"n": "1"}) == Turn(
        (Text("1"), Thinking("a 1"), ToolCall("i", "bash", '{"x": "1"}')), Usage(1, 2), "tool"
    )
    assert fill_turns([ScriptTurn(turn, place="a:1")], {"n": "1"})[0].turn.parts[0] == Text("1")


@given(st.text())
def test_arguments_stay_json_whatever_the_value(value: str) -> None:
    part = fill(Turn((ToolCall("i", "bash", '{"x": "<{n}>"}'),)), {"n": value}).parts[0]
    assert isinstance(part, ToolCall)
    assert json.loads(part.arguments) == {"x": f"<{value}>"}


def found_in(text: str) -> list[tuple[int, int, int, str]]:
    problems = open_source("a.yaml", text)
    node = parse_yaml(problems)
    assert node is not None
    check_names(node, ("nonce", "time"), problems)
    return [(p.line, p.column, p.end_column, p.message) for p in problems.found]


def test_an_unknown_name_is_shown_at_its_own_place() -> None:

    assert found_in("a:\n  - 'x {nonse} {nonse}'\n  - >\n    ok {nonce}\n    but {tim}\n") == [
        (2, 8, 15, "unknown variable 'nonse'"),
        (2, 16, 23, "unknown variable 'nonse'"),
        (5, 9, 14, "unknown variable 'tim'"),
    ]


def test_a_name_that_the_source_spells_otherwise_is_shown_at_its_text() -> None:
    assert found_in(r'a: "\x7bnonse}"') == [(1, 4, 16, "unknown variable 'nonse'")]
