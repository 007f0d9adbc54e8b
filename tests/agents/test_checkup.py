"""What a run in a terminal shows of a description: the fact that does not hold, and not what follows from it."""

from __future__ import annotations

import pytest

from harness.agents.checkup import Fact, Probe, facts
from harness.agents.spec_yaml import parse_agent
from harness.evidence import Evidence
from harness.place import Place
from harness.results import StepResult, Verdict
from harness.steps.verdicts import Failed, Passed, failed
from mock_llm.journal import Exchange

DESCRIPTION = """agent: demo
command: [demo]
one_shot: ["{prompt}"]
dialects: {openai-chat: {}}
session: {glob: "{home}/*.jsonl", reader: pi-jsonl}
terminal: {ready: {shows: hello}, quit: [ctrl-c, ctrl-x]}
"""
IN_A_TERMINAL = Probe("terminal", tool=False)


def shown(
    *driven: Passed | Failed,
    exchanges: tuple[Exchange, ...] = (),
    description: str = DESCRIPTION,
) -> dict[str, Fact]:
    """The facts that a run shows whose first steps ended so; the others were not reached."""
    labels = ("wait_for", "type", "wait_for#2", "wait_for#3")
    reached = dict(zip(labels, driven, strict=False))
    steps = [_result(label, reached.get(label, failed("not reached", ""))) for label in labels]
    evidence = Evidence(exchanges=exchanges, output="one\n\n> \n", finished=True, driven=reached)
    spec = parse_agent(description, "demo.yaml")
    found = facts(IN_A_TERMINAL, spec, "openai-chat", evidence, steps)
    assert len({fact.key for fact in found}) == len(found)
    return {fact.key: fact for fact in found}


def _result(label: str, end: Passed | Failed) -> StepResult:
    verdict: Verdict = "passed" if isinstance(end, Passed) else "failed"
    return StepResult(label, label, Place("s", 1, 1), verdict, end.observed)


def test_a_screen_that_is_never_ready_is_the_only_fact_and_is_shown() -> None:
    found = shown(failed("the screen does not show 'hello'", "the agent takes input"))
    assert list(found) == ["terminal.ready"]
    assert found["terminal.ready"].seen == "the screen does not show 'hello'; last output: one / >"


def test_text_that_no_request_follows_was_not_submitted() -> None:
    no_request = failed("reply 1 has not begun: request 1 has not come", "reply 1 is over")
    found = shown(Passed("ready"), Passed("typed and submitted"), no_request)
    assert {key: fact.holds for key, fact in found.items()} == {
        "terminal.ready": True,
        "terminal.submit": False,
    }
    assert found["terminal.submit"].seen.startswith(
        "reply 1 has not begun: request 1 has not come; last output: "
    )


def test_a_request_that_was_refused_is_told_beside_the_step_that_waited_for_its_answer() -> None:
    refused = Exchange(
        1, "POST", "/v9", {}, 0.0, lane="none", problem="a path that is not served\n  POST /v9"
    )
    found = shown(Passed("ready"), Passed("typed"), failed("no answer", "answered"), exchanges=(refused,))
    assert [key for key, fact in found.items() if not fact.holds] == [
        "terminal.ready again",
        "dialects.openai-chat",
    ]
    assert (
        "others: POST /v9; a path that is not served / POST /v9; last output"
        in found["dialects.openai-chat"].seen
    )


@pytest.mark.parametrize(
    ("keys", "seen"),
    [
        (", quit: [ctrl-c, ctrl-x]", "still running after ctrl-c, ctrl-x; last output: one / >"),
        ("", "no key is described, and it does not end by itself; last output: one / >"),
    ],
)
def test_an_agent_that_does_not_quit_has_no_exit_code(keys: str, seen: str) -> None:
    description = DESCRIPTION.replace(", quit: [ctrl-c, ctrl-x]", keys)
    found = shown(*[Passed("")] * 4, description=description)
    assert found["terminal.quit"] == Fact("terminal.quit", holds=False, seen=seen)
