"""Scripted tool calls with the argument names of an agent; :mod:`mock_llm.filling` puts the tool's name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mock_llm.template import fill_text
from mock_llm.turn import ToolCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.agents.spec import AgentSpec
    from mock_llm.script import Script, ScriptTurn
    from mock_llm.turn import Part


def tool_names(spec: AgentSpec, variables: Mapping[str, str]) -> dict[str, str]:
    """The agent's names for our tools in this run: some differ with the dialect."""
    return {ours: fill_text(name, variables) for ours, name in spec.tools.items()}


def in_the_agents_words(script: Script, spec: AgentSpec, *, terminal: bool = False) -> Script:
    """The script with the calls of all its turns as the agent names their arguments.

    Arguments that are no JSON object, as those of a broken call, stay as they are. ``terminal``: it is played
    to an agent on a terminal, which may not want its final call there.
    """
    if terminal and spec.terminal is not None and not spec.terminal.final_call:
        spec = spec._replace(final_call=None)
    if not spec.tool_arguments and spec.final_call is None:
        return script
    lanes = tuple(
        lane._replace(turns=tuple(_turn(turn, spec) for turn in lane.turns)) for lane in script.lanes
    )
    return script._replace(turns=tuple(_turn(turn, spec) for turn in script.turns), lanes=lanes)


def _turn(turn: ScriptTurn, spec: AgentSpec) -> ScriptTurn:
    if any(isinstance(part, ToolCall) for part in turn.turn.parts):
        parts = tuple(_part(part, spec) for part in turn.turn.parts)
        return turn._replace(turn=turn.turn._replace(parts=parts))
    if spec.final_call is None or turn.turn.stop != "stop":
        return turn
    call = ToolCall("call_final", *spec.final_call)
    return turn._replace(turn=turn.turn._replace(parts=(*turn.turn.parts, call), stop="tool"))


def _part(part: Part, spec: AgentSpec) -> Part:
    names = spec.tool_arguments.get(part.name) if isinstance(part, ToolCall) else None
    if names is None or not isinstance(part, ToolCall):
        return part
    try:
        arguments = json.loads(part.arguments)
    except ValueError:
        return part
    if not isinstance(arguments, dict) or not arguments.keys() & names.keys():
        return part
    renamed = {names.get(name, name): value for name, value in arguments.items()}
    return part._replace(arguments=json.dumps(renamed, ensure_ascii=False))
