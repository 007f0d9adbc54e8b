"""Detector 4: the same few lines again and again."""

from __future__ import annotations

import re
from operator import eq
from typing import ClassVar

from harness.detectors.bounded_text import BoundedText
from harness.detectors.finding import Finding
from harness.detectors.short_period import DECORATION

_CONTENT = re.compile(rf"[^\s{re.escape(DECORATION)}\u2500-\u259f]")
_CAP = 16_384  # characters kept of a line; beyond them only a digest is


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
        self._few = min_cycles + max_period  # lines that are read one by one before any is passed over
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
        self._texts: list[str] = []  # of the last lines
        self._starts: list[int] = []
        self._drop()

    def _drop(self) -> None:
        self._live = False  # a streak may be open
        for streak in self._streaks:
            streak.drop()

    @property
    def quiet(self) -> int:
        """How many characters can follow without a finding, whatever they are."""
        begins = [streak.begin for streak in self._streaks if streak.begin >= 0]
        begins.append(self._starts[0] if self._starts else self._read)
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
        end = text.rfind("\n") + 1
        finding = finding or (self._end_blocks(text[: end - 1]) if end else None)
        self._fired = finding is not None
        rest = text[end:]
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

    def _end_blocks(self, text: str) -> Finding | None:
        """Take complete lines. Empty lines part them into blocks, and no streak crosses one."""
        blocks = text.split("\n\n")
        last = blocks.pop()
        for block in blocks:
            if not self._texts and len(block) + 1 < self._min_chars:
                self._read += len(block) + 2
                continue
            lines = block.split("\n")
            if not self._texts and self._longest_streak(lines) is not None:
                self._read += len(block) + 2
                continue
            finding = self._end_lines(lines)
            if finding:
                return finding
            self._read += 1
            self._forget()
        return self._end_lines(last.split("\n"))

    def _longest_streak(self, lines: list[str]) -> int | None:
        """In how many of the last of some lines a streak lies that is open at their end.

        None if enough of them equal one before them to fire, wherever they lie, or if that cannot be told
        because a line before them is no longer known word for word.
        """
        if not self._texts:
            repeated = len(lines) - len(set(lines))
            if repeated < self._min_cycles:
                return repeated + self._max_period
        elif max(map(len, self._texts)) > _CAP:
            return None
        longest = 0
        lines = self._texts + lines
        for streak in self._streaks:
            matched = streak.matched + sum(map(eq, lines, lines[streak.period :]))
            if matched >= self._min_cycles * streak.period:
                return None
            longest = max(longest, matched + streak.period)
        return longest

    def _end_lines(self, lines: list[str]) -> Finding | None:
        if len(lines) > self._few:
            needed = self._longest_streak(lines)
            if needed is not None and len(lines) > needed:
                skipped = lines[:-needed]
                self._read += sum(map(len, skipped)) + len(skipped)
                self._forget()
                lines = lines[-needed:]
        for line in lines:
            finding = self._end_line(self._bounded(line), len(line))
            if finding:
                return finding
        return None

    def _bounded(self, line: str) -> str:
        if len(line) <= _CAP:
            return line
        whole = BoundedText(_CAP)
        whole.add(line)
        return whole.value()

    def _end_line(self, text: str, length: int) -> Finding | None:
        start = self._read
        self._read += length + 1
        texts = self._texts
        if text not in texts:
            if not text or text.isspace():
                if texts:
                    self._forget()
                return None
            if self._live:
                self._drop()
            finding = None
        else:
            finding = self._match(text, start)
        texts.append(text)
        self._starts.append(start)
        if len(texts) > self._max_period:
            del texts[0], self._starts[0]
        return finding

    def _match(self, text: str, start: int) -> Finding | None:
        """Go on with the streaks of the periods after which this line came before, and drop the others."""
        finding = None
        counts = _CONTENT.search(text) is not None
        for streak in self._streaks[: len(self._texts)]:
            if self._texts[-streak.period] != text:
                streak.drop()
                continue
            if streak.begin < 0:
                streak.begin, streak.first_end = self._starts[-streak.period], start
            streak.matched += counts
            if finding is None and self._is_cycle(streak):
                finding = self._finding(streak)
        self._live = True
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
