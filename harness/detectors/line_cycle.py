"""Detector 4: the same few lines again and again."""

from __future__ import annotations

import re
from operator import eq
from typing import ClassVar, NamedTuple

from harness.detectors.bounded_text import BoundedText
from harness.detectors.finding import Finding
from harness.detectors.short_period import DECORATION

_CONTENT = re.compile(rf"[^\s{re.escape(DECORATION)}\u2500-\u259f]")
_CAP = 16_384  # characters kept of a line; beyond them only a digest is
_MANY = 64  # lines from which looking at all of them at once pays


class _Line(NamedTuple):
    start: int
    text: str


class _Streak:
    """How long the lines have come back after ``period`` lines."""

    __slots__ = ("begin", "first_end", "matched", "period")

    def __init__(self, period: int) -> None:
        self.period = period
        self.drop()

    def drop(self) -> None:
        self.begin = -1
        self.first_end = -1
        self.matched = 0


class LineCycle:
    """Detect a cycle of a few lines.

    A line matches when it equals the one ``period`` lines before it. A streak of matches fires at the end
    of the line with which it has ``min_cycles`` times ``period`` matching lines and, from the first line of
    the cycle on, ``min_chars`` characters. A line without any character beside whitespace and decoration
    keeps a streak going and is not counted. A blank line starts everything anew. The text is kept up to the
    second cycle.

    Args:
        max_period: Longest cycle in lines.
        min_cycles: Matching cycles that make a finding.
        min_chars: Characters of the whole stretch that do, beside ``min_cycles``.

    Raises:
        ValueError: If a number is below 1.

    Source: senpi pull request 493, as restated in the stream-guard contract (4, 5, 384).
    """

    rule: ClassVar[str] = "collapse-repetition"
    mechanism: ClassVar[str] = "line-cycle"
    fires_on: ClassVar[str] = "\n"

    def __init__(self, *, max_period: int = 4, min_cycles: int = 5, min_chars: int = 384) -> None:
        for name, number in (
            ("max_period", max_period),
            ("min_cycles", min_cycles),
            ("min_chars", min_chars),
        ):
            if number < 1:
                raise ValueError(f"{name} is {number}, but must be at least 1")
        self._max_period = max_period
        self._min_cycles = min_cycles
        self._min_chars = min_chars
        self._streaks = tuple(map(_Streak, range(1, max_period + 1)))
        self._long = BoundedText(_CAP)
        self.reset()

    def reset(self) -> None:
        """Forget everything: afterwards the detector equals a new one."""
        self._pieces: list[str] = []
        self._held = 0
        self._long.clear()
        self._read = 0  # up to the start of the open line
        self._fired = False
        self._forget()

    def _forget(self) -> None:
        self._recent: list[_Line] = []
        for streak in self._streaks:
            streak.drop()

    @property
    def quiet(self) -> int:
        """How many characters can follow without a finding, whatever they are."""
        begins = [streak.begin for streak in self._streaks if streak.begin >= 0]
        begins.append(self._recent[0].start if self._recent else self._read)
        held = self._read + self._held + self._long.length
        return max(0, min(begins) + self._min_chars - held - 1)

    def feed(self, delta: str) -> Finding | None:
        """Read more text; the first finding is returned once and latches."""
        if self._fired or not delta:
            return None
        self._pieces.append(delta)
        self._held += len(delta)
        if "\n" not in delta:
            if self._held > _CAP:
                self._spill("".join(self._pieces))
            return None
        text = "".join(self._pieces)
        finding = None
        if self._long.length:
            first, _, text = text.partition("\n")
            self._spill(first)
            finding = self._end_line(self._long.value(), self._long.length)
            self._long.clear()
        *lines, rest = text.split("\n")
        finding = finding or self._end_lines(lines)
        self._fired = finding is not None
        self._pieces = [rest]
        self._held = len(rest)
        if self._held > _CAP:
            self._spill(rest)
        return finding

    def finish(self) -> Finding | None:
        """Say that the stream has ended: a line without a newline has not."""
        return None

    def _spill(self, text: str) -> None:
        self._long.add(text)
        self._pieces = []
        self._held = 0

    def _end_lines(self, lines: list[str]) -> Finding | None:
        if len(lines) >= _MANY:
            lines = self._skip(lines)
        for line in lines:
            bounded = line
            if len(line) > _CAP:
                whole = BoundedText(_CAP)
                whole.add(line)
                bounded = whole.value()
            finding = self._end_line(bounded, len(line))
            if finding:
                return finding
        return None

    def _skip(self, lines: list[str]) -> list[str]:
        """Pass over lines in which no streak can fire, and return the others.

        Without enough equal pairs in a row nothing fires, also not together with what came before; then
        a streak that is open at the end is short, and the lines that it needs suffice to find it again.
        """
        if any(streak.begin >= 0 for streak in self._streaks):
            return lines
        earlier = [line.text for line in self._recent]
        every = [*earlier, *lines]
        for period in range(1, self._max_period + 1):
            if b"\1" * (self._min_cycles * period) in bytes(map(eq, every[period:], every)):
                return lines
        needed = (self._min_cycles + 1) * self._max_period + 1
        if len(lines) <= needed:
            return lines
        skipped = lines[:-needed]
        self._read += sum(map(len, skipped)) + len(skipped)
        self._forget()
        return lines[-needed:]

    def _end_line(self, text: str, length: int) -> Finding | None:
        line = _Line(self._read, text)
        self._read += length + 1
        if not text or text.isspace():
            self._forget()
            return None
        finding = None
        counts: bool | None = None
        for streak in self._streaks[: len(self._recent)]:
            before = self._recent[-streak.period]
            if before.text != text:
                streak.begin = -1
                continue
            if streak.begin < 0:
                streak.begin, streak.first_end, streak.matched = before.start, line.start, 0
            if counts is None:
                counts = _CONTENT.search(text) is not None
            streak.matched += counts
            if finding is None and self._is_cycle(streak):
                finding = self._finding(streak)
        self._recent.append(line)
        if len(self._recent) > self._max_period:
            del self._recent[0]
        return finding

    def _is_cycle(self, streak: _Streak) -> bool:
        return (
            streak.matched >= self._min_cycles * streak.period
            and self._read - streak.begin >= self._min_chars
        )

    def _finding(self, streak: _Streak) -> Finding:
        return Finding(
            rule=self.rule,
            mechanism=self.mechanism,
            reason=f"{streak.matched} lines came again after {streak.period}",
            anomaly_start=streak.begin,
            garbage_start=streak.first_end,
            fired_at=self._read,
            details={"period": streak.period, "matched": streak.matched},
        )
