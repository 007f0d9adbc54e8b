"""What ``qa gate`` prints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.place import Place
from harness.reporters.gate_console import render_gate, render_run_line
from harness.reporters.paint import Paint
from harness.results import Attempt, Change, RunResult

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

PLAIN = Paint(color=False, width=100)
LATE = Change(
    "caught-later", "accept", "loop", "pi", "openai-chat", "the loop of reply 1 is caught 654 characters later",
    by=654, place=Place("scenarios/loop.yaml", 11, 5),
)  # fmt: skip
BROKEN = Change(
    "control-broken", "fails", "loop", "pi", "openai-chat", "the control no longer fails", control=True
)
NEW = Change("new-scenario", "warns", "leak", "pi", "openai-chat", "is not in the baseline")


def test_findings_stand_under_what_follows_from_them_the_worst_first(snapshot: SnapshotAssertion) -> None:
    later = replace(
        LATE, scenario="other", by=9000, text="the loop of reply 1 is caught 9,000 characters later"
    )
    run = RunResult((), ".qa/runs/0007", 12.3, (NEW, replace(NEW, scenario="flood"), LATE, later, BROKEN))
    assert render_gate(run, PLAIN) == snapshot


def test_what_was_accepted_no_longer_fails_the_gate(snapshot: SnapshotAssertion) -> None:
    changes = (replace(LATE, level="accepted"), replace(NEW, level="accepted"))
    run = RunResult((), ".qa/runs/0007", 1.0, changes, "meant")
    assert render_gate(run, PLAIN, "wrote gate.yaml: 31 entries, reason 'meant'") == snapshot


def test_a_gate_without_findings_passes() -> None:
    assert render_gate(RunResult((), "", 1.0), PLAIN) == "\nruns: none\ngate: passed"


def test_a_run_is_one_line_and_tells_why_it_did_not_pass(results: Any, snapshot: SnapshotAssertion) -> None:
    flaky = replace(results.passing, attempts=(Attempt("failed", "x", "/e", 0.1),))
    without = replace(results.passing, verdict="skipped", steps=(), problem="no switch\n  more")
    bare = replace(results.passing, verdict="error", steps=(), problem="")
    runs = [results.passing, results.control, results.failing, flaky, without, bare]
    assert "\n".join(render_run_line(run, PLAIN) for run in runs) == snapshot


def test_all_that_is_told_of_one_run_stands_together_and_names_it_once() -> None:
    missed = replace(LATE, kind="loop-missed", scenario="other", by=None, text="is no longer caught")
    kept = replace(LATE, kind="keeps-other", by=None, text="891 characters are kept")
    fails = replace(
        LATE,
        kind="no-longer-passes",
        by=None,
        text="no longer passes",
        place=Place("scenarios/loop.yaml", 12, 5),
    )
    lines = render_gate(RunResult((), "", 1.0, (kept, LATE, fails, missed)), PLAIN).splitlines()
    assert [line.strip() for line in lines[2:7]] == [
        "other: is no longer caught (scenarios/loop.yaml:11:5) [pi, openai-chat]",
        "loop: the loop of reply 1 is caught 654 characters later (scenarios/loop.yaml:11:5) [pi,",
        "openai-chat]",
        "also: no longer passes (scenarios/loop.yaml:12:5)",
        "also: 891 characters are kept (scenarios/loop.yaml:11:5)",
    ]
    assert lines[-1] == "gate: failed, 4 findings"


def test_a_snapshot_that_differs_tells_how_to_look_at_it_here(results: Any) -> None:
    step = results.step("snapshot", "screen changed", "failed", evidence=("set QA_UPDATE=1", "- a", "+ b"))
    lines = render_run_line(results.scenario(step, verdict="failed"), PLAIN).splitlines()
    assert lines[1:] == ["    snapshot: screen changed", "    set QA_UPDATE=1"]
