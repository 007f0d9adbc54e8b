"""Reports cost little beside the runs they tell about."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.report_files import KINDS, parse_reports, write_reports
from harness.results import Change, RunResult
from tests.gate import made

LEAST_S = 0.2  # no run of a scenario takes less: starting an agent costs as much
RUNS = 200


def test_all_reports_together_cost_less_than_a_tenth_of_the_runs(tmp_path: Path) -> None:
    evidence = tuple(
        f"line {n} of the evidence, as long as such a line may be: {'x' * 100}" for n in range(8)
    )
    failing: Any = [replace(made.step(f"abort#{n}", "failed"), evidence=evidence) for n in range(10)]
    results = tuple(
        made.result("failed", scenario=f"s{n}", steps=tuple(failing), duration_s=LEAST_S) for n in range(RUNS)
    )
    changes = tuple(Change("caught-later", "accept", f"s{n}", "a", "d", "later", by=n) for n in range(RUNS))
    run = RunResult(results, str(tmp_path), LEAST_S * RUNS, changes)
    reports = parse_reports([f"{kind}={tmp_path / kind}" for kind in KINDS])
    started = time.process_time()
    write_reports(reports, run)
    used_s = time.process_time() - started
    assert all((tmp_path / kind).stat().st_size > 1000 for kind in KINDS)
    assert used_s < 0.1 * run.duration_s
