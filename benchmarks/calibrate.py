"""How long 'qa calibrate' takes over real text, and how that grows with the store.

It makes its stores from what any machine has (see guards.py): JSON lines as an agent would write them, 12,000
parts of 30 MB together, and ten times as much. Run it with ``python benchmarks/calibrate.py``.

Goals: 30 MB in 12,000 parts under 5 s on 2 cores; ten times as much takes at most 10.5 times as long; memory
does not grow. Elapsed time means something on an idle machine only, so processor time is printed beside it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guards import FOLDERS, MB, collect, size_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PARTS, SIZE, TIMES = 12_000, 30 * MB, 10
GOAL_S, GOAL_RATIO = 5.0, 10.5
QA = Path(sys.executable).with_name("qa")
PATHS = ("--text-path", "message.content[].text", "--thinking-path", "message.content[].thinking")


class Run(NamedTuple):
    """One run of the command, its processes together."""

    elapsed_s: float
    cpu_s: float
    peak_mb: float
    statement: str


def parts(texts: Sequence[str]) -> Iterator[str]:
    """Pieces of texts, cut at blank lines, so many that they are of the size of an assistant's replies."""
    size = SIZE // PARTS
    for text in texts:
        held: list[str] = []
        length = 0
        for paragraph in text.split("\n\n"):
            held.append(paragraph)
            length += len(paragraph) + 2
            if length >= size:
                yield "\n\n".join(held)
                held, length = [], 0
        if held:
            yield "\n\n".join(held)


def record(number: int, text: str) -> str:
    """A reply as an agent writes it; every fifth is thinking."""
    kind = "thinking" if number % 5 == 0 else "text"
    message = {"role": "assistant", "content": [{"type": kind, kind: text}]}
    return json.dumps({"type": "message", "id": number, "message": message}) + "\n"


def write_stores(small: Path, large: Path) -> None:
    """Write a store with all parts once and one with them ten times, in files of 30 MB; tell of it.

    This is done in a process of its own: what it holds would count as memory of those that are started later.
    """
    found = list(parts(collect(FOLDERS, SIZE * 11 // 10)))
    found = (found * (1 + PARTS // len(found)))[:PARTS]
    lines = [record(number, text) for number, text in enumerate(found)]
    for folder, files in ((small, 1), (large, TIMES)):
        folder.mkdir()
        for number in range(files):
            (folder / f"{number:02}.jsonl").write_text("".join(lines), encoding="utf-8")
    print(f"{len(found):,} parts, {sum(map(size_of, found)) / MB:.1f} MB; load {os.getloadavg()[0]:.1f}")


def measure(store: Path, jobs: int) -> Run:
    """Run the command once."""
    command = [str(QA), "calibrate", str(store), *PATHS, "--jobs", str(jobs), "--list", "100"]
    started = time.perf_counter()
    read, write = os.pipe()
    process = os.posix_spawn(
        command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)], setsigdef=[]
    )
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as output:
        statement, *_ = output.read().splitlines()
    _, status, usage = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    elapsed = time.perf_counter() - started
    return Run(elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / MB, statement)


def best(store: Path, jobs: int, tries: int) -> Run:
    """The least of a few tries: others disturb, nobody helps."""
    runs = [measure(store, jobs) for _ in range(tries)]
    return Run(
        min(run.elapsed_s for run in runs),
        min(run.cpu_s for run in runs),
        max(run.peak_mb for run in runs),
        runs[0].statement,
    )


def tell(name: str, run: Run) -> None:
    print(f"{name}: {run.statement}")
    times = f"{run.elapsed_s:.1f} s elapsed, {run.cpu_s:.1f} s of processor time"
    print(f"  {times}, {run.peak_mb:.0f} MB in the largest process")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tries", type=int, default=3, help="of the small store; the large one has one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder, "small"), Path(folder, "large")
        writer = multiprocessing.Process(target=write_stores, args=(small, large))
        writer.start()
        writer.join()
        if writer.exitcode:
            raise SystemExit(writer.exitcode)
        once = best(small, options.jobs, options.tries)
        tell("1x", once)
        many = best(large, options.jobs, 1)
        tell(f"{TIMES}x", many)
    print(f"goal: {GOAL_S:g} s elapsed for 30 MB on 2 idle cores")
    elapsed, cpu = many.elapsed_s / once.elapsed_s, many.cpu_s / once.cpu_s
    memory = many.peak_mb / once.peak_mb
    print(f"growth: {elapsed:.1f}x elapsed, {cpu:.1f}x processor (goal {GOAL_RATIO}x); memory {memory:.2f}x")


if __name__ == "__main__":
    main()
