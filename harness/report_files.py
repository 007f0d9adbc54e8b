"""``--report KIND=FILE``: which reports are wanted, checked before the runs and written behind them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from harness.problems import UserError
from mock_llm.problems import did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.place import Place
    from harness.results import RunResult

KINDS = ("junit", "json", "github", "markdown")
_TO_OUTPUT = ("github", "markdown")


class Report(NamedTuple):
    """One wanted report; without a path it goes where its kind belongs."""

    kind: str
    path: Path | None
    option: str = "--report"


def parse_reports(words: Sequence[str], junit: Path | None = None) -> tuple[Report, ...]:
    """The reports of the command line.

    Raises:
        UserError: For a kind that is unknown or lacks its file, and for a file that cannot be written.
    """
    reports = [_parse(word) for word in words]
    if junit is not None:
        reports.append(Report("junit", junit, "--junit"))
    for report in reports:
        _check(report)
    return tuple(reports)


def write_reports(reports: Sequence[Report], run: RunResult) -> None:
    """Render and write every report.

    Raises:
        UserError: If one cannot be written.
    """
    root = _root()
    run = _below(run, root)
    for report in reports:
        text = _render(report.kind, run, root)
        if report.path is None and report.kind == "github":
            click.echo(text, nl=False)
            continue
        try:
            if report.path is None:
                with Path(os.environ["GITHUB_STEP_SUMMARY"]).open("a", encoding="utf-8") as file:
                    file.write(text)
            else:
                report.path.write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise UserError(f"cannot write the {report.kind} report: {error.strerror}") from None


def _parse(word: str) -> Report:
    kind, sign, file = word.partition("=")
    if kind not in KINDS:
        raise UserError(f"no report {quoted(kind)}: {did_you_mean(kind, KINDS)}")
    if sign and not file:
        raise UserError(f"'--report {word}' names no file: --report {kind}=FILE")
    if not sign and kind not in _TO_OUTPUT:
        raise UserError(f"'--report {kind}' needs a file: --report {kind}=FILE")
    if not sign and kind == "markdown" and not os.environ.get("GITHUB_STEP_SUMMARY"):
        raise UserError(
            "'--report markdown' without a file writes to $GITHUB_STEP_SUMMARY, which is not set\n"
            "  --report markdown=FILE"
        )
    return Report(kind, Path(file) if sign else None)


def _check(report: Report) -> None:
    """Say before the runs that their report cannot be written."""
    if report.path is None:
        return
    try:
        report.path.parent.mkdir(parents=True, exist_ok=True)
        was_there = report.path.exists()
        with report.path.open("a"):
            pass
        if not was_there:  # an empty file would be read as a report if no run can be made
            report.path.unlink()
    except OSError as error:
        cause = f"cannot write {report.path}: {error.strerror}"
        raise UserError(f"{cause}\n  name another file with {report.option}") from None


def _render(kind: str, run: RunResult, root: str) -> str:
    if kind == "junit":
        from harness.reporters.junit import render_junit

        return render_junit(run, root=root)
    if kind == "github":
        from harness.reporters.github import render_github

        return render_github(run, root=root)
    if kind == "markdown":
        from harness.reporters.markdown import render_markdown

        return render_markdown(run, root=root)
    from harness.results_json import render_results

    return render_results(run)


def _root() -> str:
    """The folder of the repository, where a CI says so."""
    return os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR") or str(Path.cwd())


def _below(run: RunResult, root: str) -> RunResult:
    """The run with the paths of its scenarios relative to the root, also where qa runs below it."""
    here = os.path.relpath(Path.cwd(), root)
    if here == os.curdir or here.startswith(os.pardir):
        return run

    def file_below(file: str) -> str:
        return file if not file or file.startswith("/") else f"{here}/{file}"

    def below(place: Place) -> Place:
        return replace(place, file=file_below(place.file))

    scenarios = tuple(
        replace(
            result,
            file=file_below(result.file),
            steps=tuple(replace(step, place=below(step.place)) for step in result.steps),
        )
        for result in run.scenarios
    )
    changes = tuple(
        replace(change, place=below(change.place)) if change.place else change for change in run.changes
    )
    return replace(run, scenarios=scenarios, changes=changes)
