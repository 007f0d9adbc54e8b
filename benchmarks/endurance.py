"""Hundreds of runs in a row in a terminal: every one has to pass, and nothing may be left behind by any.

    python benchmarks/endurance.py --write

makes 200 runs on the reference agent and 30 on pi, each a whole ``qa run``; then as many again inside one
process each, where open descriptors are counted as well. Exits with 1, and says which run and what, when a
verdict is not 'passed' or anything is there after a run that was not there before it. Before each series one
of everything is left on purpose, to see that it is counted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from leftovers import check_that_it_is_seen, entries, look, take_in_orphans
from performance_page import ROOT, write_page

QA = Path(sys.executable).with_name("qa")
SCENARIOS = {"reference": "ttsr-terminal-loop"}
OTHERS = "healthy-terminal"  # an agent without a guard does not stop a loop
RUNS = {"reference": 200, "pi": 30}


@dataclass
class Tally:
    """One series of runs: how long each took, in seconds, and everything that was wrong."""

    agent: str
    form: str
    took_s: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    descriptors: str = "-"
    memory: str = "-"

    def row(self) -> str:
        """A line of the table."""
        each = f"{median(self.took_s):.2f} s" if self.took_s else "-"
        worst = f"{max(self.took_s):.2f} s" if self.took_s else "-"
        bad = f"{len(self.wrong)} faults" if self.wrong else "none"
        what = f"{self.agent} | {SCENARIOS.get(self.agent, OTHERS)} | {self.form} | {len(self.took_s)}"
        return f"| {what} | {each} | {worst} | {self.descriptors} | {self.memory} | {bad} |"


@dataclass(frozen=True)
class Place:
    """The folders of a series. qa gets ``temporary`` as TMPDIR and ``cache`` as the place of its cache."""

    root: Path
    agent: str
    program: str

    @property
    def temporary(self) -> Path:
        return self.root / "tmp"

    @property
    def cache(self) -> Path:
        return self.root / "cache"

    def environ(self) -> dict[str, str]:
        return {**os.environ, "TMPDIR": str(self.temporary), "XDG_CACHE_HOME": str(self.cache)}

    def make(self) -> None:
        for folder in (self.temporary, self.cache):
            folder.mkdir()

    def words(self) -> list[str]:
        """What selects the run, for ``qa run`` and for the runs in one process."""
        program = ["--agent-bin", f"{self.agent}={self.program}"] if self.program else []
        return [SCENARIOS.get(self.agent, OTHERS), "--agent", self.agent, *program]


def whole_runs(place: Place, runs: int) -> Tally:
    """Each run a ``qa run`` of its own."""
    tally = Tally(place.agent, "qa run")
    before = look(place.root, place.temporary, place.cache)
    for number in range(1, runs + 1):
        words = [str(QA), "run", *place.words(), "--runs", str(place.root / "runs")]
        started_s = time.perf_counter()
        done = subprocess.run(words, env=place.environ(), cwd=place.root, capture_output=True, check=False)
        tally.took_s.append(time.perf_counter() - started_s)
        if done.returncode != 0:
            tally.wrong.append(f"run {number}: exit code {done.returncode}\n{done.stdout.decode()}")
            tally.wrong[-1] += done.stderr.decode()
        left = look(place.root, place.temporary, place.cache).beyond(before)
        tally.wrong += [f"run {number} left {each}" for each in left]
        _progress(tally, number, runs)
    return tally


def runs_in_one_process(place: Place, runs: int) -> Tally:
    """All runs in one process, which counts its own descriptors and children after each."""
    tally = Tally(place.agent, "one process")
    before = look(place.root, place.temporary, place.cache)
    script = Path(__file__).with_name("endurance_inside.py")
    words = [sys.executable, str(script), str(runs), *place.words()]
    with subprocess.Popen(
        words, env=place.environ(), cwd=place.root, stdout=subprocess.PIPE, text=True
    ) as inside:
        assert inside.stdout
        after: list[dict[str, int]] = []
        for number, line in enumerate(inside.stdout, 1):
            told = json.loads(line)
            tally.took_s.append(told["took_s"])
            after.append(told["after"])
            tally.wrong += [f"run {number}: {each}" for each in told["wrong"]]
            _progress(tally, number, runs)
    if inside.returncode or len(after) != runs:
        tally.wrong.append(f"the process ended with {inside.returncode} after {len(after)} of {runs} runs")
    if after:
        tally.descriptors = f"{after[0]['descriptors']}, {after[-1]['descriptors']}"
        tally.memory = f"{after[0]['memory_mb']}, {after[-1]['memory_mb']} MiB"
    left = look(place.root, place.temporary, place.cache).beyond(before)
    tally.wrong += [f"the process left {each}" for each in left]
    return tally


def series(agent: str, runs: int) -> list[Tally]:
    """Both forms for an agent; its own installed files must be the same afterwards."""
    program = _program(agent)
    installed = Path(program).parents[2] if program else None
    files = entries(installed) if installed else set()
    tallies = []
    for form in (whole_runs, runs_in_one_process):
        with tempfile.TemporaryDirectory(prefix="endurance-") as name:
            place = Place(Path(name).resolve(), agent, program)
            place.make()
            check_that_it_is_seen(place.root, place.temporary, place.cache)
            tallies.append(form(place, runs))
    changed = entries(installed) ^ files if installed else ()
    tallies[-1].wrong += [f"the agent's own files changed: {path}" for path in sorted(changed)[:5]]
    return tallies


def _program(agent: str) -> str:
    """Where qa has installed the agent; the runs have a cache of their own and would not find it."""
    from harness.agents.locate import find_program, load_agent

    return "" if agent == "reference" else find_program(load_agent(agent), {}).argv[0]


def _progress(tally: Tally, number: int, runs: int) -> None:
    """A line that is written over on a terminal; elsewhere the last one alone."""
    is_live, is_last = sys.stderr.isatty(), number == runs
    if is_live or is_last:
        line = f"{tally.agent}, {tally.form}: {number}/{runs}, {len(tally.wrong)} faults"
        start, end = "\r" if is_live else "", "\n" if is_last else ""
        print(f"{start}{line}", end=end, file=sys.stderr, flush=True)


def _table(tallies: list[Tally]) -> str:
    lines = [
        "| agent | scenario | form | runs | median | longest | descriptors | memory | failed or left |",
        "|---|---|---|--:|--:|--:|--:|--:|---|",
        *(tally.row() for tally in tallies),
    ]
    return "\n".join((*lines, ""))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", action="append", metavar="AGENT=N", help="instead of reference=200, pi=30")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    options = parser.parse_args()
    wanted = dict(word.split("=", 1) for word in options.runs) if options.runs else RUNS
    take_in_orphans()
    tallies = [tally for agent, runs in wanted.items() for tally in series(agent, int(runs))]
    page = _table(tallies)
    print(page)
    wrong = [f"{tally.agent}, {tally.form}, {each}" for tally in tallies for each in tally.wrong]
    for each in wrong:
        print(each, file=sys.stderr)
    if options.write and not wrong:
        write_page(ROOT / "docs/performance.md", page, "endurance")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
