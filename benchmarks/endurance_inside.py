"""Many runs in this process: ``endurance.py`` starts it and reads a line of JSON after each run.

What is open or alive after the first run is what a process of qa keeps; each later one must leave the same.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from leftovers import descriptors

if TYPE_CHECKING:
    from harness.results import ScenarioResult


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", type=int)
    parser.add_argument("scenario")
    parser.add_argument("--agent", required=True)
    parser.add_argument("--agent-bin", action="append", default=[])
    options = parser.parse_args()
    from harness.find_scenarios import find
    from harness.interrupts import INTERRUPTS
    from harness.qa_session import open_session

    session = open_session(options.agent, programs=options.agent_bin, runs=Path("runs").absolute())
    session.is_alone = True
    (job,) = session.jobs([session.scenario(find([options.scenario], Path.cwd())[0])])
    first: dict[str, int] = {}
    with INTERRUPTS.installed():
        for _ in range(options.runs):
            started_s = time.perf_counter()
            result = session.run(job)
            took_s = time.perf_counter() - started_s
            after, open_now = _now(), descriptors()
            first = first or after
            wrong = [] if result.verdict == "passed" else [_why(result)]
            wrong += [
                f"{after[what]} {what} instead of {first[what]}: {open_now if what == 'descriptors' else ''}"
                for what in ("descriptors", "children", "threads")
                if after[what] != first[what]
            ]
            print(json.dumps({"took_s": took_s, "after": after, "wrong": wrong}), flush=True)
        session.close()


def _why(result: ScenarioResult) -> str:
    failed = [f"{step.label}: {step.observed}" for step in result.steps if step.verdict == "failed"]
    return "; ".join((f"{result.verdict} {result.problem}", *failed))


def _now() -> dict[str, int]:
    me = psutil.Process()
    return {
        "descriptors": len(descriptors()),
        "children": len(me.children()),
        "threads": threading.active_count(),
        "memory_mb": me.memory_info().rss >> 20,
    }


if __name__ == "__main__":
    main()
