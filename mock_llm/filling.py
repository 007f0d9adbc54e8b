"""A script with the values of a run: what is left to fill in afterwards are the values of a request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mock_llm.script import Exhausted, Lane, Script, ScriptTurn
from mock_llm.template import fill, fill_text, fill_turn
from mock_llm.turn import ToolCall

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mock_llm.invariants import Invariant
    from mock_llm.matchers import Matcher
    from mock_llm.request import ModelRequest


def fill_script(
    script: Script, variables: Mapping[str, str], tools: Mapping[str, str] | None = None
) -> Script:
    """The script for one run: turns, matchers and invariants of all its lanes.

    Args:
        script: What was read.
        variables: The values of the run by name, such as ``nonce``.
        tools: What an agent calls the tools that the script's calls name.
    """
    return _Filling(variables, tools or {}).script(script)


def fill_from_request(turn: ScriptTurn, request: ModelRequest, nth: int) -> ScriptTurn:
    """A turn that is a template, with the values of the request that it answers."""
    from mock_llm.matchers import last_user, tool_results  # few scripts need them

    results = tool_results(request)
    values = {
        "request.last_user": last_user(request) or "",
        "request.model": request.model,
        "request.tool_result": results[-1] if results else "",
        "request.nth": str(nth),
        "request.system": request.system,
        "request.path": request.path,
        "request.dialect": request.dialect,
    }
    return turn._replace(turn=fill(turn.turn, values), is_template=False)


class _Filling:
    def __init__(self, variables: Mapping[str, str], tools: Mapping[str, str]) -> None:
        self._variables = variables
        self._tools = tools

    def script(self, script: Script) -> Script:
        return script._replace(
            turns=tuple(map(self._turn, script.turns)),
            lanes=tuple(map(self._lane, script.lanes)),
            invariants=tuple(map(self._invariant, script.invariants)),
            when_exhausted=self._exhausted(script.when_exhausted),
        )

    def _lane(self, lane: Lane) -> Lane:
        return lane._replace(
            match=self._matcher(lane.match),
            nonce=self._text(lane.nonce),
            turns=tuple(map(self._turn, lane.turns)),
            invariants=tuple(map(self._invariant, lane.invariants)),
            when_exhausted=self._exhausted(lane.when_exhausted),
        )

    def _exhausted(self, exhausted: Exhausted) -> Exhausted:
        return self._turn(exhausted) if isinstance(exhausted, ScriptTurn) else exhausted

    def _turn(self, turn: ScriptTurn) -> ScriptTurn:
        filled = fill_turn(turn, self._variables)
        if filled.when:
            filled = filled._replace(when=self._matcher(filled.when))
        if not any(isinstance(part, ToolCall) and part.name in self._tools for part in filled.turn.parts):
            return filled
        parts = tuple(
            part._replace(name=self._tools.get(part.name, part.name)) if isinstance(part, ToolCall) else part
            for part in filled.turn.parts
        )
        return filled._replace(turn=filled.turn._replace(parts=parts))

    def _matcher(self, matcher: Matcher) -> Matcher:
        return tuple(
            check if check.how == "matches" else check._replace(wanted=self._text(check.wanted))
            for check in matcher
        )

    def _invariant(self, invariant: Invariant) -> Invariant:
        return invariant._replace(text=self._text(invariant.text))

    def _text(self, value: Any) -> Any:
        return fill_text(value, self._variables) if isinstance(value, str) else value
