"""Prints a gate as it goes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from harness.commands.saying import say
from harness.reporters.gate_console import render_gate, render_run_line
from harness.reporters.paint import Paint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.plan import Job
    from harness.results import RunResult, ScenarioResult


class GateReport:
    """One line a run; on a terminal the last line says what is under way."""

    def __init__(self, total: int) -> None:
        import shutil

        is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        self._live = is_terminal and not os.environ.get("CI")
        encoding = (sys.stdout.encoding or "").lower().replace("-", "")
        width = max(60, min(shutil.get_terminal_size((110, 40)).columns, 160))
        color = is_terminal and not os.environ.get("NO_COLOR")
        self._paint = Paint(color, width, encoding not in {"utf8", "utf16"})
        self._total, self._done = total, 0

    def started(self, job: Job) -> None:
        if self._live:
            say(f"\r\x1b[K[{self._done}/{self._total}] {job.key} ...", nl=False)

    def ended(self, result: ScenarioResult) -> None:
        self._done += 1
        clear = "\r\x1b[K" if self._live else ""
        say(clear + render_run_line(result, self._paint))

    def end(self, outcome: RunResult, wrote: str = "") -> None:
        """The findings; ``wrote`` says which file a new baseline went into."""
        say(render_gate(outcome, self._paint, wrote))

    def bugs(self, bugs: Sequence[str]) -> None:
        for bug in bugs:
            click.echo(f"\na bug in qa:\n{bug}", err=True)
