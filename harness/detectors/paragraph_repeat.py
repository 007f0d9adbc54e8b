"""Detector 5: a paragraph that comes back word for word."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, ClassVar

from harness.detectors.finding import Finding

if TYPE_CHECKING:
    from harness.detectors.paragraphs import Paragraph


class ParagraphRing:
    """Detect a paragraph that comes back word for word.

    Judges paragraphs in the order in which they end; ones that are not eligible are passed over. A
    paragraph fires when it and ``min_repeats - 1`` of the ``window`` eligible paragraphs before it are
    equal. Interleaved repeats (A B A B A B) count, because it is a ring and not a streak. Memory stays
    within ``window`` paragraphs.

    The finding starts at the first of the equal paragraphs and keeps the text up to the second.

    Args:
        window: How many eligible paragraphs are remembered.
        min_repeats: Occurrences that make a finding.

    Raises:
        ValueError: If ``min_repeats`` is below 2 or more than ``window`` could hold.

    Source: senpi pull request 1326 (64 paragraphs, 3 repeats, 64 units).
    """

    rule: ClassVar[str] = "collapse-repetition"
    mechanism: ClassVar[str] = "paragraph-repeat"

    def __init__(self, *, window: int = 64, min_repeats: int = 3) -> None:
        if not 2 <= min_repeats <= window + 1:
            raise ValueError(f"min_repeats is {min_repeats}, but must be 2..{window + 1}")
        self.window = window
        self.min_repeats = min_repeats
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._ring: deque[str] = deque()
        self._starts: dict[str, deque[int]] = {}

    def judge(self, paragraph: Paragraph) -> Finding | None:
        """Look at the next paragraph of the stream and remember it."""
        if not paragraph.is_eligible:
            return None
        starts = self._starts.setdefault(paragraph.text, deque())
        starts.append(paragraph.start)
        if len(starts) >= self.min_repeats:
            return self._finding(paragraph, starts)
        self._ring.append(paragraph.text)
        if len(self._ring) > self.window:
            self._forget(self._ring.popleft())
        return None

    def _forget(self, text: str) -> None:
        starts = self._starts[text]
        starts.popleft()
        if not starts:
            del self._starts[text]

    def _finding(self, paragraph: Paragraph, starts: deque[int]) -> Finding:
        repeats = len(starts)
        return Finding(
            rule=self.rule,
            mechanism=self.mechanism,
            reason=f"the same paragraph {repeats} times among {self.window + 1} paragraphs",
            anomaly_start=starts[0],
            garbage_start=starts[1],
            fired_at=paragraph.end,
            details={"repeats": repeats, "window": self.window},
        )
