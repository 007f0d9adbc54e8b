"""Which switches of the agent a control needs."""

from __future__ import annotations

from typing import Any

import pytest

from harness.agents.locate import load_agent
from harness.agents.spec import AgentSpec
from harness.plan import Job
from harness.scenario_yaml import parse_scenario

BASE = "scenario: a\nsummary: b\nmodel: [{say: hi}]\nprompt: c\nsteps: [{exit: 0}]\n"


def control(disable: str, **guard: Any) -> Job:
    """The control that disables these rules, on an agent with two rules and the given switches."""
    reference = load_agent("reference")
    given: AgentSpec = reference._replace(
        guard=reference.guard._replace(rules=("loops", "leaks"), off=(), disable_rule=())
    )
    spec = given._replace(guard=given.guard._replace(**guard))
    scenario = parse_scenario(f"{BASE}control: {{disable: {disable}, must_fail: [exit]}}\n", "a.yaml")
    return Job(scenario, spec, ("agent",), "openai-chat", control=True)


def test_each_rule_is_switched_off_by_itself_where_the_agent_can() -> None:
    job = control("[loops, leaks]", disable_rule=("--without", "{rule}"), off=("--bare",))
    assert job.guard_arguments == ("--without", "loops", "--without", "leaks")


def test_rules_are_named_together_where_the_agent_takes_one_list() -> None:
    job = control("[loops, leaks]", disable_rule=("--without={rules}",))
    assert job.guard_arguments == ("--without=loops,leaks",)


def test_the_whole_guard_is_switched_off_when_that_is_all_the_agent_can_and_all_rules_are_meant() -> None:
    assert control("[leaks, loops]", off=("--bare",)).guard_arguments == ("--bare",)


@pytest.mark.parametrize("disable", ["[loops]", "[other]"])
def test_the_whole_guard_stays_on_when_only_some_rules_are_meant(disable: str) -> None:
    assert control(disable, off=("--bare",)).guard_arguments is None


def test_without_a_switch_there_is_no_control() -> None:
    assert control("[loops, leaks]").guard_arguments is None


def test_a_run_that_is_no_control_needs_no_switch() -> None:
    assert control("[loops]")._replace(control=False).guard_arguments == ()
