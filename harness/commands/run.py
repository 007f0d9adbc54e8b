"""``qa run``: scenarios against an agent CLI."""

from __future__ import annotations

import gc
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.commands.many_runs import Shard, again_of, options_of_many_runs
from harness.commands.one_agent import one_agent
from harness.commands.saying import say
from harness.commands.selection import no_such_tag, select
from harness.interrupts import INTERRUPTS
from harness.steps.wording import count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harness.attempts import Again
    from harness.plan import Job
    from harness.qa_session import QaSession
    from harness.results import RunResult, ScenarioResult
    from harness.scenario import Scenario


_CUT_SHORT = {130: "not made: qa was interrupted", 4: "not made: a bug in qa"}
"""By exit code, what reports say of the runs that came to no end."""


@click.command()
@click.argument("names", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Every scenario.")
@click.option("--tag", "tags", multiple=True, help="Only scenarios with this tag (may be repeated).")
@one_agent
@click.option("--agent-bin", "programs", multiple=True, metavar="NAME=PATH", help="The agent's program.")
@click.option("--dialect", help="A wire dialect of the agent, or 'all'.  [default: its first]")
@click.option("--controls", is_flag=True, help="Run the negative controls too.")
@click.option("--deltas", type=click.IntRange(min=1), help="Cut every reply into so many pieces.")
@click.option(
    "--chars-per-delta", type=click.IntRange(min=1), help="Cut every reply into pieces of this size."
)
@click.option("--runs", type=click.Path(path_type=Path), help="Where evidence goes.  [default: .qa/runs]")
@click.option("--junit", type=click.Path(path_type=Path), help="The same as --report junit=FILE.")
@click.option("-x", "--exit-first", is_flag=True, help="Stop after the first that does not pass.")
@click.option("--update", is_flag=True, help="Keep changes for 'qa review' also without a terminal.")
@options_of_many_runs
def run(
    names: tuple[str, ...],
    tags: tuple[str, ...],
    agent: str,
    programs: tuple[str, ...],
    dialect: str | None,
    runs: Path | None,
    junit: Path | None,
    deltas: int | None,
    chars_per_delta: int | None,
    jobs: int | None,
    shard: Shard | None,
    retries: int,
    repeat: int,
    reports: tuple[str, ...],
    *,
    every: bool,
    controls: bool,
    exit_first: bool,
    update: bool,
) -> None:
    """Run scenarios by name, path or tag; evidence goes to .qa/runs."""
    from harness.plan import Cutting
    from harness.qa_session import open_session

    if deltas and chars_per_delta:
        raise click.UsageError("--deltas and --chars-per-delta exclude each other")
    if not (names or every or tags):
        raise click.UsageError("name a scenario, or pass --all or --tag; 'qa list' shows them")
    again = again_of(retries, repeat)
    if update:
        os.environ["QA_UPDATE"] = "1"  # heard where snapshots are taken, in this process or a copy of it
    write = _reports(reports, junit)
    scenarios = select(names, tags)
    if not scenarios:
        click.echo(no_such_tag(names, tags), err=True)
        sys.exit(5)
    scenarios = shard.of(scenarios) if shard else scenarios
    if not scenarios:
        from harness.results import RunResult

        click.echo(f"shard {shard} has no scenario")
        write(RunResult((), "", 0.0, shard=str(shard)))
        sys.exit(0)
    session = open_session(
        agent,
        programs=programs,
        dialect=dialect,
        runs=runs,
        controls=controls,
        cutting=Cutting(deltas, chars_per_delta),
    )
    session.is_alone = True
    with INTERRUPTS.installed():
        code = _run(session, scenarios, jobs or 1, again, exit_first=exit_first)
    outcome = session.outcome
    if code in _CUT_SHORT:
        from harness.judge import with_unmade

        selected = session.jobs(list(scenarios.values()))
        outcome = replace(outcome, scenarios=with_unmade(outcome.scenarios, selected, _CUT_SHORT[code]))
    write(replace(outcome, shard=str(shard or "")))
    sys.exit(code)


def _reports(words: Sequence[str], junit: Path | None) -> Callable[[RunResult], None]:
    """What writes the reports; without any nothing is loaded for them."""
    if not words and junit is None:
        return lambda _outcome: None
    from harness.report_files import parse_reports, write_reports

    wanted = parse_reports(words, junit)
    return lambda outcome: write_reports(wanted, outcome)


def _run(
    session: QaSession, scenarios: dict[Path, Scenario], workers: int, again: Again, *, exit_first: bool
) -> int:
    jobs = session.jobs(list(scenarios.values()))
    session.loaded.update(scenarios)
    for warning in session.warnings():
        click.echo(f"warning: {warning}", err=True)
    report = RunReport(len(jobs))
    session.on_start, session.on_result = report.started, report.ended
    bugs: tuple[str, ...] = ()
    interrupted = False
    try:
        if workers > 1 or tuple(again) != (0, 1):
            from harness.pool import run_pool

            gc.freeze()
            pool = run_pool(session, jobs, workers=workers, again=again, exit_first=exit_first)
            bugs, interrupted = pool.bugs, pool.interrupted
        else:
            bugs, interrupted = _one_by_one(session, jobs[0], list(scenarios), exit_first=exit_first)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        session.close()
    interrupted = interrupted or INTERRUPTS.seen
    report.summary(session.outcome)
    if interrupted:
        left = len(list(_not_made(jobs, session.outcome)))
        say(f"interrupted: {left} of {count(len(jobs), 'run')} not made")
    if not (bugs or interrupted or (exit_first and _exit_code(session.outcome) in (1, 3))):
        bugs = tuple(_not_made(jobs, session.outcome))
    for bug in bugs:
        click.echo(f"\na bug in qa:\n{bug}", err=True)
    return 130 if interrupted else 4 if bugs else _exit_code(session.outcome)


def _one_by_one(
    session: QaSession, first: Job, paths: Sequence[Path], *, exit_first: bool
) -> tuple[tuple[str, ...], bool]:
    session.start_early(first)
    from harness.engine import run_paths

    gc.freeze()
    gc.enable()
    ended = run_paths(session, paths, exit_first=exit_first)
    return ended.bugs, ended.interrupted


def _not_made(jobs: Sequence[Job], outcome: RunResult) -> Iterator[str]:
    """A run that was selected and has no outcome must never look like one that passed."""
    made = {(r.scenario, r.dialect, r.control) for r in outcome.scenarios}
    for job in jobs:
        if (job.scenario.name, job.dialect, job.control) not in made:
            yield f"{job.key} was selected and not run"


def _exit_code(outcome: RunResult) -> int:
    verdicts = {result.verdict for result in outcome.scenarios}
    if "failed" in verdicts:
        return 1
    if "error" in verdicts:
        return 3
    return 0 if "passed" in verdicts else 5


class RunReport:
    """Prints each outcome as it comes; a progress line on a terminal."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._live = sys.stdout.isatty() and not _plain()
        self._color = sys.stdout.isatty() and not _no_color()
        encoding = (sys.stdout.encoding or "").lower().replace("-", "")
        self._ascii = encoding not in {"utf8", "utf16"}

    def started(self, job: Job) -> None:
        if self._live:
            say(f"\r\x1b[K[{self._done + 1}/{self._total}] {job.key} ...", nl=False)

    def ended(self, result: ScenarioResult) -> None:
        from harness.reporters.console import render_scenario

        self._done += 1
        clear = "\r\x1b[K" if self._live else ""
        text = render_scenario(result, color=self._color, width=self._width, ascii_only=self._ascii)
        say(f"{clear}{text}\n")

    def summary(self, outcome: RunResult) -> None:
        from harness.reporters.console import render_summary

        text = render_summary(outcome, color=self._color, width=self._width, ascii_only=self._ascii)
        say(text)

    @property
    def _width(self) -> int:
        import shutil

        return max(60, min(shutil.get_terminal_size((110, 40)).columns, 160))


def _plain() -> bool:
    return bool(os.environ.get("CI")) or os.environ.get("TERM") == "dumb"


def _no_color() -> bool:
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
