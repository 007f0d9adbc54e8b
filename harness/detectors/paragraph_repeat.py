"""Detector 5: a paragraph that comes back word for word."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, ClassVar

from harness.detectors.finding import Finding
from harness.detectors.paragraphs import MIN_UNITS, MIN_WORD_CHARS, shortest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.detectors.paragraphs import Paragraph

_DIGITS = re.compile(r"\d+")
_LONE_NUMBER = re.compile(r"(?<!\S)\d+(?!\S)")
_CODE_PUNCTUATION = re.compile(r"[{}\[\]();=<>|`\\]")
_NUMBERED_ITEM = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
_PROGRESS = re.compile(r"\b(?:step|phase|item)\s+\d+\s+of\b", re.IGNORECASE)
_MAX_NUMBERS = 2


def folded(paragraph: Paragraph) -> str:
    """The text of a paragraph with its numbers folded to one mark, where that is safe; else the text.

    It is safe where there are at most two numbers, each set off by whitespace, and the paragraph is no code,
    no numbered list item, and does not say how far some work has come ("step 3 of 7").
    """
    text = paragraph.text
    numbers = _DIGITS.findall(text)
    safe = (
        0 < len(numbers) <= _MAX_NUMBERS
        and len(_LONE_NUMBER.findall(text)) == len(numbers)
        and not paragraph.is_fenced
        and not _CODE_PUNCTUATION.search(text)
        and not _NUMBERED_ITEM.search(text)
        and not _PROGRESS.search(text)
    )
    return _DIGITS.sub("#", text) if safe else text


class ParagraphRing:
    """Detect a paragraph that comes back word for word.

    Judges the eligible paragraphs in the order in which they end. A paragraph fires when it and
    ``min_repeats - 1`` of the ``window`` eligible paragraphs before it are equal. Interleaved repeats
    (A B A B A B) count, because it is a ring and not a streak. Memory stays within ``window`` paragraphs.

    The finding starts at the first of the equal paragraphs and keeps the text up to the second.

    Args:
        window: How many eligible paragraphs are remembered.
        min_repeats: Occurrences that make a finding.
        min_units: UTF-16 units that make a paragraph eligible (see :func:`is_eligible`).
        min_word_chars: Word characters that it needs.
        fold_numbers: Compare with numbers folded where that is safe (see :func:`folded`), and only paragraphs
            between which no tool call was emitted. This was proposed and did not ship.

    Raises:
        ValueError: If ``min_repeats`` is below 2 or more than ``window`` could hold.

    Source: senpi pull request 1326 (64 paragraphs, 3 repeats, 64 units, 24 word characters), issue 1330
    (``fold_numbers``).
    """

    rule: ClassVar[str] = "collapse-repetition"
    mechanism: ClassVar[str] = "paragraph-repeat"

    def __init__(
        self,
        *,
        window: int = 64,
        min_repeats: int = 3,
        min_units: int = MIN_UNITS,
        min_word_chars: int = MIN_WORD_CHARS,
        fold_numbers: bool = False,
    ) -> None:
        if not 2 <= min_repeats <= window + 1:
            raise ValueError(f"min_repeats is {min_repeats}, but must be 2..{window + 1}")
        self.window = window
        self.min_repeats = min_repeats
        self.eligibility = min_units, min_word_chars
        self._fold_numbers = fold_numbers
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._ring: deque[str] = deque()
        self._starts: dict[str, list[int]] = {}
        self._close = 0  # texts that fire when they come once more

    def progressed(self) -> None:
        """Note that a tool was called: with ``fold_numbers``, nothing is compared across that."""
        if self._fold_numbers:
            self.reset()

    @property
    def quiet(self) -> int:
        """How many characters can follow without a finding, whatever they are.

        The open paragraph may end at once; a further eligible one has this many characters at least.
        """
        return 0 if self._close else shortest(self.eligibility[0])

    def judge(self, paragraphs: Iterable[Paragraph]) -> Finding | None:
        """Look at the next eligible paragraphs of the stream and remember them; return the first finding."""
        ring, starts_of, window, close = self._ring, self._starts, self.window, self.min_repeats - 1
        for paragraph in paragraphs:
            key = folded(paragraph) if self._fold_numbers else paragraph.text
            starts = starts_of.get(key)
            if starts is None:
                starts_of[key] = starts = [paragraph.start]
            else:
                starts.append(paragraph.start)
            if len(starts) >= close:
                if len(starts) > close:
                    return self._finding(paragraph, starts)
                self._close += 1
            ring.append(key)
            if len(ring) > window:
                self._forget(ring.popleft())
        return None

    def _forget(self, key: str) -> None:
        starts = self._starts[key]
        self._close -= len(starts) == self.min_repeats - 1
        if len(starts) == 1:
            del self._starts[key]
        else:
            del starts[0]

    def _finding(self, paragraph: Paragraph, starts: list[int]) -> Finding:
        repeats = len(starts)
        return Finding(
            rule=self.rule,
            mechanism=self.mechanism,
            reason=f"the same paragraph {repeats} times within {self.window + 1} paragraphs",
            anomaly_start=starts[0],
            garbage_start=starts[1],
            fired_at=paragraph.end,
            details={"repeats": repeats, "window": self.window},
        )
