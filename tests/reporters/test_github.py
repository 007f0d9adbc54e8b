"""GitHub's annotations: the worst first, under the caps, on the line of the file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.place import Place
from harness.reporters.github import MOST, render_github
from harness.results import Attempt, Change, Level, RunResult


def change(number: int, level: Level = "accept", **facts: Any) -> Change:
    given: dict[str, Any] = {
        "text": f"caught {number} later",
        "by": number,
        "place": Place("s/loop.yaml", 11, 5),
    }
    given |= {"scenario": f"loop-{number}", "agent": "pi", "dialect": "openai-chat"}
    return Change(facts.pop("kind", "caught-later"), level, **(given | facts))


def test_a_failed_step_is_an_error_on_its_line(results: Any) -> None:
    text = render_github(results.run(results.passing, results.failing))
    (line,) = text.splitlines()
    assert line.startswith(
        "::error file=scenarios/ttsr-near-duplicate-loop.yaml,line=12,col=5,"
        "title=ttsr-near-duplicate-loop failed (pi%2C openai-chat)::abort: no guard: all 2,446 characters arrived%0A"
    )


def test_a_run_that_passed_says_nothing(results: Any) -> None:
    assert render_github(results.run(results.passing, results.control)) == ""


def test_the_worst_findings_come_first_and_no_more_than_github_shows() -> None:
    changes = (
        [change(n, "warns") for n in range(12)]
        + [change(n) for n in range(15)]
        + [change(99, "fails", by=None)]
    )
    lines = render_github(RunResult((), "", 1.0, tuple(changes))).splitlines()
    errors = [line for line in lines if line.startswith("::error")]
    warnings = [line for line in lines if line.startswith("::warning")]
    notices = [line for line in lines if line.startswith("::notice")]
    assert (len(errors), len(warnings), len(notices)) == (MOST, MOST, 2)
    assert "loop-99" in errors[0]
    assert [line.split("loop-")[1].split(" ")[0] for line in errors[1:4]] == ["14", "13", "12"]
    assert "6 more errors are not shown here" in notices[0]
    assert "2 more warnings are not shown here" in notices[1]


def test_what_was_accepted_is_no_annotation_and_neither_is_its_run(results: Any) -> None:
    failing = results.failing
    taken = change(1, "accepted", agent=failing.agent, dialect=failing.dialect, scenario=failing.scenario)
    assert render_github(RunResult((failing,), "", 1.0, (taken,), "meant")) == ""


def test_a_place_outside_the_repository_is_told_in_the_text() -> None:
    text = render_github(
        RunResult((), "", 1.0, (change(1, place=Place("/site/loop.yaml", 3, 1)),)), root="/work"
    )
    assert "file=" not in text
    assert "::/site/loop.yaml:3:1: caught 1 later" in text


def test_paths_are_those_of_the_repository() -> None:
    text = render_github(
        RunResult((), "", 1.0, (change(1, place=Place("/work/s/loop.yaml", 3, 1)),)), root="/work"
    )
    assert "file=s/loop.yaml,line=3,col=1" in text


def test_a_failure_that_a_finding_tells_is_not_told_twice_and_a_known_one_only_warns(results: Any) -> None:
    told = replace(change(1), scenario="ttsr-near-duplicate-loop")
    run = replace(results.run(results.failing), changes=(told,))
    assert len(render_github(run).splitlines()) == 1
    known = replace(told, level="warns", kind="known-failure", scenario="other")
    lines = render_github(replace(run, changes=(known,))).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::warning", "::warning"]


def test_a_flaky_run_is_a_warning(results: Any) -> None:
    flaky = replace(results.passing, attempts=(Attempt("failed", "exit: exit 1", "/e/1", 0.1),))
    (line,) = render_github(results.run(flaky)).splitlines()
    assert line.startswith("::warning ")
    assert line.endswith("::flaky: passed 1 of 2 attempts")


@pytest.mark.parametrize("verdict", ["error"])
def test_a_run_without_steps_stands_at_its_file(results: Any, verdict: Any) -> None:
    result = replace(
        results.passing, verdict=verdict, steps=(), problem="no program", file="scenarios/a.yaml"
    )
    assert render_github(results.run(result)).startswith("::error file=scenarios/a.yaml,title=")


@given(st.text(), st.text())
def test_no_text_makes_a_command_of_its_own(name: str, text: str) -> None:
    lines = render_github(RunResult((), "", 1.0, (replace(change(1), scenario=name, text=text),))).split("\n")
    assert len(lines) == 2
    assert lines[0].startswith("::error file=s/loop.yaml,line=11,col=5,title=")


def test_a_loop_that_is_missed_is_worse_than_any_that_is_later_and_is_never_under_the_caps() -> None:
    later = [change(n) for n in range(MOST + 5)]
    missed = change(98, kind="loop-missed", by=None, text="no longer caught")
    healthy = change(99, kind="healthy-interrupted", by=None, text="now interrupted")
    lines = render_github(RunResult((), "", 1.0, (*later, healthy, missed))).splitlines()
    assert [line.split("title=")[1].split("%3A")[0] for line in lines[:3]] == [
        "loop-missed",
        "healthy-interrupted",
        "caught-later",
    ]


def test_all_that_is_told_of_one_run_is_one_annotation_with_the_worst_in_front() -> None:
    kept = change(1, kind="keeps-other", by=None, text="891 characters are kept")
    known = change(1, "warns", kind="slower", by=None, text="takes 4.0 s")
    control = change(1, "fails", kind="control-broken", by=None, text="passes", control=True)
    lines = render_github(RunResult((), "", 1.0, (kept, change(1), known, control))).splitlines()
    assert [line.split("::")[2] for line in lines] == [
        "passes",
        "caught 1 later%0A891 characters are kept",
        "takes 4.0 s",
    ]
    assert "title=caught-later%3A loop-1 (pi%2C openai-chat)" in lines[1]


def test_one_that_is_left_out_is_told_in_the_singular() -> None:
    changes = tuple(change(n) for n in range(MOST + 1))
    assert render_github(RunResult((), "", 1.0, changes)).splitlines()[-1] == (
        "::notice title=qa::1 more error is not shown here; the job summary and the JUnit report have them all"
    )
