"""What several reports say alike: names of runs, why one did not pass, paths as a repository sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.results import Change, RunResult, ScenarioResult, StepResult

LEVELS = ("fails", "accept", "warns", "accepted")
FAILING = ("fails", "accept")
"""The levels of findings for which a gate fails."""
GRAVITY = (
    *("could-not-run", "control-broken", "no-control", "mutant-survives", "mutant-reasons"),
    *("loop-missed", "healthy-interrupted", "caught-later", "no-longer-passes", "new-and-failing"),
    *("skipped-now", "control-skipped", "scenario-gone"),
    *("other-mechanism", "other-figures", "keeps-other", "other-requests"),
    *("flaky", "known-failure", "slower", "no-mutants", "caught-earlier", "passes-now", "new-scenario"),
)
"""The kinds of findings, the gravest first: what is not caught at all is worse than what is caught later."""


def name_of(result: ScenarioResult) -> str:
    """The scenario's name, marked where this is its control."""
    return f"{result.scenario} (control)" if result.control else result.scenario


def wrong_steps(result: ScenarioResult) -> list[StepResult]:
    """The steps that made a run fail; in a control those that had to end the other way."""
    judged = [step for step in result.steps if step.verdict != "skipped"]
    must_fail = result.must_fail if result.control else ()
    return [step for step in judged if (step.verdict == "failed") != (step.label in must_fail)]


def explained(steps: Sequence[StepResult]) -> Sequence[StepResult]:
    """The wrong steps that have something to say: what was not reached has not, beside the one before it."""
    return [step for step in steps if not step.is_unreached] or steps[:1]


def reason(result: ScenarioResult) -> str:
    """Why a run did not pass, in one line."""
    if result.problem:
        return result.problem.splitlines()[0]
    steps = explained(wrong_steps(result))
    return f"{steps[0].label}: {steps[0].observed}" if steps else result.verdict


def details(result: ScenarioResult) -> list[str]:
    """Why a run did not pass, in full: each wrong step with its place and evidence."""
    lines = result.problem.splitlines()
    for step in explained(wrong_steps(result)):
        lines += [f"{step.place}: '{step.label}' {step.verdict}"]
        lines += [f"  expected  {step.expected}"] if step.expected else []
        lines += [f"  observed  {step.observed}", *(f"  {line}" for line in step.evidence)]
    lines += [f"note: {note}" for note in result.notes]
    for attempt in result.attempts:
        if attempt.verdict != "passed":
            lines.append(f"another attempt: {attempt.verdict}, {attempt.what} ({attempt.evidence})")
    lines += [f"the whole evidence: {result.evidence}"] if result.evidence else []
    return [*lines, f"run just this again: {result.rerun}"] if result.rerun else lines


def where_of(change: Change) -> str:
    """The agent and the dialect of a finding; one about all dialects names the agent alone."""
    return ", ".join(filter(None, (change.agent, change.dialect)))


def worst_first(changes: Iterable[Change]) -> list[Change]:
    """The findings by what follows from them, then by :data:`GRAVITY`, then the largest figure first."""
    return sorted(changes, key=lambda c: (LEVELS.index(c.level), _gravity(c.kind), -(c.by or 0)))


def _gravity(kind: str) -> int:
    """Its rank; a kind that only another version knows, in a report that is merged, comes last."""
    return GRAVITY.index(kind) if kind in GRAVITY else len(GRAVITY)


def by_run(changes: Iterable[Change]) -> list[list[Change]]:
    """The findings, the worst first, and with each whatever else is told of the same run."""
    groups: dict[tuple[str, str, str, bool], list[Change]] = {}
    for change in worst_first(changes):
        run = (change.scenario, change.agent, change.dialect, change.control)
        groups.setdefault(run, []).append(change)
    return list(groups.values())


def within(path: str, root: str) -> str:
    """A path as it is below ``root``; one that is elsewhere, or no path, stays as it is.

    >>> within("/work/a/b.yaml", "/work"), within("/elsewhere/b.yaml", "/work")
    ('a/b.yaml', '/elsewhere/b.yaml')
    """
    start = root.rstrip("/") + "/"
    return path.removeprefix(start) if root and path.startswith(start) else path


def counts(run: RunResult) -> dict[str, int]:
    """How many runs ended how, controls among them."""
    verdicts = [result.verdict for result in run.scenarios]
    return {verdict: verdicts.count(verdict) for verdict in ("passed", "failed", "error", "skipped")}
