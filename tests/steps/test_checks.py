from __future__ import annotations

from typing import Any

import pytest

from harness.place import Place
from harness.scenario import Step
from harness.steps import arguments
from harness.steps.checks import CHECKS, check
from harness.steps.snapshot_arguments import Snapshot
from harness.steps.verdicts import MAX_LINES, Failed, Passed, Pending, failed

EACH = {
    "abort": arguments.Abort(),
    "truncation": arguments.Truncation(),
    "interrupt": arguments.Interrupt(),
    "recovery": arguments.Recovery("x"),
    "silent": arguments.Silent(),
    "request": arguments.Request(2, contains=("{reply_1.dropped}",)),
    "requests": arguments.Requests(1),
    "output": arguments.Output(contains=("x",)),
    "exit": arguments.Exit(0),
    "snapshot": Snapshot(("transcript",)),
}


def _step(kind: str) -> Step:
    return Step(kind, kind, EACH[kind], Place("scenarios/a.yaml", 3, 5))


def test_every_kind_that_a_scenario_can_name_has_a_check() -> None:
    assert set(CHECKS) == set(arguments.STEP_SHAPES) == set(EACH)


@pytest.mark.parametrize("kind", EACH)
def test_nothing_is_decided_while_nothing_has_happened(build: Any, kind: str) -> None:
    assert isinstance(check(_step(kind), build.evidence(finished=False)), Pending)


@pytest.mark.parametrize("kind", EACH)
def test_a_run_that_ended_with_nothing_fails_with_both_sides(build: Any, kind: str) -> None:
    verdict = check(_step(kind), build.evidence())
    assert isinstance(verdict, Failed)
    assert verdict.observed
    assert verdict.expected


@pytest.mark.parametrize("kind", EACH)
def test_a_request_whose_answer_has_not_begun_decides_nothing(build: Any, kind: str) -> None:
    evidence = build.evidence(build.exchange(build.text, 0, ended="open"), finished=False)
    assert isinstance(check(_step(kind), evidence), Pending)


def test_a_step_passes_through_the_registry(build: Any) -> None:
    assert check(_step("exit"), build.evidence(exit_code=0)) == Passed("exit 0")


def test_a_check_that_still_waits_at_the_end_has_failed(build: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CHECKS, "exit", lambda _args, _evidence: Pending("a sign"))
    verdict = check(_step("exit")._replace(label="exit#2"), build.evidence())
    assert verdict == Failed("still waiting for a sign", "exit#2 is decided before the run ends")


def test_a_failure_is_capped_in_lines_and_in_their_length() -> None:
    verdict = failed("o" * 999, "e", ["x" * 999, "", *"abcdefghij"])
    assert len(verdict.observed) == 240
    assert len(verdict.evidence) == MAX_LINES
    assert len(verdict.evidence[0]) == 160
    assert verdict.evidence[-1] == "... and 4 more lines"


UNRESOLVED = {
    "interrupt": arguments.Interrupt(contains="{nonse}"),
    "recovery": arguments.Recovery("{nonse}"),
    "request": arguments.Request(1, contains=("{nonse}",)),
    "output": arguments.Output(lacks=("{nonse}",)),
}


@pytest.mark.parametrize("kind", UNRESOLVED)
def test_an_unknown_name_in_a_text_fails_every_kind_with_the_known_names(build: Any, kind: str) -> None:
    step = Step(kind, kind, UNRESOLVED[kind], Place("scenarios/a.yaml", 3, 5))
    verdict = check(step, build.evidence(build.exchange("x"), finished=False))
    assert isinstance(verdict, Failed)
    assert verdict.observed.startswith("'{nonse}' has no value: no such name; known: nonce")


def test_a_pattern_that_runs_away_fails_the_step_and_says_what_to_do(
    build: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mock_llm.patterns.LIMIT_S", 0.02)
    args = arguments.Output(matches="^(a|a)*$")
    step = Step("output", "output", args, Place("scenarios/a.yaml", 3, 5))
    verdict = check(step, build.evidence(output="a" * 40 + "b"))
    assert isinstance(verdict, Failed)
    assert verdict.observed.startswith("the regular expression /^(a|a)*$/ had no result after 0.02 s of work")
