"""What reports cost: ``qa run --all`` on the reference agent with all four reports, and without any.

    python benchmarks/reports.py --write

makes both in turn, so many times, and exits with 1 when one of two ratios is above the goal: that of the
fastest runs by the clock, which other work on the machine has disturbed least, and that of the processor
time, the median of the rounds. Which of the two comes first changes, so that a machine that slows down
favours neither.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from performance_page import ROOT, write_page

if TYPE_CHECKING:
    from collections.abc import Callable

GOAL = 1.10
KINDS = ("junit", "json", "markdown", "github")


class Took(NamedTuple):
    """One ``qa run --all``: seconds by the clock, and of the processor in all its processes."""

    wall_s: float
    cpu_s: float


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description="What reports cost beside the runs they tell about.")
    parser.add_argument("--rounds", type=int, default=7, help="how often both are measured (default: 7)")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    options = parser.parse_args()
    rounds = max(1, options.rounds)
    without: list[Took] = []
    with_all: list[Took] = []
    for number in range(rounds):
        for reports in (False, True) if number % 2 else (True, False):
            (with_all if reports else without).append(_run(reports=reports))
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    walls = [took.wall_s for took in without], [took.wall_s for took in with_all]
    cpus = [took.cpu_s for took in without], [took.cpu_s for took in with_all]
    by_clock = min(walls[1]) / min(walls[0])
    by_cpu = median(_ratios(*cpus))
    lines = [
        f"{rounds} rounds on {cores} cores, load {load:.1f}.",
        "",
        "| `qa run --all` | without reports | with all four | ratio | rounds from, to |",
        "|---|--:|--:|--:|--:|",
        _row("seconds by the clock, the fastest", min, walls, by_clock),
        _row("seconds of processor time, the median", median, cpus, by_cpu),
    ]
    page = "\n".join((*lines, ""))
    print(page)
    if options.write:
        write_page(ROOT / "docs/performance.md", page, "reports")
    is_met = max(by_clock, by_cpu) <= GOAL
    print(f"goal: {GOAL:.2f} at most; {'met' if is_met else 'missed'}")
    return int(not is_met)


def _run(*, reports: bool) -> Took:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / kind for kind in KINDS if reports]
        words = [sys.executable, "-m", "harness.cli", "run", "--all", "--runs", str(folder / "runs")]
        words += [word for file in files for word in ("--report", f"{file.name}={file}")]
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        done = subprocess.run(words, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        wall_s, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            sys.exit(f"'qa run --all' ended with {done.returncode}: nothing can be said about reports")
        missing = [file.name for file in files if not file.exists()]
        if missing:
            sys.exit(f"not written: {', '.join(missing)}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(wall_s, used)


def _ratios(without: list[float], with_all: list[float]) -> list[float]:
    return [on / off for off, on in zip(without, with_all, strict=True)]


def _row(
    name: str, of: Callable[[list[float]], float], both: tuple[list[float], list[float]], ratio: float
) -> str:
    ratios = _ratios(*both)
    figures = f"{of(both[0]):.2f} | {of(both[1]):.2f} | {ratio:.3f}"
    return f"| {name} | {figures} | {min(ratios):.2f}, {max(ratios):.2f} |"


if __name__ == "__main__":
    sys.exit(main())
