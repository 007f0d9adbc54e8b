"""Lanes, invariants and the end of a script as YAML says them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from mock_llm.includes import expanded
from mock_llm.invariants import ALWAYS, Invariant, Rule
from mock_llm.lane_shape import exhausted_shape, invariants_shape, lanes_shape
from mock_llm.located import ListNode, MapNode, Node
from mock_llm.reading import is_invalid, read
from mock_llm.script import Lane, ScriptTurn
from mock_llm.shape import Located, Picked
from mock_llm.template import RUN_VARIABLES, check_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mock_llm.matchers import Matcher
    from mock_llm.problems import Problems
    from mock_llm.script import Exhausted

    ReadFile = Callable[[str], str]
    ParseTurns = Callable[[Node, Problems, ReadFile], tuple[ScriptTurn, ...]]


class LaneReader:
    """Reads what surrounds the turns of a script.

    Args:
        problems: Takes the mistakes.
        read_file: Gives the text of an included file.
        parse_turns: Reads a list of turns.
    """

    def __init__(self, problems: Problems, read_file: ReadFile, parse_turns: ParseTurns) -> None:
        self._problems = problems
        self._read_file = read_file
        self._parse_turns = parse_turns

    def shared(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """``invariants``, ``when_exhausted`` and ``conversations`` of a script or a lane."""
        shared: dict[str, Any] = {"invariants": ALWAYS}
        if isinstance(value["invariants"], Located):
            shared["invariants"] = self._invariants(value["invariants"].node)
        if isinstance(value["when_exhausted"], Located):
            shared["when_exhausted"] = self._exhausted(value["when_exhausted"].node)
        if isinstance(value.get("conversations"), str):
            shared["conversations"] = value["conversations"]
        return shared

    def lanes(self, node: Node) -> tuple[Lane, ...]:
        """The lanes in their order; mistakes are noted."""
        values = read(lanes_shape(), node, self._problems)
        if not isinstance(values, dict) or not isinstance(node, MapNode):
            return ()
        return tuple(
            self._lane(name.text, values[name.text], name)
            for name, _ in node.entries
            if isinstance(values[name.text], dict)
        )

    def _lane(self, name: str, value: dict[str, Any], at: Node) -> Lane:
        match: Matcher = ()
        if isinstance(value["match"], Located):
            from mock_llm.when_yaml import MATCH, parse_matcher

            node = value["match"].node
            read_match = read(MATCH, node, self._problems)
            match = parse_matcher(read_match, node, self._problems) if isinstance(read_match, dict) else ()
        elif value["match"] is None and value["lane"] is None and not is_invalid(value):
            example = f"such as '{name}: {{match: {{system: Generate a title}}, model: [...]}}'"
            self._problems.add(at.start, at.end, f"lane '{name}' needs 'match' or 'lane'", example)
        nonce = ""
        if isinstance(value["lane"], Located):
            nonce = value["lane"].value
            check_names(value["lane"].node, RUN_VARIABLES, self._problems)
        turns: tuple[ScriptTurn, ...] = ()
        if isinstance(value["model"], Located):
            turns = self._parse_turns(value["model"].node, self._problems, self._read_file)
        return Lane(name, match, turns, place=self._place(at), nonce=nonce, **self.shared(value))

    def _invariants(self, node: Node) -> tuple[Invariant, ...]:
        whole = expanded(node, "invariants", self._problems, self._read_file)
        values = read(invariants_shape(), whole, self._problems) if whole else ()
        if not isinstance(values, tuple) or not isinstance(whole, ListNode):
            return ALWAYS
        found = [
            self._invariant(value, item)
            for value, item in zip(values, whole.items, strict=True)
            if not is_invalid(value) and not (isinstance(value, Picked) and is_invalid(value.value))
        ]
        named = {invariant.rule for invariant in found}
        always = (invariant for invariant in ALWAYS if invariant.rule not in named)
        return (*always, *(invariant for invariant in found if invariant.number >= 0))

    def _invariant(self, value: str | Picked, node: Node) -> Invariant:
        """The invariant; one that is switched off has the number -1."""
        place = self._place(node)
        if not isinstance(value, Picked):
            return Invariant(cast("Rule", value), place=place)
        rule, given = cast("Rule", value.key), value.value
        if rule == "roles_alternate":
            return Invariant(rule, dialects=given, place=place)
        if rule == "tool_results_answer_calls":
            return Invariant(rule, number=0 if given else -1, place=place)
        if rule == "max_messages":
            return Invariant(rule, number=given, place=place)
        check_names(node, RUN_VARIABLES, self._problems)
        return Invariant(rule, given, place=place)

    def _exhausted(self, node: Node) -> Exhausted:
        if not isinstance(node, MapNode):
            return cast("Exhausted", read(exhausted_shape(), node, self._problems))
        for key in ("when", "times"):
            if node.get(key) is not None:
                at = next(each for each, _ in node.entries if each.text == key)
                self._problems.add(at.start, at.end, f"'{key}' says nothing of a turn in 'when_exhausted'")
        turns = self._parse_turns(ListNode(node.start, node.end, (node,)), self._problems, self._read_file)
        return turns[0] if turns else "error"

    def _place(self, node: Node) -> str:
        source = self._problems.source
        return f"{source.file_at(node.start)}:{source.place(node.start)[0]}"
