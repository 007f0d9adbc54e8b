"""Lanes, invariants and the end of a script, as YAML says them."""

from __future__ import annotations

import pytest

from mock_llm.filling import fill_script
from mock_llm.invariants import ALWAYS, Invariant
from mock_llm.matchers import Check
from mock_llm.problems import ScriptError
from mock_llm.script import Lane, Script, ScriptTurn
from mock_llm.script_yaml import parse_script
from mock_llm.turn import Text, ToolCall, Turn

X = ScriptTurn(Turn((Text("x"),)), place="s.yaml:1")


def script_of(yaml: str) -> Script:
    return parse_script(f"model: [say: x]\n{yaml}", "s.yaml")


def problems_of(yaml: str) -> list[str]:
    with pytest.raises(ScriptError) as caught:
        script_of(yaml)
    return [f"{p.line}:{p.column} {p.message}" for p in caught.value.problems]


def test_a_script_without_any_has_one_conversation_apart_and_ends_with_an_error() -> None:
    assert script_of("") == Script((X,), invariants=ALWAYS)


def test_a_lane_has_what_a_script_has() -> None:
    script = script_of(
        "lanes:\n  title:\n    match: {system: titles}\n    model: [say: x]\n    when_exhausted: repeat-last\n"
        "    invariants: [no_replay]\n  other:\n    lane: N-2\n    conversations: one\n    model: [say: x]\n"
    )
    title, other = script.lanes
    assert title == Lane(
        "title",
        (Check("system", "contains", "titles"),),
        (ScriptTurn(Turn((Text("x"),)), place="s.yaml:5"),),
        (*ALWAYS, Invariant("no_replay", place="s.yaml:7")),
        "repeat-last",
        "s.yaml:3",
    )
    assert (other.nonce, other.is_one, other.place) == ("N-2", True, "s.yaml:8")
    assert other.match == ()


@pytest.mark.parametrize("word", ["error", "repeat-last", "stop"])
def test_the_end_of_a_script_is_a_word(word: str) -> None:
    assert script_of(f"when_exhausted: {word}").when_exhausted == word


def test_the_end_of_a_script_may_be_a_turn() -> None:
    turn = ScriptTurn(Turn((Text("over"),)), place="s.yaml:2")
    assert script_of("when_exhausted: {say: over}").when_exhausted == turn


def test_every_invariant_can_be_said() -> None:
    script = script_of(
        "invariants: [roles_alternate, system_unchanged, tools_unchanged, no_replay, lacks: a, contains: b,\n"
        "  max_messages: 3, roles_alternate: gemini, tool_results_answer_calls: true]\n"
    )
    assert [(i.rule, i.text, i.number, i.dialects) for i in script.invariants] == [
        ("roles_alternate", "", 0, ()),
        ("system_unchanged", "", 0, ()),
        ("tools_unchanged", "", 0, ()),
        ("no_replay", "", 0, ()),
        ("lacks", "a", 0, ()),
        ("contains", "b", 0, ()),
        ("max_messages", "", 3, ()),
        ("roles_alternate", "", 0, ("gemini",)),
        ("tool_results_answer_calls", "", 0, ()),
    ]


def test_what_is_always_checked_can_be_switched_off() -> None:
    assert script_of("invariants: [tool_results_answer_calls: false]").invariants == ()
    assert script_of("invariants: []").invariants == ALWAYS


@pytest.mark.parametrize(
    ("yaml", "problems"),
    [
        ("lanes: []", ["2:8 expected a mapping, got a list"]),
        ("lanes: {a: {}}", ["2:12 missing key 'model' in a lane"]),
        ("lanes: {a: {model: [say: x]}}", ["2:9 lane 'a' needs 'match' or 'lane'"]),
        ("lanes: {a: {match: {}, model: [say: x]}}", ["2:20 a matcher needs one of its keys"]),
        ("lanes: {a: {match: {nth: 1}, model: [say: x]}}", ["2:21 unknown key 'nth' in a matcher"]),
        ("lanes: {a: {lane: N, model: [saay: x]}}", ["2:30 unknown key 'saay' in a turn"]),
        ("lanes: {a: {lane: '{x}', model: [say: x]}}", ["2:20 unknown variable 'x'"]),
        (
            "lanes: {a: {lan: x, modl: [say: x]}}",
            ["2:13 unknown key 'lan' in a lane", "2:21 unknown key 'modl' in a lane"],
        ),
        ("invariants: no_replay", ["2:13 expected a list, got 'no_replay'"]),
        ("invariants: [no_reply]", ["2:14 unknown value 'no_reply'"]),
        ("invariants: [lack: x]", ["2:14 unknown key 'lack' in an invariant"]),
        ("invariants: [lacks: '{x}']", ["2:22 unknown variable 'x'"]),
        ("invariants: [max_messages: 0]", ["2:28 expected a whole number of at least 1, got 0"]),
        ("when_exhausted: repeat", ["2:17 unknown value 'repeat'"]),
        ("when_exhausted: [stop]", ["2:17 expected a word or a turn (a mapping), got a list"]),
        ("when_exhausted: {say: x, times: 2}", ["2:26 'times' says nothing of a turn in 'when_exhausted'"]),
        (
            "when_exhausted: {say: x, when: {model: x}}",
            ["2:26 'when' says nothing of a turn in 'when_exhausted'"],
        ),
        ("conversations: two", ["2:16 unknown value 'two'"]),
    ],
)
def test_a_mistake_has_its_place(yaml: str, problems: list[str]) -> None:
    assert problems_of(yaml) == problems


def test_the_values_of_a_run_are_filled_in_everywhere() -> None:
    script = parse_script(
        'lane: "{nonce}"\n'
        'model: [{say: "{nonce}", when: {last_user: "{nonce}"}}]\n'
        'when_exhausted: {say: "{nonce}"}\n'
        'invariants: [lacks: "{nonce}!"]\n'
        'lanes: {a: {match: {user: "{nonce}"}, lane: "sub {nonce}", model: [call: {bash: {x: "{nonce}"}}]}}\n',
        "s.yaml",
    )
    filled = fill_script(script, {"nonce": "N"}, {"bash": "shell"})
    [turn], [lane] = filled.turns, filled.lanes
    assert isinstance(filled.when_exhausted, ScriptTurn)
    [call] = lane.turns[0].turn.parts
    assert isinstance(call, ToolCall)
    assert turn.turn.parts == filled.when_exhausted.turn.parts == (Text("N"),)
    assert turn.when == (Check("last_user", "contains", "N"),)
    assert filled.invariants[-1].text == "N!"
    assert (lane.match, lane.nonce) == ((Check("user", "contains", "N"),), "sub N")
    assert (call.name, call.arguments) == ("shell", '{"x": "N"}')
