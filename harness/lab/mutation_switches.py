"""Mutants that are switches of an agent, and real runs of scenarios with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from harness.problems import CannotRun
from harness.steps.arguments import Abort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harness.agents.spec import GuardSwitches
    from harness.plan import Job
    from harness.qa_session import QaSession
    from harness.results import ScenarioResult
    from harness.scenario import Scenario


class Switch(NamedTuple):
    """A switch of an agent: what is off with it, and which scenarios want that to fire.

    ``rule`` and ``mechanism`` are empty when any rule is meant.
    """

    id: str
    arguments: tuple[str, ...]
    rule: str = ""
    mechanism: str = ""

    def is_wanted_by(self, scenario: Scenario) -> bool:
        """Whether a step of the scenario wants to see fire what the switch switches off."""
        return any(
            isinstance(step.args, Abort)
            and (not self.rule or step.args.rule == self.rule)
            and (not self.mechanism or step.args.mechanism == self.mechanism)
            for step in scenario.steps
        )


def switches(guard: GuardSwitches) -> tuple[Switch, ...]:
    """The switches of a guard: the whole of it, and each of its rules."""
    whole = (Switch("guard off", guard.off),) if guard.off else ()
    if not guard.disable_rule:
        return whole
    return (*whole, *(Switch(f"{rule} off", guard.without([rule]), rule) for rule in guard.rules))


def wiring(guard: GuardSwitches) -> tuple[Switch, ...]:
    """The mechanisms of a guard, each switched off by its name, where the agent can do that."""
    if not guard.disable_rule:
        return ()
    return tuple(
        Switch(f"{name}: taken out", guard.without([name]), mechanism=name) for name in guard.mechanisms
    )


class Passing:
    """Whether a scenario passes on the agent of a session as it is; each is run once, when first asked for.

    One that the agent has no means for (it cannot resume, say) does not pass.
    """

    def __init__(self, session: QaSession) -> None:
        self._session = session
        self._known: dict[str, bool] = {}

    def __call__(self, scenario: Scenario) -> bool:
        """Whether it does.

        Raises:
            CannotRun: If the agent could not be run or its run not be judged.
        """
        if scenario.name not in self._known:
            verdicts = {result.verdict for result in run_with(self._session, None, [scenario])}
            self._known[scenario.name] = verdicts == {"passed"}
        return self._known[scenario.name]


def run_with(
    session: QaSession, switch: Switch | None, scenarios: Sequence[Scenario]
) -> Iterator[ScenarioResult]:
    """Run the scenarios on the agent of the session, with the switch given to it or without.

    Raises:
        CannotRun: If a run could not be made or judged.
    """
    for job in session.jobs(scenarios):
        result = session.run(_switched(job, switch))
        if result.verdict == "error":
            raise CannotRun(f"'{job.scenario.name}' could not be run: {result.problem}")
        yield result


def killers(
    session: QaSession,
    switch: Switch,
    scenarios: Sequence[Scenario],
    passes: Callable[[Scenario], bool],
    *,
    first: bool = False,
) -> tuple[str, ...]:
    """The scenarios that fail with a switch and pass without.

    Args:
        session: Its agent is run.
        switch: What is switched off.
        scenarios: All that may be run; only those that want to see it fire are.
        passes: Whether a scenario passes without the switch.
        first: One is enough.
    """
    found = []
    for scenario in scenarios:
        if not switch.is_wanted_by(scenario) or not passes(scenario):
            continue
        if any(result.verdict == "failed" for result in run_with(session, switch, [scenario])):
            found.append(scenario.name)
            if first:
                break
    return tuple(found)


def _switched(job: Job, switch: Switch | None) -> Job:
    return job._replace(argv=(*job.argv, *switch.arguments)) if switch else job
