"""How fast the guards read real text: MB per second of CPU time, in large bites and in small deltas.

The text is what any machine has: READMEs and manuals below some folders, and the docstrings of installed
Python packages. Run it with ``python benchmarks/guards.py``; ``--write`` puts the table into
docs/performance.md, ``--profile`` adds what the time goes to.

Goals on one core, for the whole collapse chain: 20 MB/s in bites, 4 MB/s in deltas of 20 characters. The
cost grows with the text and not faster: ten times the text takes about ten times as long.
"""

from __future__ import annotations

import argparse
import ast
import cProfile
import gzip
import pstats
import random
import sys
import time
import tracemalloc
import warnings
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

from performance_page import ROOT, write_page

from harness.detectors.batch import Scanner
from harness.detectors.guard import Guard
from harness.detectors.mechanisms import PUBLISHED

FOLDERS = (sys.prefix, "/usr/lib/node_modules", "/usr/lib/python3", "/usr/share/man", "/usr/share/doc")
MB = 1_000_000
GOAL_BATCH, GOAL_DELTAS = 20, 4
DELTA = 20
COLLAPSE = PUBLISHED.without("control-token-leak", "repetitive-turns")


def documents(folder: str) -> Iterator[str]:
    """Texts of the machine that people wrote to be read, in an order that is mixed and fixed."""
    paths = sorted(Path(folder).rglob("*"))
    random.Random(1).shuffle(paths)
    for path in paths:
        if path.is_file():
            yield from _texts(path)


def _texts(path: Path) -> Iterator[str]:
    suffixes = path.suffixes
    if path.suffix in {".md", ".rst", ".txt"}:
        yield path.read_text(encoding="utf-8", errors="replace")
    elif path.suffix == ".py":
        yield from _docstrings(path.read_text(encoding="utf-8", errors="replace"))
    elif suffixes[-1:] == [".gz"] and len(suffixes) > 1 and suffixes[-2][1:2].isdigit():
        yield gzip.decompress(path.read_bytes()).decode("utf-8", errors="replace")


def _docstrings(source: str) -> Iterator[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    found = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds)]
    text = "\n\n".join(filter(None, found))
    if text:
        yield text


def collect(folders: Sequence[str], size: int) -> list[str]:
    """Documents of ``size`` bytes together, of each folder as nearly the same share as it has."""
    found: list[str] = []
    for place, folder in enumerate(folders):
        room = (size - sum(map(size_of, found))) // (len(folders) - place)
        for text in documents(folder):
            if 500 <= len(text) <= 500_000:
                found.append(text)
                room -= size_of(text)
                if room <= 0:
                    break
    return found


def size_of(text: str) -> int:
    """Bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "surrogatepass"))


def batch(texts: Sequence[str], without: Sequence[str] = ()) -> None:
    """Scan every text."""
    scanner = Scanner(profile=COLLAPSE.without(*without))
    for text in texts:
        scanner.scan(text)


def deltas(texts: Iterable[str]) -> None:
    """Feed every text in small deltas, each to a guard of its own."""
    guard = Guard(profile=COLLAPSE)
    for text in texts:
        guard.reset()
        for at in range(0, len(text), DELTA):
            if guard.feed(0, "text", text[at : at + DELTA]):
                break


def as_read(texts: Sequence[str]) -> tuple[list[str], Counter[str]]:
    """The texts as far as a guard reads them, and what stopped it."""
    scanner, read, fired = Scanner(profile=COLLAPSE), [], Counter[str]()
    for text in texts:
        finding = scanner.scan(text)
        read.append(text[: finding.fired_at] if finding else text)
        if finding:
            fired[finding.mechanism] += 1
    return read, fired


def cpu_s(work: Callable[[], object], tries: int = 3) -> float:
    """CPU seconds of some work, the least of a few tries: others disturb, nobody helps."""
    least = float("inf")
    for _ in range(tries):
        started = time.process_time()
        work()
        least = min(least, time.process_time() - started)
    return least


def never_the_same(size: int) -> str:
    """A text of ``size`` characters in which nothing comes again."""
    dice = random.Random(size)
    paragraphs, length = [], 0
    while length < size:
        words = ["".join(dice.choices("abcdefghiklmnoprstuvy", k=dice.randint(2, 9))) for _ in range(50)]
        paragraphs.append(" ".join(words).capitalize() + ".")
        length += len(paragraphs[-1]) + 2
    return "\n\n".join(paragraphs)


def peak_bytes(text: str) -> int:
    """What a guard holds at most while it reads a text in deltas."""
    tracemalloc.start()
    deltas([text])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def shares(work: Callable[[], object]) -> Iterator[str]:
    """What the time goes to: each function's own share, the largest first."""
    profile = cProfile.Profile()
    profile.runcall(work)
    rows = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    total = sum(row[2] for row in rows.values())
    for (file, _, name), row in sorted(rows.items(), key=lambda item: -item[1][2])[:12]:
        where = f"{Path(file).stem}." if file.endswith(".py") else ""
        yield f"  {row[2] / total:6.1%}  {where}{name}"


def speed(work: Callable[[Sequence[str]], object], texts: Sequence[str]) -> str:
    return f"{sum(map(size_of, texts)) / MB / cpu_s(lambda: work(texts)):.1f}"


def growth(work: Callable[[Sequence[str]], object]) -> str:
    texts = [[never_the_same(size)] for size in SIZES]
    times = [cpu_s(lambda text=text: work(text)) for text in texts]  # type: ignore[misc]
    return ", ".join(f"{t / times[0]:.1f}" for t in times)


def savings(texts: Sequence[str]) -> str:
    """By how much less the chain takes without each mechanism; the last two share how text is cut."""
    ids = COLLAPSE.ids
    whole_s = cpu_s(lambda: batch(texts))
    found = []
    for left_out in (*((one,) for one in ids), ids[-2:]):
        less = 1 - cpu_s(lambda: batch(texts, left_out)) / whole_s  # noqa: B023 - called at once
        found.append(f"{' and '.join(f'`{one}`' for one in left_out)} {less:.0%}")
    return f"Without one of them the whole texts take less by: {', '.join(found)}."


def _listed(fired: Counter[str]) -> str:
    return ", ".join(f"{number} by `{name}`" for name, number in fired.most_common())


SIZES = (30_000, 300_000, 3_000_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=25, help="how much text is collected")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    parser.add_argument("--profile", action="store_true", help="say what the time goes to")
    options = parser.parse_args()
    texts = collect(FOLDERS, options.mb * MB)
    read, fired = as_read(texts)
    total = sum(map(size_of, texts)) / MB
    small, large = (peak_bytes(never_the_same(size)) for size in SIZES[1:])
    held = f"{small // 1000} kB in {SIZES[1]:,} characters, {large // 1000} kB in {SIZES[2]:,}"
    whole, small_deltas = speed(batch, read), speed(deltas, read[::4])
    lines = [
        f"{len(texts):,} documents, {total:.1f} MB; {sum(map(size_of, read)) / MB:.1f} MB of them are read",
        f"until a guard fires; it does in {sum(fired.values())} of them: {_listed(fired)}.",
        "",
        "| form | MB per CPU second | goal | time for 1, 10, 100 times the text | held at most |",
        "|---|--:|--:|--:|--:|",
        f"| whole texts | {whole} | {GOAL_BATCH} | {growth(batch)} | |",
        f"| deltas of {DELTA} | {small_deltas} | {GOAL_DELTAS} | {growth(deltas)} | {held} |",
        "",
        savings(read),
    ]
    page = "\n".join((*lines, ""))
    print(page)
    if options.write:
        write_page(ROOT / "docs/performance.md", page, "guards")
    if options.profile:
        for name, work, part in (("batch", batch, read), ("deltas", deltas, read[::8])):
            print(f"{name}, the share of each function in its time:")
            print("\n".join(shares(lambda work=work, part=part: work(part))))  # type: ignore[misc]


if __name__ == "__main__":
    main()
