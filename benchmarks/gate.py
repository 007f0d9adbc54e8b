"""Where the gate's time goes: from the evidence of one gate on the reference agent, and the cost of reports.

    python benchmarks/gate.py

prints the tables of docs/performance.md. It runs the gate of this repository once, with every report.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Run, measure, print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        report = folder / "r.json"
        words = [
            sys.executable,
            "-m",
            "harness.cli",
            "gate",
            "--runs",
            str(folder),
            "--report",
            f"json={report}",
        ]
        started = time.monotonic()
        done = subprocess.run(words, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        wall = time.monotonic() - started
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = json.loads(report.read_text())
        phases = [_phases(Path(result["evidence"])) for result in run["scenarios"]]
        cores = len(os.sched_getaffinity(0))
        load = os.getloadavg()[0]
        print(f"{len(phases)} runs on {cores} cores, load {load:.1f}, exit code {done.returncode}\n")
        print("| what | seconds |\n|---|--:|")
        print(f"| the whole gate | {wall:.1f} |")
        print(f"| processor time of all processes | {used.ru_utime + used.ru_stime:.1f} |")
        for phase in ("agent starts", "model streams", "agent works and ends", "judging and cleaning up"):
            print(f"| {phase}, sum over runs | {sum(p[phase] for p in phases):.1f} |")
        _reports(report, wall)


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
    return {
        "agent starts": first,
        "model streams": streaming,
        "agent works and ends": max(0.0, end - first - streaming),
        "judging and cleaning up": max(0.0, whole - end),
    }


def _reports(report: Path, wall: float) -> None:
    from harness.report_files import parse_reports, write_reports
    from harness.results_json import parse_results

    run = parse_results(report.read_text(), str(report))
    wanted = parse_reports(
        [f"{kind}={report.parent / kind}" for kind in ("junit", "json", "markdown", "github")]
    )
    started = time.perf_counter()
    write_reports(wanted, run)
    took = time.perf_counter() - started
    print(f"| all four reports, of the whole | {took:.3f} ({took / wall:.2%}) |")


if __name__ == "__main__":
    main()
