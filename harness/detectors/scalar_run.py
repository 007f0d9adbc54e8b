"""Detector 1: one character again and again."""

from __future__ import annotations

import re
from typing import ClassVar

from harness.detectors.finding import ASCII_SPACE, Finding

ASCII_TARGETS = "!$%&?@"
_TARGET = f"[{re.escape(ASCII_TARGETS)}\x80-\u24ff\u25a0-\U0010ffff]"
_IS_TARGET = re.compile(_TARGET)
_ASCII_PAIRS = tuple(target * 2 for target in ASCII_TARGETS)
_NO_ASCII_TARGETS = bytes(code for code in range(128) if chr(code) not in ASCII_TARGETS)
_SAME = re.compile(r"(.)\1*", re.DOTALL)


class DominantScalarRun:
    """Detect one character that goes on and on.

    Letters, digits and most punctuation of ASCII never count, nor do box drawing and blocks
    (U+2500..U+259F). Whitespace inside the run is tolerated: up to ``max_spaces`` characters, and up to one
    for every ``repeats_per_space`` repeats so far. The text is kept up to and with the first character.

    Args:
        min_non_ascii: Repeats of a non-ASCII character that make a finding.
        min_ascii: Repeats of one of ``! $ % & ? @`` that do.
        max_spaces: ASCII whitespace that a run may hold.
        repeats_per_space: Repeats that allow one whitespace character.

    Raises:
        ValueError: If a number is below 1.

    Source: senpi pull request 493, as restated in the stream-guard contract (224, 256, 32, 8).
    """

    rule: ClassVar[str] = "collapse-repetition"
    mechanism: ClassVar[str] = "dominant-scalar-run"
    fires_on: ClassVar[str] = ""

    def __init__(
        self,
        *,
        min_non_ascii: int = 224,
        min_ascii: int = 256,
        max_spaces: int = 32,
        repeats_per_space: int = 8,
    ) -> None:
        for name, number in (
            ("min_non_ascii", min_non_ascii),
            ("min_ascii", min_ascii),
            ("repeats_per_space", repeats_per_space),
        ):
            if number < 1:
                raise ValueError(f"{name} is {number}, but must be at least 1")
        self._min_ascii = min_ascii
        self._min_non_ascii = min_non_ascii
        self._min = min(min_ascii, min_non_ascii)
        self._max_spaces = max_spaces
        self._per_space = repeats_per_space
        # Until a run has this many repeats it holds no whitespace, so every run starts with them in a row.
        opening = min(repeats_per_space, self._min)
        self._opening = re.compile(f"({_TARGET})\\1{{{opening - 1}}}")
        # Among the characters that lie a step apart, the start of a run has two neighbours.
        self._step = opening // 2
        self._pair = re.compile(f"({_TARGET})\\1")
        self.reset()

    def reset(self) -> None:
        """Forget everything: afterwards the detector equals a new one."""
        self._read = 0
        self._fired = False
        self._drop()

    @property
    def quiet(self) -> int:
        """How many characters can follow without a finding, whatever they are."""
        needed = self._threshold(self._target) - self._count if self._count else self._min
        return min(needed, self._min) - 1

    def feed(self, delta: str) -> Finding | None:
        """Read more text; the first finding is returned once and latches."""
        if self._fired or not delta:
            return None
        at, finding = self._follow(delta, 0) if self._count else (0, None)
        may_open = self._may_open(delta)
        while finding is None and at < len(delta):
            opening = self._opening.search(delta, at) if may_open else None
            if opening is None:
                self._open_at_end(delta, at)
                break
            self._open(opening.group(1), self._read + opening.start())
            at, finding = self._follow(delta, opening.start())
        self._read += len(delta)
        self._fired = finding is not None
        return finding

    def finish(self) -> Finding | None:
        """Say that the stream has ended."""
        return None

    def _threshold(self, target: str) -> int:
        return self._min_ascii if target.isascii() else self._min_non_ascii

    def _drop(self) -> None:
        self._open("", 0)

    def _open(self, target: str, start: int) -> None:
        self._target = target
        self._start = start
        self._count = 0
        self._spaces = 0

    def _may_open(self, text: str) -> bool:
        """Whether a run that is long enough to fire could begin in a text: a look at a few characters."""
        if not self._step:
            return True
        sample = text[:: self._step]
        if text.isascii():
            few = sample.encode().translate(None, _NO_ASCII_TARGETS).decode()
            return bool(few) and any(pair in few and pair in sample for pair in _ASCII_PAIRS)
        return self._pair.search(sample) is not None

    def _open_at_end(self, text: str, at: int) -> None:
        """A run may begin in the last characters of a text."""
        target = text[-1]
        if _IS_TARGET.match(target):
            count = len(text) - max(at, len(text.rstrip(target)))
            self._open(target, self._read + len(text) - count)
            self._count = count

    def _follow(self, text: str, at: int) -> tuple[int, Finding | None]:
        """Go on with the open run from ``at``: where it ended or the text did, and the finding if any."""
        while at < len(text):
            char = text[at]
            if char == self._target:
                same = _SAME.match(text, at)
                assert same is not None
                end = same.end()
                missing = self._threshold(char) - self._count
                if end - at >= missing:
                    self._count += missing
                    return at, self._finding(self._read + at + missing)
                self._count += end - at
                at = end
            elif char in ASCII_SPACE and self._tolerates_space():
                self._spaces += 1
                at += 1
            else:
                self._drop()
                return at, None
        return at, None

    def _tolerates_space(self) -> bool:
        return self._spaces < self._max_spaces and (self._spaces + 1) * self._per_space <= self._count

    def _finding(self, fired_at: int) -> Finding:
        return Finding(
            rule=self.rule,
            mechanism=self.mechanism,
            reason=f"U+{ord(self._target):04X} came {self._count} times",
            anomaly_start=self._start,
            garbage_start=self._start + 1,
            fired_at=fired_at,
            details={"character": self._target, "repeats": self._count, "spaces": self._spaces},
        )
