"""A control in a terminal: what is not reached behind a step that had to fail needs no name."""

from __future__ import annotations

from harness.agents.spec_yaml import parse_agent
from harness.evidence import Evidence
from harness.judge import judge
from harness.plan import Job
from harness.results import ScenarioResult
from harness.scenario_yaml import parse_scenario
from harness.steps.verdicts import Failed, Passed, failed
from mock_llm.journal import Exchange

AGENT = """agent: demo
command: [demo]
one_shot: ["{prompt}"]
dialects: {openai-chat: {}}
terminal: {ready: {shows: ">"}}
guard: {rules: [loop], off: [--off]}
"""
SCENARIO = """scenario: looped
summary: made by a test
mode: terminal
model: [{say: hello}]
prompt: "hi"
steps:
  - type: "{prompt}"
  - wait_for: {shows: RECOVERED}
  - press: enter
  - resize: {columns: 70, rows: 20}
control: {disable: [loop], must_fail: NAMED}
"""


def control(named: str, **driven: Passed | Failed) -> ScenarioResult:
    scenario = parse_scenario(SCENARIO.replace("NAMED", named), "looped.yaml")
    job = Job(scenario, parse_agent(AGENT, "demo.yaml"), ("demo",), "openai-chat", control=True)
    asked = Exchange(1, "POST", "/v1/chat/completions", {}, 0.0, lane="main", reply=1)
    evidence = Evidence(exchanges=(asked,), finished=True, exit_code=0, driven=driven)
    return judge(job, evidence, "", (), ())


TYPED, UNSEEN = Passed("typed"), failed("the screen does not show 'RECOVERED'", "RECOVERED")


def test_steps_behind_the_one_that_had_to_fail_are_skipped_and_say_so() -> None:
    result = control("[wait_for]", type=TYPED, wait_for=UNSEEN)
    assert (result.verdict, result.problem) == ("passed", "")
    assert [step.verdict for step in result.steps] == ["passed", "failed", "skipped", "skipped"]
    assert result.steps[2].observed == "not reached, as 'wait_for' had to fail"


def test_a_step_that_is_named_counts_as_failed_though_it_was_not_reached() -> None:
    result = control("[wait_for, press]", type=TYPED, wait_for=UNSEEN)
    assert (result.verdict, result.problem) == ("passed", "")
    assert [step.verdict for step in result.steps] == ["passed", "failed", "failed", "skipped"]


def test_behind_a_step_that_had_to_pass_nothing_is_excused() -> None:
    result = control("[press]", type=TYPED, wait_for=UNSEEN)
    assert result.verdict == "failed"
    assert result.problem == "'resize', 'wait_for' failed too, and 'must_fail' does not name it"
