"""The registry of checks: which function judges which kind of step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.results import NOT_REACHED
from harness.steps import abort, interrupt, program, recovery, request, silent, snapshot, truncation
from harness.steps.verdicts import CheckVerdict, Pending, failed
from mock_llm.patterns import RunsAwayError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from harness.evidence import Evidence
    from harness.scenario import Step

CHECKS: Mapping[str, Callable[[Any, Evidence], CheckVerdict]] = {
    "abort": abort.check,
    "truncation": truncation.check,
    "interrupt": interrupt.check,
    "recovery": recovery.check,
    "silent": silent.check,
    "request": request.check_request,
    "requests": request.check_requests,
    "output": program.check_output,
    "exit": program.check_exit,
    "snapshot": snapshot.check,
}

DRIVING_KINDS = frozenset({"type", "press", "wait_for", "screen", "resize", "signal"})
"""The steps that drive a terminal; see :mod:`harness.steps.driving`."""


def check(step: Step, evidence: Evidence) -> CheckVerdict:
    """Judge a step. With ``evidence.finished`` the verdict is never :class:`Pending`.

    Raises:
        KeyError: For a kind that has no check; the scenario loader refuses such a step.
    """
    try:
        verdict = _driven(step, evidence) if step.kind in DRIVING_KINDS else _judged(step, evidence)
    except RunsAwayError as error:
        return failed(str(error), f"{step.label} can be decided")
    if isinstance(verdict, Pending) and evidence.finished:
        expected = f"{step.label} is decided before the run ends"
        return failed(f"still waiting for {verdict.waiting_for}", expected)
    return verdict


def _judged(step: Step, evidence: Evidence) -> CheckVerdict:
    return CHECKS[step.kind](step.args, evidence)


def _driven(step: Step, evidence: Evidence) -> CheckVerdict:
    """How a step that drives the terminal has ended; that was seen when it was its turn."""
    if step.label in evidence.driven:
        return evidence.driven[step.label]
    if not evidence.finished:
        return Pending("its turn")
    return failed(NOT_REACHED, f"{step.label} is taken")
