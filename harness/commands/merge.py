"""``qa merge``: the reports of many machines as one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.problems import UserError

if TYPE_CHECKING:
    from harness.results import RunResult


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--report", "reports", multiple=True, metavar="KIND=FILE", help="junit, json, markdown or github."
)
def merge(files: tuple[Path, ...], reports: tuple[str, ...]) -> None:
    """Put the JSON reports of all shards together; the exit code is that of the whole.

    A shard that is missing is an error: what was not run cannot have passed.
    """
    from harness.commands.gate import exit_code
    from harness.gate.comparison import failing
    from harness.merging import merged
    from harness.report_files import parse_reports, write_reports

    wanted = parse_reports(reports)
    outcome = merged([(str(path), _load(path)) for path in files])
    _show(outcome)
    write_reports(wanted, outcome)
    verdicts = {result.verdict for result in outcome.scenarios}
    if outcome.changes:
        sys.exit(exit_code(failing(outcome.changes)))
    sys.exit(1 if "failed" in verdicts else 3 if "error" in verdicts else 0)


def _show(outcome: RunResult) -> None:
    """The findings of a gate; of plain runs those that did not pass, and the counts."""
    from harness.commands.gate_report import GateReport
    from harness.commands.run import RunReport

    if outcome.changes or outcome.accepted:
        GateReport(len(outcome.scenarios)).end(outcome)
        return
    report = RunReport(len(outcome.scenarios))
    for result in outcome.scenarios:
        if result.verdict in ("failed", "error"):
            report.ended(result)
    report.summary(outcome)


def _load(path: Path) -> RunResult:
    from harness.results_json import parse_results

    try:
        return parse_results(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
