"""Several attempts at one run as one result: made until one passes, or repeated to know how often it does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.results import Attempt, ScenarioResult

_ORDER = ("error", "failed", "skipped", "passed")


class Again(NamedTuple):
    """How often a run is made: ``repeat`` times, or again until it passes, ``retries`` times at most."""

    retries: int = 0
    repeat: int = 1


ONCE = Again()


def retried(results: Sequence[ScenarioResult]) -> ScenarioResult:
    """The last attempt, with those before it: one that passes in the end is flaky and says so."""
    *earlier, last = results
    return replace(last, attempts=tuple(map(_attempt, earlier)))


def repeated(results: Sequence[ScenarioResult]) -> ScenarioResult:
    """The worst attempt, with all others: repeated runs pass when every one of them does."""
    worst = min(results, key=lambda result: _ORDER.index(result.verdict))
    others = [result for result in results if result is not worst]
    return replace(worst, attempts=tuple(map(_attempt, others)))


def _attempt(result: ScenarioResult) -> Attempt:
    from harness.reporters.layout import wrong_steps
    from harness.results import Attempt

    wrong = wrong_steps(result)
    what = result.problem.splitlines()[0] if result.problem else ""
    if not what and wrong and result.verdict != "passed":
        what = f"{wrong[0].label}: {wrong[0].observed}"
    return Attempt(result.verdict, what, result.evidence, result.duration_s)
