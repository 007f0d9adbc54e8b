"""Outcomes: all that reporters see of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["passed", "failed", "error", "skipped"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        """``file:line:column``, as editors and terminals understand it."""
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class StepResult:
    """How one step ended.

    ``label`` is the step's kind, with ``#2`` and so on from its second occurrence. ``observed`` is
    the figure seen, also when the step passed; ``evidence`` holds a few lines to look at.
    """

    label: str
    kind: str
    place: Place
    verdict: Verdict
    observed: str
    expected: str = ""
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """How one scenario ended on one agent in one dialect.

    ``control`` tells that this was the negative control; then ``must_fail`` names the steps that had
    to fail, and the verdict says whether exactly those did. ``problem`` explains ``error`` and
    ``skipped``. ``evidence`` is the folder of the run.
    """

    scenario: str
    summary: str
    agent: str
    dialect: str
    verdict: Verdict
    steps: tuple[StepResult, ...]
    duration_s: float
    evidence: str
    rerun: str
    control: bool = False
    must_fail: tuple[str, ...] = ()
    problem: str = ""
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class RunResult:
    """All scenarios of one run, and the folder that holds their evidence."""

    scenarios: tuple[ScenarioResult, ...]
    evidence: str
    duration_s: float
