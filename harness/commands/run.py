"""``qa run``: scenarios against an agent CLI."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.interrupts import INTERRUPTS
from harness.problems import UserError
from mock_llm.problems import did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.plan import Job
    from harness.qa_session import QaSession
    from harness.results import RunResult, ScenarioResult
    from harness.scenario import Scenario


@click.command()
@click.argument("names", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Every scenario.")
@click.option("--tag", "tags", multiple=True, help="Only scenarios with this tag (may be repeated).")
@click.option("--agent", default="reference", show_default=True, help="An agent's name or description file.")
@click.option("--agent-bin", "programs", multiple=True, metavar="NAME=PATH", help="The agent's program.")
@click.option("--dialect", help="A wire dialect of the agent, or 'all'.  [default: its first]")
@click.option("--controls", is_flag=True, help="Run the negative controls too.")
@click.option("--deltas", type=click.IntRange(min=1), help="Cut every reply into so many pieces.")
@click.option(
    "--chars-per-delta", type=click.IntRange(min=1), help="Cut every reply into pieces of this size."
)
@click.option("--runs", type=click.Path(path_type=Path), help="Where evidence goes.  [default: .qa/runs]")
@click.option("--junit", type=click.Path(path_type=Path), help="Write a JUnit XML report.")
@click.option("-x", "--exit-first", is_flag=True, help="Stop after the first that does not pass.")
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
    *,
    every: bool,
    controls: bool,
    exit_first: bool,
) -> None:
    """Run scenarios by name, path or tag; evidence goes to .qa/runs."""
    from harness.plan import Cutting
    from harness.qa_session import open_session

    if deltas and chars_per_delta:
        raise click.UsageError("--deltas and --chars-per-delta exclude each other")
    if not (names or every or tags):
        raise click.UsageError("name a scenario, or pass --all or --tag; 'qa list' shows them")
    if junit is not None:
        _check_junit(junit)
    scenarios = _select(names, tags)
    if not scenarios:
        click.echo(_no_such_tag(names, tags), err=True)
        sys.exit(5)
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
        code = _run(session, scenarios, exit_first=exit_first, junit=junit)
    sys.exit(code)


def _check_junit(path: Path) -> None:
    """Say before the runs that their report cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a"):
            pass
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}\n  name another file with --junit") from None


def _no_such_tag(names: Sequence[str], tags: Sequence[str]) -> str:
    known = sorted({tag for s in _select(names, ()).values() for tag in s.tags})
    wanted = " or ".join(quoted(tag) for tag in tags)
    near = [hint for tag in tags if (hint := did_you_mean(tag, known)).startswith("did you mean")]
    hints = [*near, f"the tags are {', '.join(known)}" if known else "none of them has a tag"]
    return "\n  ".join([f"no scenario has the tag {wanted}", *hints])


def _select(names: Sequence[str], tags: Sequence[str]) -> dict[Path, Scenario]:
    from harness.find_scenarios import all_scenarios, find
    from harness.scenario_yaml import load_scenarios

    paths = find(names, Path.cwd()) if names else all_scenarios(Path.cwd())
    loaded = load_scenarios(paths)
    by_name: dict[str, Scenario] = {}
    for scenario in loaded.values():
        first = by_name.setdefault(scenario.name, scenario)
        if first is not scenario:
            both = f"{first.path}, {scenario.path}"
            raise UserError(f"two files of this run are named '{scenario.name}': {both}")
    return {path: s for path, s in loaded.items() if not tags or set(tags) & set(s.tags)}


def _run(session: QaSession, scenarios: dict[Path, Scenario], *, exit_first: bool, junit: Path | None) -> int:
    jobs = session.jobs(list(scenarios.values()))
    session.loaded.update(scenarios)
    for warning in session.warnings():
        click.echo(f"warning: {warning}", err=True)
    report = _Report(len(jobs))
    session.on_start, session.on_result = report.started, report.ended
    bugs: tuple[str, ...] = ()
    interrupted = False
    try:
        session.start_early(jobs[0])
        from harness.engine import run_paths

        gc.freeze()
        gc.enable()
        ended = run_paths(session, list(scenarios), exit_first=exit_first, junit=junit)
        bugs, interrupted = ended.bugs, ended.interrupted
    except KeyboardInterrupt:
        interrupted = True
    finally:
        session.close()
    interrupted = interrupted or INTERRUPTS.seen
    report.summary(session.outcome)
    if not (bugs or interrupted or (exit_first and _exit_code(session.outcome) in (1, 3))):
        bugs = tuple(_not_made(jobs, session.outcome))
    for bug in bugs:
        click.echo(f"\na bug in qa:\n{bug}", err=True)
    return 130 if interrupted else 4 if bugs else _exit_code(session.outcome)


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


def _say(text: str, *, nl: bool = True) -> None:
    """Print, also where nobody reads any more: the runs and their exit code count, not the words."""
    try:
        click.echo(text, color=True, nl=nl)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            click.echo(f"the report cannot be written: {error.strerror}", err=True)
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  stays open to the end


class _Report:
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
            _say(f"\r\x1b[K[{self._done + 1}/{self._total}] {job.key} ...", nl=False)

    def ended(self, result: ScenarioResult) -> None:
        from harness.reporters.console import render_scenario

        self._done += 1
        clear = "\r\x1b[K" if self._live else ""
        text = render_scenario(result, color=self._color, width=self._width, ascii_only=self._ascii)
        _say(f"{clear}{text}\n")

    def summary(self, outcome: RunResult) -> None:
        from harness.reporters.console import render_summary

        text = render_summary(outcome, color=self._color, width=self._width, ascii_only=self._ascii)
        _say(text)

    @property
    def _width(self) -> int:
        import shutil

        return max(60, min(shutil.get_terminal_size((110, 40)).columns, 160))


def _plain() -> bool:
    return bool(os.environ.get("CI")) or os.environ.get("TERM") == "dumb"


def _no_color() -> bool:
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
