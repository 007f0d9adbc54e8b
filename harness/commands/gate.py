"""``qa gate``: the tagged scenarios with their controls, against what is known of them."""

from __future__ import annotations

import gc
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from harness.commands.gate_sessions import named_by, open_sessions, programs_of
from harness.commands.many_runs import Shard, again_of, options_of_many_runs
from harness.commands.saying import say
from harness.interrupts import INTERRUPTS
from harness.problems import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.attempts import Again
    from harness.commands.gate_report import GateReport
    from harness.commands.gate_sessions import Sessions
    from harness.gate.baseline_file import GateFile
    from harness.gate.comparison import Key
    from harness.plan import Job
    from harness.pool import PoolEnd
    from harness.qa_session import QaSession
    from harness.report_files import Report
    from harness.results import Change
    from harness.scenario import Scenario


class _Mutants(NamedTuple):
    """An agent whose guard is broken too, and its programs."""

    agent: str
    programs: Sequence[str] = ()


class _Options(NamedTuple):
    """What the command line says beside the selection."""

    baseline: Path
    accept: str
    again: Again
    shard: Shard | None
    workers: int
    reports: tuple[Report, ...]
    mutants: tuple[_Mutants, ...] = ()


@click.command()
@click.argument("names", nargs=-1)
@click.option(
    "--baseline", type=click.Path(path_type=Path), default=Path("gate.yaml"), show_default=True,
    help="Its settings and what is known.",
)  # fmt: skip
@click.option("--accept", metavar="REASON", help="Take the differences; the reason is kept.")
@click.option("--changed-since", metavar="REV", help="Only what the changes since a git revision touch.")
@click.option(
    "--tag", "tags", multiple=True, help="Scenarios with this tag.  [default: gate.yaml's, or gate]"
)
@click.option("--agent", "agents", multiple=True, help="Agents.  [default: gate.yaml's, or reference]")
@click.option("--agent-bin", "programs", multiple=True, metavar="NAME=PATH", help="The agent's program.")
@click.option(
    "--dialect", help="A wire dialect of the agents, or 'all'.  [default: gate.yaml's, or the first]"
)
@click.option("--runs", type=click.Path(path_type=Path), help="Where evidence goes.  [default: .qa/runs]")
@click.option(
    "--mutants", is_flag=True, help="Break the guard too: 'qa mutate', whose survivors fail the gate."
)
@options_of_many_runs
def gate(
    names: tuple[str, ...],
    baseline: Path,
    accept: str | None,
    changed_since: str | None,
    tags: tuple[str, ...],
    agents: tuple[str, ...],
    programs: tuple[str, ...],
    dialect: str | None,
    runs: Path | None,
    jobs: int | None,
    shard: Shard | None,
    retries: int,
    repeat: int,
    reports: tuple[str, ...],
    *,
    mutants: bool,
) -> None:
    """Run the gate's scenarios with their controls, and compare with the baseline in gate.yaml.

    Exit codes: 0 nothing to say or warnings only, 1 a finding, 3 only runs that could not be made.
    """
    from harness.report_files import parse_reports

    if accept is not None and not accept.strip():
        raise click.UsageError("--accept needs a reason: it is kept in the baseline")
    if accept and (shard or changed_since):
        raise click.UsageError(
            "--accept needs runs of whole scenarios here: not with --shard or --changed-since"
        )
    known = _load(baseline, is_first=bool(accept))
    known = known._replace(
        tags=tags or known.tags, agents=agents or known.agents, dialect=dialect or known.dialect
    )
    tried = [_Mutants(agent, programs_of(agent, programs)) for agent in known.agents] if mutants else []
    options = _Options(
        baseline,
        (accept or "").strip(),
        again_of(retries, repeat),
        shard,
        jobs or _cores(),
        parse_reports(reports),
        tuple(tried),
    )
    scenarios = _selection(names, known, baseline)
    made = scenarios
    if changed_since:
        made = _touched(scenarios, known, baseline, changed_since)
    if shard:
        made = shard.of(made)
    sessions = open_sessions(known, programs, runs, baseline)
    gone = [] if names else _gone(known, sessions.found, scenarios)
    with INTERRUPTS.installed():
        code = _gate(sessions, made, known, gone, options)
    sys.exit(code)


def _load(path: Path, *, is_first: bool) -> GateFile:
    from harness.gate.baseline_file import GateFile, parse_gate

    if not path.exists() and is_first:
        return GateFile()
    try:
        return parse_gate(path.read_bytes(), str(path))
    except FileNotFoundError:
        cure = "make the first one: qa gate --accept 'first baseline'"
        raise UserError(f"there is no baseline {path}\n  {cure}") from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None


def _selection(names: Sequence[str], known: GateFile, baseline: Path) -> dict[Path, Scenario]:
    """The scenarios of the gate; a tag that none has would make it smaller without a word."""
    from harness.commands.selection import no_such_tag, select

    scenarios = select(names, () if names else known.tags)
    there = {tag for scenario in scenarios.values() for tag in scenario.tags}
    idle = [tag for tag in known.tags if tag not in there] if not names else []
    if idle:
        click.echo("\n  ".join([no_such_tag(names, idle), *named_by(baseline, idle[0])]), err=True)
        sys.exit(5)
    return scenarios


def _touched(
    scenarios: dict[Path, Scenario], known: GateFile, baseline: Path, revision: str
) -> dict[Path, Scenario]:
    from harness.gate.git import changed_since, tracked
    from harness.gate.touched import idle_globs, touched
    from harness.scenario_files import descriptions_of, files_of

    folder = baseline.absolute().parent
    own = {scenario.name: files_of(path, folder) for path, scenario in scenarios.items()}
    changed = changed_since(revision, folder)
    if idle := idle_globs(known.detector, [*changed, *tracked(folder)]):
        what = f"'{idle[0]}' means no file, so no change would count as one of the detector"
        raise UserError("\n  ".join([what, *named_by(baseline, idle[0])]))
    found = touched(changed, own, known.detector, {baseline.name, *descriptions_of(known.agents, folder)})
    say(f"since {revision}: {found.why or 'nothing changed that a scenario or the detector is made of'}")
    return {path: scenario for path, scenario in scenarios.items() if scenario.name in found.names}


def _mutate(tried: _Mutants, reasons: Mapping[str, str], folder: Path) -> tuple[Change, ...]:
    """Let ``qa mutate`` try its mutants, in a process of its own: it changes what is loaded."""
    import subprocess

    from harness.agents.locate import load_agent
    from harness.gate.mutants import mutant_changes

    agent = tried.agent
    words = [word for program in tried.programs for word in ("--agent-bin", program)]
    if file := reasons.get(load_agent(agent).name):
        words += ["--reasons", str(folder / file)]
    command = [sys.executable, "-m", "harness.cli", "mutate", "--json", "--agent", agent, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  our own program
    return mutant_changes(agent, done.returncode, done.stdout, done.stderr)


def _gone(known: GateFile, sessions: Sequence[QaSession], scenarios: dict[Path, Scenario]) -> list[Key]:
    """Entries of the agents and dialects of this gate whose scenario is not selected any more."""
    here = {(session.spec.name, dialect) for session in sessions for dialect in session.dialects}
    names = {scenario.name for scenario in scenarios.values()}
    return [key for key in sorted(known.baseline) if key[:2] in here and key[2] not in names]


def _gate(
    sessions: Sessions,
    scenarios: dict[Path, Scenario],
    known: GateFile,
    gone: Sequence[Key],
    options: _Options,
) -> int:
    from harness.commands.gate_report import GateReport
    from harness.gate.baseline_write import write_accepted
    from harness.gate.comparison import compare, failing, taken
    from harness.judge import with_unmade
    from harness.report_files import write_reports
    from harness.results import RunResult
    from harness.steps.wording import count

    jobs = _jobs(sessions.found, scenarios)
    report = GateReport(len(jobs))
    ended = _run(sessions.found, jobs, report, options)
    outcome = sessions.found[0].outcome if sessions.found else RunResult((), "", 0.0)
    outcome = replace(outcome, shard=str(options.shard or ""))
    if ended.bugs or ended.interrupted:
        report.bugs(ended.bugs)
        ending, cause = (
            ("interrupted", "qa was interrupted") if ended.interrupted else ("ended", "a bug in qa")
        )
        made = with_unmade(outcome.scenarios, jobs, f"not made: {cause}")
        left = len(made) - len(outcome.scenarios)
        say(f"gate: {ending}, {left} of {count(len(jobs), 'run')} not made")
        write_reports(options.reports, replace(outcome, scenarios=made))
        return 130 if ended.interrupted else 4
    changes = sessions.missing + compare(
        known.baseline, outcome.scenarios, gone=gone, later_chars=known.later_chars
    )
    for tried in options.mutants:
        changes += _mutate(tried, known.reasons, options.baseline.parent)
    outcome = replace(outcome, changes=changes)
    wrote = ""
    if options.accept and not failing(taken(changes)):
        outcome = replace(outcome, changes=taken(changes), accepted=options.accept)
        now = write_accepted(options.baseline, outcome, known, gone)
        wrote = f"wrote {options.baseline}: {count(len(now.baseline), 'entry')}, reason '{options.accept}'"
    report.end(outcome, wrote)
    if options.accept and not outcome.accepted:
        click.echo("nothing was accepted: what must be repaired comes first", err=True)
    write_reports(options.reports, outcome)
    return exit_code(failing(outcome.changes))


def _jobs(sessions: Sequence[QaSession], scenarios: dict[Path, Scenario]) -> list[Job]:
    jobs: list[Job] = []
    for session in sessions:
        jobs += session.jobs(list(scenarios.values()))
        session.loaded.update(scenarios)
    return jobs


def _run(
    sessions: Sequence[QaSession], jobs: Sequence[Job], report: GateReport, options: _Options
) -> PoolEnd:
    from harness.pool import PoolEnd, run_pool

    if not jobs:
        return PoolEnd(interrupted=False, bugs=())
    session = sessions[0]
    session.on_start, session.on_result = report.started, report.ended
    gc.freeze()
    try:
        return run_pool(session, jobs, workers=options.workers, again=options.again)
    finally:
        session.close()


def exit_code(changes: Sequence[Change]) -> int:
    """1 for a finding, 3 where all of them are runs that could not be made, 0 for none."""
    if not changes:
        return 0
    return 3 if all(change.kind == "could-not-run" for change in changes) else 1


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
