"""Names of rules and mechanisms that a scenario asks for and an agent cannot report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mock_llm.problems import did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.agents.spec import AgentSpec
    from harness.scenario import Scenario


def name_warnings(scenario: Scenario, spec: AgentSpec) -> Iterator[str]:
    r"""One line for each name that the agent's description does not list, with its place.

    The names are those of ``control.disable`` and the ``rule`` and ``mechanism`` of a step. An agent
    without a guard gives no warning: its steps fail and say so. A description without ``mechanisms``
    leaves those unchecked.

    >>> from harness.agents.locate import load_agent
    >>> from harness.scenario_yaml import parse_scenario
    >>> text = "scenario: a\nsummary: b\nmodel: [{say: hi}]\nprompt: c\n"
    >>> scenario = parse_scenario(f"{text}steps: [{{abort: {{rule: collapse-repetitions}}}}]", "a.yaml")
    >>> print(*name_warnings(scenario, load_agent("reference")))
    a.yaml:5:10: agent 'reference' has no rule 'collapse-repetitions'; did you mean 'collapse-repetition'?
    """
    guard = spec.guard
    if not guard.rules:
        return
    for step in scenario.steps:
        for kind, known in (("rule", guard.rules), ("mechanism", guard.mechanisms)):
            name = getattr(step.args, kind, None)
            if name is not None and known and name not in known:
                yield f"{step.place}: {_no_such(spec, kind, name, known)}"
    yield from unknown_disabled(scenario, spec)


def unknown_disabled(scenario: Scenario, spec: AgentSpec) -> Iterator[str]:
    """The same for the names of ``control.disable`` alone."""
    control, guard = scenario.control, spec.guard
    known = (*guard.rules, *guard.mechanisms)
    for name in control.disable if control and guard.rules else ():
        if control and name not in known:
            yield f"{control.place}: {_no_such(spec, 'rule', name, known)}"


def _no_such(spec: AgentSpec, kind: str, name: str, known: Sequence[str]) -> str:
    hint = did_you_mean(name, known) or f"it has {', '.join(known)}"
    return f"agent {quoted(spec.name)} has no {kind} {quoted(name)}; {hint}"
