"""From evidence to outcome: what the steps say, and what a control had to show."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.figures import stops
from harness.results import ScenarioResult, StepResult, Verdict
from harness.steps.arguments import Requests
from harness.steps.checks import check
from harness.steps.verdicts import Failed, Passed, Skipped
from harness.steps.wording import LAST_LINES, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.evidence import Evidence
    from harness.plan import Job
    from harness.scenario import Step
    from mock_llm.journal import Exchange

_TAIL_LINES = 8
_LAST_LINE_CHARS = 600
_MOST_NAMES = 4
_MOST_REFUSALS = 5


def judge(
    job: Job, evidence: Evidence, problem: str, refused: Sequence[Exchange], unused: Sequence[str] = ()
) -> ScenarioResult:
    """The outcome of a finished run.

    ``problem`` says why the run itself did not come to its end; then nothing it shows can pass.
    ``refused`` are the requests the mock could not answer, or that break an invariant of the script: they
    fail a run whose steps all passed. ``unused`` names the turns that no request has reached; a note says so.
    """
    result = _outcome(job, evidence, problem, refused, unused)
    return replace(result, stops=stops(evidence), requests=len(evidence.main))


def _outcome(
    job: Job, evidence: Evidence, problem: str, refused: Sequence[Exchange], unused: Sequence[str]
) -> ScenarioResult:
    steps = tuple(_step_result(step, evidence) for step in job.scenario.steps)
    if problem:
        return _result(job, steps, "error", problem)
    if never := _never_asked(job, evidence):  # it shows the end of the output, so no step has to
        return _result(job, tuple(map(_without_output, steps)), "error", never)
    refusals = _listed(refused)
    if job.control:
        return _judge_control(job, _as_reached(job, steps, evidence), refusals)
    if refusals or any(step.verdict == "failed" for step in steps):
        return _result(job, steps, "failed", refusals, _unplayed(job, unused))
    if steps and all(step.verdict == "skipped" for step in steps):
        return _result(job, steps, "skipped", steps[0].observed, _unplayed(job, unused))
    return _result(job, steps, "passed", "", _unplayed(job, unused))


def skipped(job: Job, why: str, verdict: Verdict = "skipped") -> ScenarioResult:
    """The outcome of a run that was not made."""
    return _result(job, (), verdict, why)


def with_unmade(made: Sequence[ScenarioResult], jobs: Sequence[Job], why: str) -> tuple[ScenarioResult, ...]:
    """The results, and an error for each run that has none: what was not run cannot have passed."""
    known = {(r.scenario, r.agent, r.dialect, r.control) for r in made}
    missing = [j for j in jobs if (j.scenario.name, j.spec.name, j.dialect, j.control) not in known]
    return (*made, *(skipped(job, why, "error") for job in missing))


def _as_reached(job: Job, steps: tuple[StepResult, ...], evidence: Evidence) -> tuple[StepResult, ...]:
    """In a control, what is not reached behind a step that had to fail is skipped, unless it is named."""
    control = job.scenario.control
    named = set(control.must_fail) if control else set()
    last = next(reversed([*evidence.driven]), "")
    if last not in named or not isinstance(evidence.driven[last], Failed):
        return steps
    why = f"not reached, as '{last}' had to fail"
    return tuple(
        replace(step, verdict="skipped", observed=why)
        if step.is_unreached and step.label not in named
        else step
        for step in steps
    )


def _judge_control(job: Job, steps: tuple[StepResult, ...], refusals: str) -> ScenarioResult:
    control = job.scenario.control
    named = set(control.must_fail) if control else set()
    unseen = [step for step in steps if step.verdict == "skipped"]
    must_fail = named - {step.label for step in unseen}
    failing = {step.label for step in steps if step.verdict == "failed"}
    problems = []
    if passed := sorted(must_fail - failing):
        problems.append(f"{_quoted(passed)} had to fail and passed: the check cannot see a missing guard")
    if also := sorted(failing - must_fail):
        problems.append(f"{_quoted(also)} failed too, and 'must_fail' does not name it")
    if refusals:
        problems.append(refusals)
    if unseen and not must_fail and not problems:
        return _result(job, steps, "skipped", unseen[0].observed)
    verdict: Verdict = "failed" if problems else "passed"
    return _result(job, steps, verdict, "; ".join(problems))


def _step_result(step: Step, evidence: Evidence) -> StepResult:
    outcome = check(step, evidence)
    if isinstance(outcome, Passed):
        return StepResult(step.label, step.kind, step.place, "passed", outcome.observed)
    if isinstance(outcome, Failed):
        return StepResult(
            step.label,
            step.kind,
            step.place,
            "failed",
            outcome.observed,
            outcome.expected,
            outcome.evidence,
        )
    if isinstance(outcome, Skipped):
        return StepResult(step.label, step.kind, step.place, "skipped", outcome.why)
    raise AssertionError(f"step '{step.label}' is pending after the run has ended")


def _never_asked(job: Job, evidence: Evidence) -> str:
    if any(e.reply is not None or e.of_lane or e.complaint for e in evidence.exchanges):
        return ""
    if any(isinstance(step.args, Requests) and not step.args.number for step in job.scenario.steps):
        return ""  # as the scenario wants it
    aside = len(evidence.exchanges)
    lines = [line for line in evidence.output.splitlines() if line.strip()][-_TAIL_LINES:]
    # The last line is what the program has to say.
    shown = "".join(f"\n  | {shortened(line)}" for line in lines[:-1])
    shown += "".join(f"\n  | {shortened(line, _LAST_LINE_CHARS)}" for line in lines[-1:])
    others = "1 other request" if aside == 1 else f"{aside} other requests"
    asked = f"asked nothing of the conversation, though it made {others}"
    never = asked if aside else "never asked the model"
    code = evidence.exit_code
    ended = "was still running when the run ended" if code is None else f"ended with exit code {code}"
    stuck = next(((name, v) for name, v in evidence.driven.items() if isinstance(v, Failed)), None)
    why = f": '{stuck[0]}' failed, {stuck[1].observed}" if stuck else ""
    return f"agent '{job.spec.name}' {ended} and {never}{why}{shown}"


def _without_output(step: StepResult) -> StepResult:
    """The step's result without the last lines of the output."""
    lines = step.evidence
    if LAST_LINES not in lines:
        return step
    start = lines.index(LAST_LINES)
    after = next((n for n in range(start + 1, len(lines)) if not lines[n].startswith("| ")), len(lines))
    return replace(step, evidence=lines[:start] + lines[after:])


def _listed(refused: Sequence[Exchange]) -> str:
    """What is wrong with the requests: the first few, then how many more."""
    shown = [exchange.complaint for exchange in refused[:_MOST_REFUSALS]]
    if len(refused) > _MOST_REFUSALS:
        shown.append(f"and {len(refused) - _MOST_REFUSALS:,} more requests like these")
    return "\n".join(shown)


def _unplayed(job: Job, unused: Sequence[str]) -> tuple[str, ...]:
    if not unused:
        return ()
    total = len(job.turns) + sum(len(lane.turns) for lane in job.scenario.lanes)
    more = ", ..." if len(unused) > _MOST_NAMES else ""
    named = f"{', '.join(unused[:_MOST_NAMES])}{more}"
    return (f"{len(unused)} of {total} scripted turns were never asked for: {named}",)


def _quoted(labels: Sequence[str]) -> str:
    return ", ".join(f"'{label}'" for label in labels)


def _result(
    job: Job,
    steps: tuple[StepResult, ...],
    verdict: Verdict,
    problem: str,
    notes: tuple[str, ...] = (),
) -> ScenarioResult:
    control = job.scenario.control
    return ScenarioResult(
        scenario=job.scenario.name,
        summary=job.scenario.summary,
        agent=job.spec.name,
        dialect=job.dialect,
        verdict=verdict,
        steps=steps,
        duration_s=0.0,
        evidence="",
        rerun=job.rerun,
        control=job.control,
        must_fail=control.must_fail if job.control and control else (),
        problem=problem,
        notes=notes,
        file=job.scenario.path,
    )
