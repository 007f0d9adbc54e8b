"""Where the gate's time goes: from the evidence of whole gates on the reference agent; what reports cost.

    python benchmarks/gate.py --write

Runs the gate of this repository with a report, by turns with as many runs at a time as it takes by itself and
with one; the medians are told.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from performance_page import ROOT, write_page

GOAL_S = 30
WHOLE, PROCESSOR, REPORTS = "the whole gate", "processor time of all processes", "all four reports"
PHASES = (
    "agents start, sum over runs",
    "the model streams, sum over runs",
    "agents work and end, sum over runs",
    "judging and cleaning up, sum over runs",
)


def gate(*more: str) -> tuple[int, dict[str, float]]:
    """How many runs one gate made, and seconds by what they went to. It has to pass."""
    with tempfile.TemporaryDirectory() as name:
        report = Path(name) / "r.json"
        qa = [sys.executable, "-m", "harness.cli", "gate", "--runs", name, "--report", f"json={report}"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started_s = time.monotonic()
        done = subprocess.run([*qa, *more], cwd=ROOT, capture_output=True, text=True, check=False)
        took_s = time.monotonic() - started_s
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(f"the gate: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        run = json.loads(report.read_text())
        runs = [_phases(Path(result["evidence"])) for result in run["scenarios"]]
        seconds = {
            WHOLE: took_s,
            PROCESSOR: after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            **{phase: sum(each[phase] for each in runs) for phase in PHASES},
            REPORTS: _reports(report),
        }
        return len(runs), seconds


def _phases(folder: Path) -> dict[str, float]:
    """A run in parts: until the first request, while a reply is open, the rest until exit, and after."""
    events: list[dict[str, Any]] = [json.loads(line) for line in (folder / "events.jsonl").open()]
    first = next((e["t"] for e in events if e["channel"] == "wire"), events[-1]["t"])
    exits = [e["t"] for e in events if e["channel"] == "agent" and e["kind"] == "exit"]
    end = exits[-1] if exits else events[-1]["t"]
    open_replies, streaming = 0, 0.0
    for event, following in pairwise(events):
        if event["channel"] == "wire":
            open_replies += (event["kind"] == "request") - (event["kind"] == "ended")
        if open_replies > 0:
            streaming += following["t"] - event["t"]
    whole = json.loads((folder / "result.json").read_text())["duration_s"]
    parts = (first, streaming, max(0.0, end - first - streaming), max(0.0, whole - end))
    return dict(zip(PHASES, parts, strict=True))


def _reports(report: Path) -> float:
    from harness.report_files import parse_reports, write_reports
    from harness.results_json import parse_results

    run = parse_results(report.read_text(), str(report))
    wanted = parse_reports(
        [f"{kind}={report.parent / kind}" for kind in ("junit", "json", "markdown", "github")]
    )
    started_s = time.perf_counter()
    write_reports(wanted, run)
    return time.perf_counter() - started_s


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-n", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    parser.add_argument("--check", action="store_true", help="exit with 1 when the goal is missed")
    options = parser.parse_args()
    together, single = [], []
    for _ in range(options.n):
        runs, seconds = gate()
        together.append(seconds)
        single.append(gate("--jobs", "1")[1])
    cores, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    lines = [
        f"{options.n} rounds of {runs} runs on {cores} cores, load {load:.1f}; medians in seconds.",
        "",
        "| what | as it is | one run at a time (`--jobs 1`) |",
        "|---|--:|--:|",
    ]
    for what in (WHOLE, PROCESSOR, *PHASES, REPORTS):
        cells = [f"{median(each[what] for each in rounds):.2f}" for rounds in (together, single)]
        lines.append(f"| {what} | {' | '.join(cells)} |")
    whole_s = median(each[WHOLE] for each in together)
    is_met = whole_s < GOAL_S
    lines += ["", f"Goal: {GOAL_S} s for the whole gate; {'met' if is_met else 'missed'}.", ""]
    page = "\n".join(lines)
    print(page)
    if options.write:
        write_page(ROOT / "docs/performance.md", page, "gate")
    return int(options.check and not is_met)


if __name__ == "__main__":
    sys.exit(main())
