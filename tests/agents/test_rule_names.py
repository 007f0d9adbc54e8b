"""A misspelled rule or mechanism is a check that can never pass: it is named before the run."""

from __future__ import annotations

from pathlib import Path

from harness.agents.locate import load_agent
from harness.agents.rule_names import name_warnings
from harness.agents.spec_yaml import parse_agent
from harness.detectors.mechanisms import PUBLISHED
from harness.find_scenarios import all_scenarios
from harness.scenario import Scenario
from harness.scenario_yaml import load_scenario, parse_scenario

REFERENCE = load_agent("reference")
NO = "agent 'reference' has no"
SCENARIO = """scenario: a
summary: b
model: [{say: hi}, {say: there}]
prompt: c
steps:
  - abort: {RULES}
  - interrupt: {rule: collapse-repetition}
control: {disable: [DISABLED], must_fail: [abort]}
"""


def _scenario(rules: str, disabled: str = "collapse-repetition") -> Scenario:
    return parse_scenario(SCENARIO.replace("RULES", rules).replace("DISABLED", disabled), "a.yaml")


def test_the_reference_agent_lists_what_its_guard_can_report() -> None:
    assert REFERENCE.guard.rules == PUBLISHED.rules
    assert REFERENCE.guard.mechanisms == PUBLISHED.ids


def test_the_shipped_scenarios_name_nothing_unknown(tmp_path: Path) -> None:
    shipped = [load_scenario(path) for path in all_scenarios(tmp_path)]
    assert len(shipped) >= 8
    assert [line for scenario in shipped for line in name_warnings(scenario, REFERENCE)] == []


def test_each_unknown_name_is_told_with_its_place() -> None:
    scenario = _scenario("rule: collapse-repetitions, mechanism: paragraf-repeat", "colapse-repetition")
    assert list(name_warnings(scenario, REFERENCE)) == [
        f"a.yaml:6:5: {NO} rule 'collapse-repetitions'; did you mean 'collapse-repetition'?",
        f"a.yaml:6:5: {NO} mechanism 'paragraf-repeat'; did you mean 'paragraph-repeat'?",
        f"a.yaml:8:10: {NO} rule 'colapse-repetition'; did you mean 'collapse-repetition'?",
    ]


def test_a_mechanism_can_be_disabled_by_itself() -> None:
    assert list(name_warnings(_scenario("reply: 1", "paragraph-repeat"), REFERENCE)) == []


def test_an_agent_without_a_guard_says_so_in_its_steps_instead() -> None:
    assert list(name_warnings(_scenario("rule: nothing-like-it"), load_agent("pi"))) == []


def test_where_a_description_lists_no_mechanisms_none_is_unknown() -> None:
    text = "agent: x\ncommand: [x]\none_shot: ['{prompt}']\ndialects: {openai-chat: {}}\n"
    spec = parse_agent(f"{text}guard: {{rules: [collapse-repetition]}}", "x.yaml")
    assert list(name_warnings(_scenario("mechanism: anything"), spec)) == []
