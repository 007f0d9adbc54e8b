"""Lanes, invariants, values and unused turns of a script, in a scenario that the real command runs."""

from __future__ import annotations

from tests.e2e.qa_command import Qa

RULES = """
model:
  - say: "hello {nonce}, request {request.nth} for {request.model}"
  - say: "never asked for"
when_exhausted: stop
lanes:
  title:
    match: {system: Generate a title}
    model: [say: "never asked for either"]
prompt: "Hello {nonce}"
steps:
  - recovery: {contains: "hello {nonce}, request 1 for mock-model", reply: 1}
  - exit: 0
"""


def test_turns_that_nobody_asked_for_are_named_in_a_note(qa: Qa) -> None:
    qa.scenario("unused", RULES)
    ended = qa("run", "unused")
    assert ended.code == 0
    [result] = ended.results().values()
    [note] = result["notes"]
    assert note == (
        "2 of 3 scripted turns were never asked for: turn 2 (scenarios/unused.yaml:6), "
        "turn 1 (scenarios/unused.yaml:11) of lane 'title'"
    )


def test_a_breach_of_an_invariant_fails_a_run_whose_steps_pass(qa: Qa) -> None:
    qa.scenario("breach", f"{RULES}invariants:\n  - lacks: Hello\n")
    ended = qa("run", "breach")
    assert ended.code == 1
    [result] = ended.results().values()
    assert [step["verdict"] for step in result["steps"]] == ["passed", "passed"]
    assert result["problem"].startswith(
        "request 1 breaks the invariant 'lacks' (scenarios/breach.yaml:17)\n  POST /v1/chat/completions, "
    )
    assert "contains it at character 1: 'Hello " in result["problem"]
    assert "breaks the invariant 'lacks' (scenarios/breach.yaml:17)" in ended.out
