"""The console report as a reader sees it: whole pictures, kept as snapshots."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.reporters.console import render_list, render_run, render_scenario, render_summary
from harness.reporters.layout import reason
from harness.reporters.printable import width_of
from harness.results import NOT_REACHED, Attempt

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

PLAIN: dict[str, Any] = {"color": False, "width": 100}


def test_a_passing_scenario_shows_every_figure(results: Any, snapshot: SnapshotAssertion) -> None:
    assert render_scenario(results.passing, **PLAIN) == snapshot


def test_a_failing_scenario_shows_place_both_sides_evidence_and_the_way_on(
    results: Any, snapshot: SnapshotAssertion
) -> None:
    assert render_scenario(results.failing, **PLAIN) == snapshot


def test_what_was_not_reached_is_in_the_table_and_not_explained_once_more(results: Any) -> None:
    waited = replace(results.failing_abort(), label="wait_for", observed="the screen does not show 'x'")
    unreached = [
        replace(waited, label=label, observed=NOT_REACHED, expected=f"{label} is taken", evidence=())
        for label in ("press", "screen")
    ]
    failing = replace(results.failing, steps=(waited, *unreached))
    shown = render_scenario(failing, **PLAIN)
    assert [line.split()[1] for line in shown.splitlines() if NOT_REACHED in line] == ["press", "screen"]
    assert [line for line in shown.splitlines() if line.endswith("' failed")] == [
        f"  {waited.place}: 'wait_for' failed"
    ]
    assert reason(failing) == "wait_for: the screen does not show 'x'"
    # With nothing before it, a step that was not reached is all there is to explain.
    alone = replace(results.failing, steps=tuple(unreached))
    assert f"{waited.place}: 'press' failed" in render_scenario(alone, **PLAIN)


def test_a_control_shows_what_failed_as_required(results: Any, snapshot: SnapshotAssertion) -> None:
    assert render_scenario(results.control, **PLAIN) == snapshot


def test_a_broken_control_shows_each_step_that_is_wrong(results: Any, snapshot: SnapshotAssertion) -> None:
    broken = results.scenario(
        results.step("abort", "near-duplicate-paragraphs fired at 1,797 of 2,446 characters"),
        results.failing_abort(line=13),
        verdict="failed",
        control=True,
        must_fail=("abort", "interrupt"),
        problem="'abort', 'interrupt' had to fail and passed: the check cannot see a missing guard",
    )
    broken = replace(broken, steps=(broken.steps[0], replace(broken.steps[1], label="truncation")))
    assert render_scenario(broken, **PLAIN) == snapshot


def test_an_error_and_a_skip_say_why(results: Any, snapshot: SnapshotAssertion) -> None:
    error = results.scenario(
        verdict="error", problem="the agent was still running after 60 s\n  | Working..."
    )
    skip = results.scenario(verdict="skipped", problem="agent 'pi' has no switch for 'collapse-repetition'")
    assert render_run(results.run(error, skip), **PLAIN) == snapshot


def test_a_whole_run_ends_with_the_counts(results: Any, snapshot: SnapshotAssertion) -> None:
    run = results.run(results.passing, results.control)
    assert render_run(run, **PLAIN) == snapshot


def test_the_last_line_is_the_counts_and_nothing_else(results: Any) -> None:
    def last(*scenarios: Any) -> str:
        return render_run(results.run(*scenarios), **PLAIN).split("\n")[-1]

    skipped = results.scenario(verdict="skipped")
    assert last() == "scenarios: 0 passed, 0 failed"
    assert last(results.passing, results.passing, skipped) == "scenarios: 2 passed, 0 failed, 1 skipped"
    assert last(results.passing, results.failing, results.scenario(verdict="error")) == (
        "scenarios: 1 passed, 1 failed, 1 error"
    )
    assert last(results.passing, results.control) == "scenarios: 1 passed, 0 failed"


def test_the_summary_is_the_end_of_the_run(results: Any) -> None:
    run = results.run(results.passing, results.control)
    summary = render_summary(run, **PLAIN)
    assert summary == (
        "evidence: .qa/runs/0007 (1.23 s)\ncontrols: 1 passed, 0 failed\nscenarios: 1 passed, 0 failed"
    )
    assert render_run(run, **PLAIN).endswith(summary)


def test_colours_are_the_only_difference_of_a_coloured_report(
    results: Any, snapshot: SnapshotAssertion
) -> None:
    coloured = render_run(results.run(results.failing), color=True, width=100)
    assert coloured == snapshot
    for code in ("0", "1", "2", "31", "32"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == render_run(results.run(results.failing), **PLAIN)


def test_an_ascii_report_has_words_for_symbols_and_escapes_the_rest(results: Any) -> None:
    odd = results.scenario(results.step("output", "found '→ café'"))
    text = render_run(results.run(odd, results.failing), color=False, width=100, ascii_only=True)
    assert text.isascii()
    assert r"passed  output  found '\u2192 caf\xe9'" in text
    assert "failed  abort" in text


def test_escape_codes_of_a_program_never_reach_the_terminal(results: Any) -> None:
    nasty = "\x1b]0;owned\x07\x1b[2J\r\x9b31m\u202etxt"
    step = results.failing_abort(expected=nasty, evidence=(nasty,))
    step = replace(step, observed=nasty, label=f"abort{nasty}", place=replace(step.place, file=nasty))
    facts = dict.fromkeys(("scenario", "summary", "agent", "dialect", "evidence", "rerun", "problem"), nasty)
    result = results.scenario(step, verdict="failed", notes=(nasty,), **facts)
    for scenario in (result, replace(result, control=True, must_fail=(nasty,))):
        text = render_run(results.run(scenario), **PLAIN)
        assert not set(text) & {"\x1b", "\x07", "\r", "\x9b", "\u202e"}
        assert r"\x1b]0;owned\x07" in text
    assert "\x1b" not in render_list([(nasty, [nasty], nasty)], **PLAIN)


def test_long_lines_wrap_below_their_own_beginning(results: Any, snapshot: SnapshotAssertion) -> None:
    text = render_scenario(results.failing, color=False, width=60)
    assert text == snapshot
    to_paste = ("scenarios/", "the whole evidence", "run just this again")
    lines = [line for line in text.splitlines() if not line.strip().startswith(to_paste)]
    assert max(width_of(line) for line in lines) <= 60


def test_the_list_aligns_names_tags_and_summaries(snapshot: SnapshotAssertion) -> None:
    rows = [
        (
            "ttsr-near-duplicate-loop",
            ["ttsr", "text", "gate"],
            "one action restated fifteen times in other words",
        ),
        ("healthy-prose", ["healthy"], "real vocabulary"),
    ]
    assert render_list(rows, color=False, width=80) == snapshot
    assert render_list([], **PLAIN) == "no scenarios"


def test_what_is_not_known_takes_no_line(results: Any) -> None:
    step = results.step("exit", "exit 1", "error")
    bare = results.scenario(step, verdict="error", summary="", evidence="", rerun="")
    assert render_scenario(bare, **PLAIN) == (
        "! ttsr-near-duplicate-loop  reference, openai-chat, 0.31 s\n"
        "  ! exit  exit 1\n\n"
        "  scenarios/ttsr-near-duplicate-loop.yaml:12:5: 'exit' could not be checked\n"
        "    observed  exit 1"
    )
    run = replace(results.run(bare), evidence="")
    assert render_summary(run, **PLAIN) == "scenarios: 0 passed, 0 failed, 1 error"


def test_a_step_of_a_control_that_was_not_judged_keeps_its_verdict(results: Any) -> None:
    control = results.scenario(results.step("abort", "no figure", "skipped"), control=True, must_fail=())
    assert "- abort  skipped              no figure" in render_scenario(control, **PLAIN)


def test_a_flaky_run_says_so_and_keeps_the_evidence_of_the_attempt_that_failed(results: Any) -> None:
    attempts = (Attempt("passed", "", "/e/loop", 0.1), Attempt("failed", "exit: exit 3", "/e/loop~2", 0.1))
    flaky = replace(results.passing, attempts=attempts)
    lines = render_run(results.run(flaky, results.failing), **PLAIN).splitlines()
    assert lines[0].endswith("0.31 s, 2 of 3 attempts passed")
    assert [line for line in lines if "attempt:" in line] == [
        "  another attempt: failed, exit: exit 3 (/e/loop~2)"
    ]
    assert lines[-1] == "scenarios: 1 passed, 1 failed, 1 flaky"


def test_a_run_that_was_repeated_and_always_passed_tells_the_rate_alone(results: Any) -> None:
    steady = replace(results.passing, attempts=(Attempt("passed", "", "/e/loop", 0.1),))
    text = render_run(results.run(steady), **PLAIN)
    assert "2 of 2 attempts passed" in text
    assert "another attempt" not in text
    assert text.endswith("scenarios: 1 passed, 0 failed")
