"""How fast the guards read real text: MB per second of CPU time, in large bites and in small deltas.

The text is what any machine has: READMEs and manuals below some folders, and the docstrings of installed Python
packages. Run it with ``python benchmarks/guards.py``; ``--profile`` adds what the time goes to.

Goals on one core, for the whole collapse chain: 20 MB/s in bites, 4 MB/s in deltas of 20 characters. The cost grows
with the text and not faster: the same text 10 and 100 times as long takes 10 and 100 times as long.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import random
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness.detectors.batch import Scanner
from harness.detectors.guard import Guard
from harness.detectors.mechanisms import PUBLISHED

FOLDERS = ("/usr/share/doc", "/usr/share/man", "/usr/lib/node_modules", "/usr/lib/python3", sys.prefix)
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
    """Documents of at least ``size`` bytes together, none of them stopped by the guard or very short."""
    found = []
    for folder in folders:
        room = size // len(folders)
        for text in documents(folder):
            if 500 <= len(text) <= 500_000:
                found.append(text)
                room -= len(text.encode("utf-8", "surrogatepass"))
                if room <= 0:
                    break
    return found


def batch(texts: Sequence[str]) -> int:
    """Scan every text; how many fired."""
    scanner = Scanner(profile=COLLAPSE)
    return sum(scanner.scan(text) is not None for text in texts)


def deltas(texts: Sequence[str]) -> int:
    """Feed every text in small deltas, each to a fresh guard."""
    guard, fired = Guard(profile=COLLAPSE), 0
    for text in texts:
        guard.reset()
        for at in range(0, len(text), DELTA):
            if guard.feed(0, "text", text[at : at + DELTA]):
                fired += 1
                break
    return fired


def cpu_s(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
