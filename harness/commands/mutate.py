"""``qa mutate``: whether the tests of a guard would notice if something were wrong with it."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.commands.one_agent import one_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harness.lab.mutants import Mutant
    from harness.lab.mutation_contract import Case
    from harness.lab.mutation_reach import Bench
    from harness.lab.mutation_worker import Tried
    from harness.scenario import Scenario


@click.command()
@one_agent
@click.option("--agent-bin", "programs", multiple=True, metavar="NAME=PATH", help="The agent's program.")
@click.option("--only", multiple=True, metavar="TEXT", help="Only mutants with this in their id or kind.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes.  [default: one for each processor]")
@click.option("--no-runs", is_flag=True, help="Do not run scenarios with a mechanism taken out.")
@click.option("--contract", type=click.Path(path_type=Path), help="Folder of vectors and contract_cases.")
@click.option("--reasons", type=click.Path(path_type=Path), help="YAML file: why a mutant survives.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="A row for each changed comparison; which steps of scenarios are left out.",
)
def mutate(
    agent: str,
    programs: tuple[str, ...],
    only: tuple[str, ...],
    jobs: int | None,
    contract: Path | None,
    reasons: Path | None,
    *,
    no_runs: bool,
    as_json: bool,
    verbose: bool,
) -> None:
    """Break the guard in every small way, and see whether a test fails.

    Of the reference agent the mutants are changes of its guard; of any other agent they are the switches of
    its own guard. A mutant that no test tells from the guard has to be listed with a reason.

    Exit codes: 0 every survivor is explained, 1 one is not or the list is out of date, 5 nothing selected.
    """
    if agent != "reference":
        from harness.commands.mutate_agent import mutate_agent

        _refuse(agent, contract=contract is not None, no_runs=no_runs)
        sys.exit(mutate_agent(agent, programs, only, reasons, as_json=as_json))
    began = time.monotonic()
    from harness.detectors.mechanisms import PUBLISHED
    from harness.lab.mutants import mutants
    from harness.lab.mutation_copy import sources
    from harness.lab.mutation_files import CONTRACT, REASONS, load_contract, load_reasons
    from harness.lab.mutation_matrix import render_matrix, render_summary
    from harness.lab.mutation_reasons import judge

    known = mutants(PUBLISHED, sources())
    chosen = [m for m in known if not only or any(text in m.id or text == m.kind for text in only)]
    if not chosen:
        named = " or ".join(f"'{text}'" for text in only)
        click.echo(f"no mutant has {named} in its id, or as its kind", err=True)
        sys.exit(5)
    explained = load_reasons(reasons or REASONS)
    scenarios = _scenarios()
    cases = (*load_contract(contract or CONTRACT), *_scenario_cases(scenarios, verbose=verbose))
    results = _tried(chosen, _bench(cases), jobs or os.cpu_count() or 1)
    if not no_runs:
        _run_wiring(agent, programs, scenarios, results)
    judgement = judge(
        [results[mutant.id] for mutant in chosen],
        explained,
        {mutant.id for mutant in known},
        every=len(chosen) == len(known),
    )
    if as_json:
        click.echo(json.dumps(_data(chosen, results, explained, judgement), indent=1))
    else:
        for line in render_matrix(chosen, results, verbose=verbose):
            click.echo(line)
        for line in render_summary([results[m.id] for m in chosen], judgement, explained):
            click.echo(line)
        click.echo(f"\n{time.monotonic() - began:.1f} s, {_processor_s():.1f} s of processor time")
    sys.exit(0 if judgement.is_good else 1)


def _scenarios() -> list[Scenario]:
    from harness.find_scenarios import all_scenarios
    from harness.scenario_yaml import load_scenarios

    return list(load_scenarios(all_scenarios(Path.cwd())).values())


def _scenario_cases(scenarios: Sequence[Scenario], *, verbose: bool) -> list[Case]:
    from harness.lab.mutation_copy import compiled, copied, sources
    from harness.lab.mutation_scenarios import only_what_holds, scenario_case

    found = [case for case in map(scenario_case, scenarios) if case]
    with copied(compiled(sources())) as detectors:
        told = [only_what_holds(case, detectors) for case in found]
    for case, all_of_it in zip(told, found, strict=True):
        missing = len(all_of_it.stated) - len(case.stated)
        if missing and verbose:
            said = f"{missing} of the {len(all_of_it.stated)} steps on the guard left out"
            click.echo(f"{case.id}: {said}, texts alone do not tell", err=True)
    return [case for case in told if case.stated]


def _bench(cases: Sequence[Case]) -> Bench:
    from harness.lab.mutation_reach import bench
    from harness.problems import UserError

    known = bench(cases)
    if known.failing:
        names = ", ".join(known.failing[:8])
        raise UserError(f"the guard as it is fails {len(known.failing)} of the cases: {names}")
    return known


def _tried(chosen: Sequence[Mutant], bench: Bench, jobs: int) -> dict[str, Tried]:
    from harness.lab.mutation_worker import tried

    results: dict[str, Tried] = {}
    say = _progress(len(chosen))
    for result in tried(chosen, bench, jobs):
        results[result.mutant] = result
        say(len(results), sum(not one.is_killed for one in results.values()))
    return results


def _progress(total: int) -> Callable[[int, int], None]:
    """Says on a terminal how far it is."""
    if not sys.stderr.isatty() or os.environ.get("CI") or os.environ.get("TERM") == "dumb":
        return lambda _done, _alive: None

    def say(done: int, alive: int) -> None:
        line = f"\r\x1b[K{done} of {total} mutants tried, {alive} alive" if done < total else "\r\x1b[K"
        click.echo(line, nl=False, err=True)

    return say


def _run_wiring(
    agent: str, programs: tuple[str, ...], scenarios: Sequence[Scenario], results: dict[str, Tried]
) -> None:
    """Real runs with a mechanism taken out, for the wiring mutants among the results."""
    from harness.lab.mutation_switches import Passing, killers, wiring
    from harness.qa_session import open_session

    with closing(open_session(agent, programs=programs)) as session:
        passes = Passing(session)
        for switch in wiring(session.spec.guard):
            if switch.id in results:
                failed = killers(session, switch, scenarios, passes)
                result = results[switch.id]
                results[switch.id] = result._replace(
                    failed={**result.failed, **({"runs": failed} if failed else {})}
                )


def _refuse(agent: str, *, contract: bool, no_runs: bool) -> None:
    """Options that only the reference agent's guard has a use for."""
    from harness.problems import UserError

    for option, is_given in (("--contract", contract), ("--no-runs", no_runs)):
        if is_given:
            raise UserError(
                f"{option} goes with the guard of the reference agent; '{agent}' is tried in runs alone"
            )


def _processor_s() -> float:
    """Processor time of this process and of all that it has started and seen end."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _data(
    chosen: Sequence[Mutant], results: dict[str, Tried], reasons: Any, judgement: Any
) -> dict[str, Any]:
    rows = [
        {
            "mutant": mutant.id,
            "kind": mutant.kind,
            "group": mutant.group,
            "killed": results[mutant.id].is_killed,
            "failed": results[mutant.id].failed,
            "crash": results[mutant.id].crash,
            **(
                {"others": results[mutant.id].others, "missed": results[mutant.id].missed}
                if mutant.kind == "wiring"
                else {}
            ),
            **({"reason": reasons[mutant.id]} if mutant.id in judgement.explained else {}),
        }
        for mutant in chosen
    ]
    return {
        "mutants": rows,
        "killed": sum(results[mutant.id].is_killed for mutant in chosen),
        "unexplained": judgement.unexplained,
        "outdated": judgement.outdated,
    }
