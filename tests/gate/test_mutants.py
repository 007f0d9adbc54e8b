"""Mutants that survive are findings of the gate."""

from __future__ import annotations

import json

import pytest

from harness.gate.mutants import mutant_changes


def told(code: int, value: object, err: str = "") -> list[tuple[str, str, str]]:
    out = json.dumps(value) if value is not None else "no JSON"
    return [
        (change.kind, change.level, change.text) for change in mutant_changes("reference", code, out, err)
    ]


def test_every_survivor_without_a_reason_fails() -> None:
    value = {
        "mutants": [{"mutant": "a"}],
        "unexplained": ["short-period: min_copies 3"],
        "outdated": ["'b' is killed"],
    }
    assert told(1, value) == [
        ("mutant-reasons", "fails", "'b' is killed"),
        ("mutant-survives", "fails", "the mutant 'short-period: min_copies 3' survives: nothing notices it"),
    ]


def test_a_switch_that_no_scenario_notices_fails_unless_a_reason_says_why() -> None:
    value = {
        "agent": "pi",
        "mutants": {"off": ["ttsr-leak"], "rule x off": [], "rule y off": []},
        "unexplained": ["rule x off"],
        "outdated": ["'off' has a reason to survive, and is killed"],
    }
    assert told(1, value) == [
        ("mutant-reasons", "fails", "'off' has a reason to survive, and is killed"),
        ("mutant-survives", "fails", "the mutant 'rule x off' survives: nothing notices it"),
    ]


def test_when_all_are_noticed_there_is_nothing_to_say() -> None:
    assert told(0, {"mutants": [], "unexplained": [], "outdated": []}) == []


def test_an_agent_without_a_switch_only_warns() -> None:
    assert told(5, None, "agent 'pi' has no switch") == [("no-mutants", "warns", "agent 'pi' has no switch")]


@pytest.mark.parametrize("code", [1, 2, 3, 4])
def test_what_could_not_be_tried_fails(code: int) -> None:
    ((kind, level, text),) = told(code, None, "traceback\nthe cause")
    assert (kind, level) == ("could-not-run", "fails")
    assert text == f"qa mutate ended with exit code {code}: the cause"
