"""What the main job costs above the bare agent, measured side by side.

A: the reference agent alone, doing the same two turns against a mock server that runs already.
B: ``qa run ttsr-near-duplicate-loop``.
They alternate, A B A B, so that both see the same machine. Run it with ``python benchmarks/main_job.py``.

The budget: B takes under 1.5 s of wall time, and under 0.3 s more than A, on two shared cores.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

BUDGET_JOB_S = 1.5
BUDGET_SHARE_S = 0.3

SERVER = Path(__file__).with_name("scenario_server.py")


@dataclass(frozen=True)
class Cost:
    """Seconds of wall time, and of CPU time with all children."""

    wall_s: float
    cpu_s: float


def measured(argv: list[str], environ: dict[str, str], folder: str) -> Cost:
    """Run a program to its end, which has to be a good one."""
    started_s, before = time.perf_counter(), os.times()
    done = subprocess.run(
        argv, env=environ, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    wall_s, after = time.perf_counter() - started_s, os.times()
    if done.returncode != 0:
        sys.exit(
            f"{' '.join(argv)}: exit code {done.returncode}\n{done.stdout.decode()}{done.stderr.decode()}"
        )
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return Cost(wall_s, used)


def bare_agent(folder: str, scenario: str) -> Cost:
    """A: the agent against a server that is ready before the clock starts."""
    server = subprocess.Popen(
        [sys.executable, str(SERVER), scenario],
        cwd=folder,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdin
    assert server.stdout
    base_url, prompt = server.stdout.readline().split()
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": folder,
        "TTSR_REFAGENT_BASE_URL": f"{base_url}/v1",
        "TTSR_REFAGENT_DIALECT": "openai-chat",
        "TTSR_REFAGENT_API_KEY": "bench",
        "TTSR_REFAGENT_HOME": tempfile.mkdtemp(dir=folder),
    }
    argv = [sys.executable, "-m", "harness.refagent", "-p", bytes.fromhex(prompt).decode()]
    # The server is still running when the children's CPU time is read, so it is not in it.
    cost = measured(argv, environ, folder)
    replies, _ = server.communicate("")
    assert replies.strip() == "2", f"the bare agent took {replies.strip()} replies instead of 2"
    return cost


def main_job(folder: str, scenario: str) -> Cost:
    """B: the whole job."""
    return measured([str(Path(sys.executable).with_name("qa")), "run", scenario], dict(os.environ), folder)


def report(name: str, costs: list[Cost]) -> str:
    wall = [cost.wall_s for cost in costs]
    cpu_s = median(cost.cpu_s for cost in costs)
    return f"{name}  wall {median(wall):.3f} s ({min(wall):.3f} to {max(wall):.3f})  cpu {cpu_s:.3f} s"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "scenario", nargs="?", default="ttsr-near-duplicate-loop", help="one that takes two turns"
    )
    parser.add_argument("-n", type=int, default=10, help="runs of each (default: 10)")
    parser.add_argument("--check", action="store_true", help="exit with 1 when the budget is exceeded")
    options = parser.parse_args()
    name, agent, job = options.scenario, [], []
    with tempfile.TemporaryDirectory() as folder:
        bare_agent(folder, name), main_job(folder, name)  # warm the disk
        for _ in range(options.n):
            agent.append(bare_agent(folder, name))
            job.append(main_job(folder, name))
    a, b = median(c.wall_s for c in agent), median(c.wall_s for c in job)
    a_cpu, b_cpu = median(c.cpu_s for c in agent), median(c.cpu_s for c in job)
    print(report("A bare agent, two turns", agent))
    print(report("B qa run              ", job))
    print(f"B - A                    wall {b - a:.3f} s (budget {BUDGET_SHARE_S})  cpu {b_cpu - a_cpu:.3f} s")
    print(f"B / A                    wall {b / a:.2f}  cpu {b_cpu / a_cpu:.2f}")
    return int(options.check and (b >= BUDGET_JOB_S or b - a >= BUDGET_SHARE_S))


if __name__ == "__main__":
    sys.exit(main())
