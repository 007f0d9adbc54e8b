"""Which runs a selection means: scenario x dialect, each with its negative control."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from harness.agents.rule_names import unknown_disabled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.agents.spec import AgentSpec
    from harness.scenario import Scenario
    from mock_llm.script import ScriptTurn


class Cutting(NamedTuple):
    """How replies are cut instead of what the scenario says; both None leave the scenario alone."""

    deltas: int | None = None
    chars_per_delta: int | None = None


AS_WRITTEN = Cutting()


class Job(NamedTuple):
    """One run to make: a scenario on an agent in a dialect, or its negative control.

    ``argv`` is the agent's program and its fixed arguments. ``again`` are the words of a command line
    that selects the scenario and the agent once more.
    """

    scenario: Scenario
    spec: AgentSpec
    argv: tuple[str, ...]
    dialect: str
    control: bool = False
    cutting: Cutting = AS_WRITTEN
    again: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A name that is unique within one selection, and that a file system can take."""
        control = "-control" if self.control else ""
        return f"{self.scenario.name}{control}@{self.spec.name}-{self.dialect}"

    @property
    def turns(self) -> tuple[ScriptTurn, ...]:
        """The turns to play: the scenario's, or those of its control, cut as was asked."""
        control = self.scenario.control
        turns = control.model if self.control and control and control.model else self.scenario.model
        return tuple(_cut(turn, self.cutting) for turn in turns)

    @property
    def guard_arguments(self) -> tuple[str, ...] | None:
        """Arguments that switch off what the control disables; None if the agent has no such switch."""
        control = self.scenario.control
        if not self.control or control is None or not control.disable:
            return ()
        guard = self.spec.guard
        if not guard.disable_rule:
            is_whole = set(guard.rules) <= set(control.disable)
            return guard.off if guard.off and is_whole else None
        return guard.without(control.disable)

    @property
    def obstacle(self) -> str:
        """Why this agent cannot make the run; empty when it can."""
        if self.guard_arguments is None:
            rules = ", ".join(self.scenario.control.disable) if self.scenario.control else ""
            return f"agent '{self.spec.name}' has no switch for '{rules}', so its control cannot be run"
        if self.scenario.then and not self.spec.resume:
            return f"agent '{self.spec.name}' has no 'resume' arguments, so it cannot go on with a session"
        if self.scenario.mode == "terminal" and self.spec.terminal is None:
            return (
                f"agent '{self.spec.name}' has no 'terminal' in its description, so it is run only one-shot"
            )
        return ""

    @property
    def mistake(self) -> str:
        """Why the run would show nothing: a control that switches off what the agent does not have."""
        if not self.control or not self.spec.guard.disable_rule:
            return ""
        return "\n".join(unknown_disabled(self.scenario, self.spec))

    @property
    def rerun(self) -> str:
        """The command that makes just this run again."""
        words = ["qa", "run", *(self.again or (self.scenario.name,)), "--dialect", self.dialect]
        if self.cutting.deltas:
            words += ["--deltas", str(self.cutting.deltas)]
        if self.cutting.chars_per_delta:
            words += ["--chars-per-delta", str(self.cutting.chars_per_delta)]
        if self.control:
            words.append("--controls")
        return shlex.join(words)


def plan(
    scenarios: Sequence[Scenario],
    spec: AgentSpec,
    argv: tuple[str, ...],
    dialects: Sequence[str],
    *,
    controls: bool = False,
    cutting: Cutting = AS_WRITTEN,
) -> tuple[Job, ...]:
    """Every run of the selection, in the order of the scenarios."""
    jobs = []
    for scenario in scenarios:
        for dialect in dialects:
            job = Job(scenario, spec, argv, dialect, cutting=cutting)
            jobs.append(job)
            if controls and scenario.control is not None:
                jobs.append(job._replace(control=True))
    return tuple(jobs)


def _cut(turn: ScriptTurn, cutting: Cutting) -> ScriptTurn:
    if cutting.deltas is None and cutting.chars_per_delta is None:
        return turn
    stream = turn.stream._replace(deltas=cutting.deltas, chars_per_delta=cutting.chars_per_delta)
    return turn._replace(stream=stream)
