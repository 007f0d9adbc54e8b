"""``qa mutate --agent``: whether scenarios would notice that a guard of another agent is off."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.agents.spec import AgentSpec
    from harness.lab.mutation_reasons import Judgement
    from harness.lab.mutation_switches import Switch
    from harness.scenario import Scenario

_NOTHING_TO_TRY = 5


def mutate_agent(
    agent: str, programs: tuple[str, ...], only: tuple[str, ...], reasons: Path | None, *, as_json: bool
) -> int:
    """Try the switches of an agent's own guard, each of which a scenario has to notice.

    Returns:
        The exit code: 0 each survivor has a reason, 1 one has none, 5 there is no such switch.
    """
    from harness.agents.locate import load_agent
    from harness.find_scenarios import all_scenarios
    from harness.lab.mutation_files import load_reasons
    from harness.lab.mutation_reasons import judge
    from harness.lab.mutation_switches import Passing, killers, switches
    from harness.lab.mutation_worker import Tried
    from harness.qa_session import open_session
    from harness.scenario_yaml import load_scenarios

    spec = load_agent(agent)
    known = switches(spec.guard)
    chosen = [switch for switch in known if not only or any(text in switch.id for text in only)]
    if not chosen:
        click.echo(_nothing(spec, known, only), err=True)
        return _NOTHING_TO_TRY
    explained = load_reasons(reasons) if reasons else {}
    scenarios = list(load_scenarios(all_scenarios(Path.cwd())).values())
    found: dict[str, tuple[str, ...]] = {}
    with closing(open_session(agent, programs=programs)) as session:
        passes = Passing(session)
        for switch in chosen:
            found[switch.id] = killers(session, switch, scenarios, passes, first=True)
            if not as_json:
                click.echo(f"{switch.id:40} {_outcome(switch, found[switch.id], scenarios, passes)}")
    results = [Tried(name, {"runs": names}) for name, names in found.items()]
    judgement = judge(results, explained, {switch.id for switch in known}, every=len(chosen) == len(known))
    _say(spec, found, judgement, explained, as_json=as_json)
    return 0 if judgement.is_good else 1


def _nothing(spec: AgentSpec, known: Sequence[Switch], only: tuple[str, ...]) -> str:
    """Why there is no switch to try, on one line."""
    if known:
        names = ", ".join(f"'{switch.id}'" for switch in known)
        wanted = " or ".join(f"'{text}'" for text in only)
        return f"agent '{spec.name}' has no switch with {wanted} in its name; it has {names}"
    others = ", ".join(f"'{guard.name}'" for guard in spec.guards)
    if others:
        return (
            f"agent '{spec.name}' has no stream rules that can be switched off; no scenario says when its own"
            f" {others} must fire"
        )
    if spec.guard.rules:
        return (
            f"the guard of agent '{spec.name}' cannot be switched off: {spec.path} has no 'off' and no"
            " 'disable_rule' under 'guard'"
        )
    return f"agent '{spec.name}' has no guard, so nothing of it can be taken out: {spec.path} has no 'guard'"


def _outcome(
    switch: Switch,
    names: Sequence[str],
    scenarios: Sequence[Scenario],
    passes: Callable[[Scenario], bool],
) -> str:
    if names:
        return f"killed by {names[0]}"
    wanted = [scenario for scenario in scenarios if switch.is_wanted_by(scenario)]
    passed = [scenario.name for scenario in wanted if passes(scenario)]
    if passed:
        return f"survives: {', '.join(passed[:3])} {'pass' if passed[1:] else 'passes'} all the same"
    if wanted:
        return f"survives: none of the {len(wanted)} scenarios that want it to fire passes without the switch"
    return "survives: no scenario wants it to fire"


def _say(
    spec: AgentSpec,
    found: Mapping[str, tuple[str, ...]],
    judgement: Judgement,
    reasons: Mapping[str, str],
    *,
    as_json: bool,
) -> None:
    from harness.lab.mutation_matrix import render_reasons

    if as_json:
        told = {
            "agent": spec.name,
            "mutants": found,
            "unexplained": judgement.unexplained,
            "outdated": judgement.outdated,
        }
        click.echo(json.dumps(told, indent=1))
        return
    click.echo(f"\n{sum(map(bool, found.values()))} of {len(found)} switches noticed by a scenario")
    for line in render_reasons(
        judgement, reasons, "add a scenario that wants it to fire, or a reason with --reasons FILE"
    ):
        click.echo(line)
