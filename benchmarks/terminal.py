"""What a run in a terminal costs above the bare agent on a terminal, measured side by side.

    python benchmarks/terminal.py --write

A: the agent alone on a pseudo-terminal, driven by a plain expect script (see ``bare_terminal.py``), against a
mock server that runs already; from the start of the agent to its end.
B: ``qa run`` of a scenario with the same prompts and answers, as a whole: from the start of qa to its end.
They alternate, A B A B, so that both see the same machine. The budget: B - A under 0.3 s, and for pi B / A
under 1.2.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bare_terminal import NAME, SCENARIO, bare_run
from performance_page import ROOT, write_page

QA = Path(sys.executable).with_name("qa")
AGENTS = ("reference", "pi")
MOST_MORE_S, MOST_RATIO = 0.3, 1.2
RATIO_OF = "pi"  # the reference agent's whole run is shorter than loading a terminal emulator


def qa_run(agent: str, folder: Path) -> float:
    """B: seconds of the whole command, which has to pass."""
    started_s = time.perf_counter()
    words = [str(QA), "run", NAME, "--agent", agent]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    took_s = time.perf_counter() - started_s
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return took_s


def measured(agent: str, rounds: int) -> tuple[list[float], list[float]]:
    """Both, in turns, after one round that warms the disk."""
    bare, whole = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scenario = folder / "scenarios" / f"{NAME}.yaml"
        scenario.parent.mkdir()
        scenario.write_text(SCENARIO)
        for _ in range(rounds + 1):
            bare.append(bare_run(agent, scenario))
            whole.append(qa_run(agent, folder))
    return bare[1:], whole[1:]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-n", type=int, default=15, help="rounds (default: 15)")
    parser.add_argument("--agent", action="append", choices=AGENTS, help="only this one")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    parser.add_argument("--check", action="store_true", help="exit with 1 when the budget is exceeded")
    options = parser.parse_args()
    lines = [
        "| agent | bare, median (least) | qa run | more, of pairs (of the least) | ratio | wanted | |",
        "|---|--:|--:|--:|--:|---|---|",
    ]
    is_over = False
    for agent in options.agent or AGENTS:
        bare, whole = measured(agent, options.n)
        more_s = median(b - a for a, b in zip(bare, whole, strict=True))
        ratio = median(b / a for a, b in zip(bare, whole, strict=True))
        wanted = f"under {MOST_MORE_S} s" + (f" and {MOST_RATIO} x" if agent == RATIO_OF else "")
        is_met = more_s < MOST_MORE_S and (agent != RATIO_OF or ratio < MOST_RATIO)
        is_over = is_over or not is_met
        told = [f"{median(each):.2f} s ({min(each):.2f})" for each in (bare, whole)]
        told.append(f"{more_s:.2f} s ({min(whole) - min(bare):.2f})")
        told.append(f"{ratio:.2f} ({min(whole) / min(bare):.2f})")
        lines.append(f"| {agent} | {' | '.join(told)} | {wanted} | {'met' if is_met else 'missed'} |")
        print(lines[-1], file=sys.stderr, flush=True)
    page = "\n".join((*lines, "", f"{options.n} rounds, load {os.getloadavg()[0]:.1f}.", ""))
    print(page)
    if options.write:
        write_page(ROOT / "docs/performance.md", page, "terminal")
    return int(options.check and is_over)


if __name__ == "__main__":
    sys.exit(main())
