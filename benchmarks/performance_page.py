"""The measures as tables of docs/performance.md, with the goals they are held against."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Table = dict[str, float]
ROOT = Path(__file__).resolve().parents[1]
OURS, LIMIT, RIVAL = "this server", "raw asyncio, coalesced", "aimock"
TIMES_LIMIT, TIMES_FASTER, TIMES_LONGER = 2.5, 1.5, 10.5
MORE_MB = 3.0  # what a text ten times as long takes by itself, as text and as script
LATE_MS, NOTICED_MS = 1.0, 5.0


@dataclass(frozen=True)
class Measures:
    """Everything of one run. Times in milliseconds, memory in MiB, by server unless said otherwise."""

    one: Table
    together: Table
    start: Table
    memory: Table
    longer: Table
    longer_memory: Table
    errors: Table
    late: Table
    noticed: dict[str, tuple[float, float]]

    def render(self, notes: Mapping[str, str]) -> str:
        """The part of the page that is measured."""
        return "\n".join((*self._machine(), "", *self._servers(notes), "", *self._goals(), ""))

    def missed(self) -> list[str]:
        """The goals that this run misses."""
        return [
            f"{name}: {found}, wanted {wanted}" for name, wanted, found, is_met in self._all() if not is_met
        ]

    def _machine(self) -> Iterator[str]:
        cores, memory = psutil.cpu_count(), psutil.virtual_memory().total / 2**30
        python = ".".join(map(str, sys.version_info[:3]))
        yield f"{cores} cores ({_cpu()}), {memory:.0f} GiB, {platform.system()}, Python {python}."

    def _servers(self, notes: Mapping[str, str]) -> Iterator[str]:
        yield (
            "| server | one stream | x limit | 200 streams | x limit | start to first byte | memory "
            "| 10 x longer stream | 500 streams |"
        )
        yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
        for name in self.one:
            longer = f"{self.longer[name] / self.one[name]:.1f} x" if name in self.longer else "-"
            wrong = f"{self.errors[name]:.0f} errors" if self.errors.get(name) else "no error"
            wrong = wrong if name in self.errors else "-"
            mark = f" ({notes[name]})" if notes.get(name) else ""
            yield (
                f"| {name}{mark} | {self.one[name]:.1f} ms | {self.one[name] / self.one[LIMIT]:.1f} "
                f"| {self.together[name]:.0f} ms | {self.together[name] / self.together[LIMIT]:.1f} "
                f"| {self.start[name]:.0f} ms | {self.memory[name]:.0f} MiB | {longer} | {wrong} |"
            )

    def _goals(self) -> Iterator[str]:
        yield "| goal | wanted | measured | |"
        yield "|---|---|---|---|"
        for name, wanted, found, is_met in self._all():
            yield f"| {name} | {wanted} | {found} | {'met' if is_met else 'missed'} |"

    def _all(self) -> Iterator[tuple[str, str, str, bool]]:
        streams = (("one stream", self.one), ("200 streams", self.together))
        for name, table in streams:
            times = table[OURS] / table[LIMIT]
            yield (
                f"{name}, against the coalesced limit",
                f"{TIMES_LIMIT} x at most",
                f"{times:.2f} x",
                times <= TIMES_LIMIT,
            )
        rival = next((name for name in self.one if RIVAL in name), None)
        if rival is not None:
            for name, table in streams:
                times = table[rival] / table[OURS]
                yield (
                    f"{name}, against aimock",
                    f"{TIMES_FASTER} x faster",
                    f"{times:.1f} x",
                    times >= TIMES_FASTER,
                )
            for name, table in (("start-up", self.start), ("memory", self.memory)):
                times = table[OURS] / table[rival]
                yield f"{name}, against aimock", "no more", f"{times:.2f} x", times <= 1
        times = self.longer[OURS] / self.one[OURS]
        yield (
            "a stream 10 times as long, time",
            f"{TIMES_LONGER} x at most",
            f"{times:.1f} x",
            times <= TIMES_LONGER,
        )
        more = self.longer_memory[OURS] - self.memory[OURS]
        yield (
            "a stream 10 times as long, memory",
            f"its own text, {MORE_MB:.0f} MiB",
            f"{more:+.1f} MiB",
            more <= MORE_MB,
        )
        errors = self.errors[OURS]
        yield "500 streams at a time", "no error", f"{errors:.0f} errors", not errors
        for name, late in self.late.items():
            yield (
                f"pacing of 5 ms, {name}, median",
                f"within {LATE_MS:.0f} ms",
                f"{late:.2f} ms",
                late <= LATE_MS,
            )
        for name, (usual, worst) in self.noticed.items():
            found = f"{usual:.2f} ms, worst {worst:.2f}"
            yield f"hang-up during {name}", f"within {NOTICED_MS:.0f} ms", found, usual <= NOTICED_MS


def write_page(page: Path, measured: str, name: str = "measured") -> None:
    """Put the tables between the marks of that name."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, found_end, after = rest.partition(end)
    if not found or not found_end:
        sys.exit(f"{page} lacks the marks '{begin}' and '{end}'")
    page.write_text(f"{before}{begin}\n{measured}{end}{after}", encoding="utf-8")


def _cpu() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
