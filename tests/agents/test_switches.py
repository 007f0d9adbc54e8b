"""A guard of an agent's own switched on and off, and calls in an agent's own words."""

from __future__ import annotations

import json

import pytest

from harness.agents.locate import agent_names, load_agent
from harness.agents.spec_yaml import parse_agent
from harness.agents.switches import switched
from harness.agents.tool_words import in_the_agents_words, tool_names
from mock_llm.script import Lane, Script, ScriptTurn
from mock_llm.turn import Text, ToolCall, Turn

HEAD = "agent: demo\ncommand: [demo]\none_shot: [--ask, '{prompt}']\ndialects: {openai-chat: {before: x_}}\n"
GUARDED = (
    HEAD
    + """env: {A: "1"}
files: {"{home}/a.json": {model: {name: m, loops: true}}, "{home}/a.toml": "loops = true"}
guards:
  - name: loops
    looks_at: [text]
    detects: loops
    off:
      args: [--no-loops]
      env: {B: "2"}
      files: {"{home}/a.json": {model: {loops: false}}, "{home}/a.toml": "loops = false", "{home}/b": "new"}
"""
)


def test_a_switch_adds_arguments_and_environment_and_merges_settings() -> None:
    found = switched(parse_agent(GUARDED, "demo.yaml"), "loops", "off")
    assert found is not None
    assert found.one_shot == ("--no-loops", "--ask", "{prompt}")
    assert found.env == {"A": "1", "B": "2"}
    assert json.loads(found.files["{home}/a.json"]) == {"model": {"name": "m", "loops": False}}
    assert (found.files["{home}/a.toml"], found.files["{home}/b"]) == ("loops = false", "new")


def test_a_switch_that_the_agent_lacks_is_none_and_a_guard_that_it_lacks_an_error() -> None:
    spec = parse_agent(GUARDED, "demo.yaml")
    assert switched(spec, "loops", "on") is None
    with pytest.raises(KeyError, match="cycles"):
        switched(spec, "cycles", "off")


@pytest.mark.parametrize("name", agent_names())
def test_every_switch_of_the_shipped_agents_changes_something_unless_it_is_the_default(name: str) -> None:
    spec = load_agent(name)
    for guard in spec.guards:
        other = switched(spec, guard.name, "on" if guard.default == "off" else "off")
        assert other != spec


def script(*parts: Text | ToolCall, stop: str = "stop") -> Script:
    turn = ScriptTurn(Turn(parts, stop=stop))
    return Script((turn,), lanes=(Lane("sub", (), (turn,)),))


def test_arguments_get_the_agents_names_in_every_lane() -> None:
    spec = parse_agent(HEAD + "tools: {bash: {name: sh, arguments: {command: cmd}}}\n", "demo.yaml")
    call = ToolCall("c", "bash", '{"command": "ls", "timeout": 3}')
    found = in_the_agents_words(script(Text("a"), call), spec)
    renamed = ToolCall("c", "bash", '{"cmd": "ls", "timeout": 3}')
    assert found.turns[0].turn.parts == (Text("a"), renamed)
    assert found.lanes[0].turns[0].turn.parts == (Text("a"), renamed)


@pytest.mark.parametrize("arguments", ['{"command": "ls', "[1]", '{"other": 1}'])
def test_arguments_that_cannot_be_renamed_stay_as_they_are(arguments: str) -> None:
    spec = parse_agent(HEAD + "tools: {bash: {name: sh, arguments: {command: cmd}}}\n", "demo.yaml")
    before = script(ToolCall("c", "bash", arguments))
    assert in_the_agents_words(before, spec) == before


def test_a_tools_name_may_differ_with_the_dialect() -> None:
    spec = parse_agent(HEAD + 'tools: {bash: "{before}bash", read: read}\n', "demo.yaml")
    assert tool_names(spec, {"before": "x_"}) == {"bash": "x_bash", "read": "read"}


def test_a_final_call_follows_a_last_reply_and_no_other() -> None:
    spec = parse_agent(HEAD + "final_call: {done: {code: 0}}\n", "demo.yaml")
    last = in_the_agents_words(script(Text("a")), spec).turns[0].turn
    assert last == Turn((Text("a"), ToolCall("call_final", "done", '{"code": 0}')), stop="tool")
    for other in (script(ToolCall("c", "bash", "{}")), script(Text("a"), stop="length")):
        assert in_the_agents_words(other, spec) == other


@pytest.mark.parametrize(("wanted", "is_made"), [("", True), (", final_call: false", False)])
def test_in_a_terminal_the_final_call_can_be_left_out(wanted: str, is_made: bool) -> None:  # noqa: FBT001
    shown = f"terminal: {{ready: {{shows: x}}{wanted}}}\n"
    spec = parse_agent(HEAD + "final_call: {done: {}}\n" + shown, "demo.yaml")
    before = script(Text("a"))
    assert (in_the_agents_words(before, spec, terminal=True) != before) is is_made
    assert in_the_agents_words(before, spec) != before


def test_an_agent_without_words_of_its_own_gets_the_script_itself() -> None:
    before = script(Text("a"), ToolCall("c", "bash", '{"command": "ls"}'))
    assert in_the_agents_words(before, parse_agent(HEAD, "demo.yaml")) is before
