"""``qa survey``: where each agent stops each loop, and which healthy answers it interrupts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.lab.survey import Cell, Row, Survey
    from harness.lab.survey_run import Task

_FILES = ("survey.json", "survey.md", "survey.html")


@click.command()
@click.option(
    "--agent",
    "words",
    multiple=True,
    metavar="AGENT",
    help="An agent; may be repeated. A colon and settings may follow: qwen:on=loop-detection, "
    "omp:model=gemini-3.5-flash, gemini:terminal.  [default: all that are installed]",
)
@click.option(
    "--scenario", "names", multiple=True, metavar="NAME", help="A scenario, a file or a folder of them."
)
@click.option("--agent-bin", "programs", multiple=True, metavar="NAME=PATH", help="The agent's program.")
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(1, 64), help="Agents at a time.")
@click.option("--timeout", "timeout_s", default=90.0, show_default=True, help="Seconds for each run.")
@click.option(
    "--out",
    default=".qa/survey",
    show_default=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of survey.json, survey.md and survey.html.",
)
@click.option("--resume", is_flag=True, help="Go on with the survey in that folder.")
def survey(
    words: tuple[str, ...],
    names: tuple[str, ...],
    programs: tuple[str, ...],
    jobs: int,
    timeout_s: float,
    out: Path,
    *,
    resume: bool,
) -> None:
    """Run every loop and every healthy scenario against agents; say where each was stopped.

    Results are written as they come. Exit codes: 0 all measured, 2 wrong command line, 3 some cells could not
    be measured (they say why), 5 nothing selected, 130 interrupted.
    """
    from harness.interrupts import INTERRUPTS
    from harness.lab.survey import to_measure
    from harness.lab.survey_run import run_all

    found, paths = _planned(words, names, programs)
    if not found.rows:
        click.echo("no loop or healthy scenario is among these; 'qa list' shows the tags", err=True)
        sys.exit(5)
    book = _Book(_resumed(found, out / _FILES[0]) if resume else found, out)
    todo = [
        _task(column.label, paths[row.name], row, out, timeout_s, programs)
        for column, row in to_measure(book.survey)
        if column in found.columns and row.name in paths and not _lacking(column.label, paths[row.name])
    ]
    book.total = len(todo)
    book.write()
    with INTERRUPTS.installed():
        try:
            run_all(todo, jobs, book.hear)
        except KeyboardInterrupt:
            click.echo("interrupted: 'qa survey --resume' goes on from here", err=True)
            sys.exit(130)
        finally:
            book.write()
    book.show()
    for column in found.columns:
        if note := _left_out(column.label, paths):
            click.echo(note)
    sys.exit(3 if any(cell.outcome == "error" for cell in book.survey.shown()) else 0)


class _Book:
    """The survey as far as it has come; each cell is printed and written at once."""

    def __init__(self, survey: Survey, out: Path) -> None:
        self.survey = survey
        self.total = 0
        self._out = out
        self._done = 0

    def hear(self, cell: Cell) -> None:
        self._done += 1
        self.survey = self.survey.added([cell])
        words = f"  [{cell.words}]" if cell.words else ""
        click.echo(
            f"[{self._done}/{self.total}] {cell.agent}  {cell.scenario}: {cell.sentence}{words}"
            f"  ({cell.seconds:.0f} s)"
        )
        self.write()

    def write(self) -> None:
        from harness.files import write_text
        from harness.lab.survey import survey_json
        from harness.lab.survey_html import render_html
        from harness.lab.survey_markdown import render_markdown
        from harness.problems import CannotRun

        renderers = (survey_json, render_markdown, render_html)
        try:
            for name, render in zip(_FILES, renderers, strict=True):
                write_text(self._out / name, render(self.survey))
        except OSError as error:
            why = f"the survey cannot be kept in {self._out}: {error.strerror}"
            raise CannotRun(f"{why}\n  name another folder with --out") from None

    def show(self) -> None:
        from harness.lab.survey_markdown import render_text

        click.echo(f"\n{render_text(self.survey)}")
        click.echo(f"written: {', '.join(str(self._out / name) for name in _FILES)}")


def _planned(
    words: Sequence[str], names: Sequence[str], programs: Sequence[str]
) -> tuple[Survey, dict[str, str]]:
    """The empty survey, and the file of each scenario."""
    from datetime import UTC, datetime

    from harness.find_scenarios import all_scenarios, find, shipped_folder
    from harness.lab.survey import Survey
    from harness.lab.survey_run import column, everything_installed
    from harness.lab.survey_scenario import kind_of, row_of
    from harness.scenario_yaml import load_scenario

    here = Path.cwd()
    own = sorted((shipped_folder() / "survey").glob("*.yaml"))
    known = {path.stem: path for path in own}
    files = [path for name in names for path in ([known[name]] if name in known else find([name], here))]
    files = files or [*own, *all_scenarios(here)]
    rows, paths = [], {}
    for path in dict.fromkeys(files):
        scenario = load_scenario(path)
        kind = kind_of(scenario)
        if kind is not None:
            rows.append(row_of(scenario, kind))
            paths[scenario.name] = str(path)
    columns = tuple(column(word, programs) for word in dict.fromkeys(words or everything_installed()))
    return Survey(datetime.now(UTC).date().isoformat(), columns, tuple(rows), ()), paths


def _left_out(agent: str, paths: Mapping[str, str]) -> str:
    """What is not measured of an agent, and why; empty when all is."""
    lacking = {name: tools for name, path in paths.items() if (tools := _lacking(agent, path))}
    if not lacking:
        return ""
    named = ", ".join(sorted({tool for each in lacking.values() for tool in each}))
    many = "1 scenario is" if len(lacking) == 1 else f"{len(lacking)} scenarios are"
    return (
        f"{agent}: {many} not measured, as the description has no {named} under 'tools': {', '.join(lacking)}"
    )


def _lacking(agent: str, path: str) -> list[str]:
    """The tools that the scenario calls and the agent has not; without them nothing is seen of a guard."""
    from harness.agents.locate import load_agent
    from harness.lab.survey_agents import parse_agent
    from harness.lab.survey_scenario import missing_tools
    from harness.scenario_yaml import load_scenario

    return missing_tools(load_scenario(Path(path)), load_agent(parse_agent(agent).name).tools)


def _resumed(found: Survey, file: Path) -> Survey:
    from harness.lab.survey import merged, parse_survey
    from harness.problems import UserError

    try:
        return merged(parse_survey(file.read_text(encoding="utf-8")), found)
    except FileNotFoundError:
        return found
    except ValueError as error:
        raise UserError(f"{file}: {error}\n  without --resume it is written anew") from None


def _task(agent: str, path: str, row: Row, out: Path, timeout_s: float, programs: tuple[str, ...]) -> Task:
    from harness.commands.gate_sessions import programs_of
    from harness.lab.survey_agents import parse_agent
    from harness.lab.survey_run import Task

    own = programs_of(parse_agent(agent).name, programs)
    return Task(agent, path, row, str(out / "runs"), timeout_s, tuple(own))
