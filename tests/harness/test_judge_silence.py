"""An agent that asks nothing of the model could not be judged, unless the scenario wants just that."""

from __future__ import annotations

import pytest

from harness.agents.spec_yaml import parse_agent
from harness.evidence import Evidence
from harness.judge import judge
from harness.plan import Job
from harness.scenario_yaml import parse_scenario
from harness.steps.verdicts import failed

AGENT = """agent: demo
command: [demo]
one_shot: ["{prompt}"]
dialects: {openai-chat: {}}
"""
SCENARIO = """scenario: silence
summary: made by a test
model: [{say: hello}]
prompt: "hi"
steps:
  - exit: 0
  - requests: NUMBER
"""


@pytest.mark.parametrize(
    ("number", "exit_code", "verdict", "problem"),
    [
        (0, 0, "passed", ""),
        (0, 3, "failed", ""),
        (1, 0, "error", "agent 'demo' ended with exit code 0 and never asked the model"),
    ],
)
def test_a_run_without_a_request_passes_only_where_the_scenario_wants_none(
    number: int, exit_code: int, verdict: str, problem: str
) -> None:
    scenario = parse_scenario(SCENARIO.replace("NUMBER", str(number)), "silence.yaml")
    job = Job(scenario, parse_agent(AGENT, "demo.yaml"), ("demo",), "openai-chat")
    result = judge(job, Evidence(finished=True, exit_code=exit_code), "", (), ())
    assert (result.verdict, result.problem) == (verdict, problem)


def test_the_step_that_kept_the_agent_from_asking_is_named() -> None:
    text = SCENARIO.replace("  - exit: 0\n  - requests: NUMBER", '  - type: "{prompt}"')
    scenario = parse_scenario(text.replace("model:", "mode: terminal\nmodel:"), "silence.yaml")
    spec = parse_agent(f"{AGENT}terminal: {{ready: {{shows: '>'}}}}\n", "demo.yaml")
    driven = {"type": failed("the screen does not show '>'", "the agent takes input")}
    evidence = Evidence(finished=True, exit_code=0, driven=driven)
    result = judge(Job(scenario, spec, ("demo",), "openai-chat"), evidence, "", (), ())
    assert result.problem == (
        "agent 'demo' ended with exit code 0 and never asked the model: "
        "'type' failed, the screen does not show '>'"
    )
