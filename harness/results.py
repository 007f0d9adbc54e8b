"""Outcomes: all that reporters see of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from harness.place import Place  # noqa: TC001 - who reads results from JSON asks for the types

Verdict = Literal["passed", "failed", "error", "skipped"]
Level = Literal["fails", "accept", "warns", "accepted"]

NOT_REACHED = "not reached: a step before it failed, or the run ended"
"""What is observed of a step whose turn did not come."""


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

    @property
    def is_unreached(self) -> bool:
        """Whether it only failed because its turn did not come."""
        return self.verdict == "failed" and self.observed == NOT_REACHED


@dataclass(frozen=True, slots=True)
class Stop:
    """A reply of the main lane that was stopped, in figures. Offsets count characters of its stream.

    ``rule`` and ``mechanism`` are empty, ``fired_at`` and ``kept_chars`` None where the agent does not say
    so; ``sent_chars`` is what had been handed to the socket of the whole reply, the same as ``text_chars``
    where all of it was (then nobody hung up in time). ``text_chars`` is 0 for a reply without an end.
    """

    reply: int
    stream: str
    rule: str = ""
    mechanism: str = ""
    fired_at: int | None = None
    kept_chars: int | None = None
    sent_chars: int = 0
    text_chars: int = 0


@dataclass(frozen=True, slots=True)
class Attempt:
    """Another attempt at the same run; ``what`` says in a few words why it did not pass."""

    verdict: Verdict
    what: str
    evidence: str
    duration_s: float


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """How one scenario ended on one agent in one dialect.

    ``control`` tells that this was the negative control; then ``must_fail`` names the steps that had
    to fail, and the verdict says whether exactly those did. ``problem`` explains ``error`` and
    ``skipped``. ``evidence`` is the folder of the run. ``stops`` and ``requests`` (of the main lane) are
    the figures that a gate compares. ``attempts`` are further attempts at the same run, in their order: those
    before it when it was made again, all others when it was repeated. ``network`` are the names
    that the agent tried to reach, where it had a network with nothing in it.
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
    file: str = ""
    stops: tuple[Stop, ...] = ()
    requests: int = 0
    attempts: tuple[Attempt, ...] = ()
    network: tuple[str, ...] = ()

    @property
    def is_flaky(self) -> bool:
        """Whether it passed in one attempt and did not in another."""
        verdicts = [self.verdict, *(attempt.verdict for attempt in self.attempts)]
        return "passed" in verdicts and any(v in ("failed", "error") for v in verdicts)

    @property
    def passes(self) -> tuple[int, int]:
        """How many of all attempts passed, and how many there were."""
        verdicts = [self.verdict, *(attempt.verdict for attempt in self.attempts)]
        return verdicts.count("passed"), len(verdicts)


@dataclass(frozen=True, slots=True)
class Change:
    """One finding of the gate: a difference from the baseline, or a breach of the gate's own rules.

    ``level`` says what follows: it ``fails`` whatever anybody says, fails until somebody takes it with a
    reason (``accept``), only ``warns``, or was ``accepted`` just now. ``before`` and ``after`` are the
    figures in words, and ``by`` is the difference where it is a number of characters.
    """

    kind: str
    level: Level
    scenario: str
    agent: str
    dialect: str
    text: str
    control: bool = False
    before: str = ""
    after: str = ""
    by: int | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """All scenarios of one run, and the folder that holds their evidence.

    ``changes`` are the gate's findings, the worst first; ``accepted`` is why they were taken.
    ``shard`` says ``2/3`` where other machines make the rest.
    """

    scenarios: tuple[ScenarioResult, ...]
    evidence: str
    duration_s: float
    changes: tuple[Change, ...] = ()
    accepted: str = ""
    shard: str = ""
