"""Detector 2: whitespace without end."""

from __future__ import annotations

import re
from typing import ClassVar

from harness.detectors.finding import ASCII_SPACE, Finding

_SPACE = r"[ \t\n\r\f\v]"


class WhitespaceFlood:
    """Detect a run of ASCII whitespace that is longer than any layout needs.

    Args:
        min_chars: Length of a run that holds at least ``min_newlines`` newlines.
        min_newlines: Newlines of such a run.
        min_any: Length of a run of any whitespace.

    Raises:
        ValueError: If a number is below 1, or ``min_any`` below ``min_chars``.

    Source: senpi pull request 493, as restated in the stream-guard contract (320, 8, 480).
    """

    rule: ClassVar[str] = "collapse-repetition"
    mechanism: ClassVar[str] = "whitespace-flood"
    fires_on: ClassVar[str] = ""

    def __init__(self, *, min_chars: int = 320, min_newlines: int = 8, min_any: int = 480) -> None:
        if not 1 <= min_chars <= min_any:
            raise ValueError(f"min_chars is {min_chars}, but must be 1..{min_any}")
        if min_newlines < 1:
            raise ValueError(f"min_newlines is {min_newlines}, but must be at least 1")
        self._min_chars = min_chars
        self._min_newlines = min_newlines
        self._min_any = min_any
        # A run of min_chars covers this many of the characters that lie a step apart.
        self._step = max(1, min_chars // 8)
        self._sample = re.compile(f"{_SPACE}{{{min_chars // self._step}}}")
        self._run = re.compile(f"(?<!{_SPACE}){_SPACE}{{{min_chars},}}+")
        self.reset()

    def reset(self) -> None:
        """Forget everything: afterwards the detector equals a new one."""
        self._read = 0
        self._count = 0
        self._newlines = 0
        self._fired = False

    @property
    def quiet(self) -> int:
        """How many characters can follow without a finding, whatever they are."""
        with_newlines = max(self._min_chars - self._count, self._min_newlines - self._newlines)
        return max(0, min(self._min_any - self._count, with_newlines) - 1)

    def feed(self, delta: str) -> Finding | None:
        """Read more text; the first finding is returned once and latches."""
        if self._fired or not delta:
            return None
        lead = len(delta) - len(delta.lstrip(ASCII_SPACE))
        finding = self._extend(delta[:lead], self._read) if lead else None
        if lead < len(delta) and finding is None:
            finding = self._within(delta, lead)
            if finding is None:
                end = len(delta.rstrip(ASCII_SPACE))
                self._count = self._newlines = 0
                self._extend(delta[end:], self._read + end)
        self._read += len(delta)
        self._fired = finding is not None
        return finding

    def finish(self) -> Finding | None:
        """Say that the stream has ended."""
        return None

    def _within(self, text: str, at: int) -> Finding | None:
        if len(text) - at < self._min_chars or not self._sample.search(text[:: self._step]):
            return None
        for run in self._run.finditer(text, at):
            self._count = self._newlines = 0
            finding = self._extend(run.group(), self._read + run.start())
            if finding:
                return finding
        return None

    def _extend(self, spaces: str, at: int) -> Finding | None:
        """Go on with the open run by ``spaces``, the first of which lies at ``at`` in the stream."""
        start, needed = at - self._count, self._min_any - self._count
        if self._count + len(spaces) >= self._min_chars:
            newline = self._last_newline_needed(spaces)
            if newline is not None:
                needed = min(needed, max(newline, self._min_chars - self._count))
            if needed <= len(spaces):
                return self._finding(start, at + needed)
        self._count += len(spaces)
        self._newlines += spaces.count("\n")
        return None

    def _last_newline_needed(self, spaces: str) -> int | None:
        """How many of ``spaces`` it takes until the run has enough newlines."""
        at = 0
        for _ in range(self._min_newlines - self._newlines):
            at = spaces.find("\n", at) + 1
            if not at:
                return None
        return at

    def _finding(self, start: int, fired_at: int) -> Finding:
        return Finding(
            rule=self.rule,
            mechanism=self.mechanism,
            reason=f"{fired_at - start} whitespace characters in a row",
            anomaly_start=start,
            garbage_start=start + 1,
            fired_at=fired_at,
            details={"spaces": fired_at - start},
        )
