"""Detector 6: paragraphs that keep saying the same in other words."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from harness.detectors.finding import Finding
from harness.detectors.paragraphs import MIN_UNITS, MIN_WORD_CHARS, is_eligible
from harness.detectors.tokens import MAX_CHARS, tokens

if TYPE_CHECKING:
    from harness.detectors.paragraphs import Paragraph

_BITS = tuple(1 << bit for bit in range(512))
_INDENTED = re.compile(r"(?: {2,}| ?\t)")
_NESTED_ITEM = re.compile(r"\s+(?:[-*+\u2022]|\d+[.)])\s")
_CODE_ENDINGS = tuple("{}[](;,>")


def is_code_shaped(line: str) -> bool:
    """Whether a line looks like code: indented and no list item, or ending as code lines do.

    >>> is_code_shaped("  return 1"), is_code_shaped("  - a nested item"), is_code_shaped("if (ready) {")
    (True, False, True)
    """
    if line.rstrip().endswith(_CODE_ENDINGS):
        return True
    return _INDENTED.match(line) is not None and _NESTED_ITEM.match(line) is None


def without_code(text: str) -> str:
    """A text without its lines that are shaped like code."""
    lines = text.split("\n")
    kept = [line for line in lines if not is_code_shaped(line)]
    return text if len(kept) == len(lines) else "\n".join(kept)


class _Remembered(NamedTuple):
    """A paragraph as its successors are compared with it.

    ``signature`` hashes every word to one of some bits. It bounds from above how many words two
    paragraphs share, so most comparisons need no set. ``share`` is how many of its words a similar
    paragraph has to share, less what that one's own size adds.
    """

    signature: int
    share: float
    start: int
    words: frozenset[str]


class _Echo(NamedTuple):
    start: int
    anchor: int
    similarity: float


class NearDuplicateParagraphs:
    """Detect a stretch in which most paragraphs echo earlier ones.

    A paragraph is an echo when its word set is similar enough (Jaccard) to any of the last
    ``lookback`` eligible paragraphs; the most similar of those is its anchor, the earliest when there
    are several. When at least ``min_echoes`` of the last ``window`` eligible paragraphs are echoes, the
    rule fires: it keeps the text up to the oldest echo in the window, and the loop began at that echo's
    anchor. The rule counts how often, not what, so the length of a cycle does not matter as long as it
    echoes within the lookback.

    Paragraphs that touch fenced code are neither judged nor remembered. Memory stays within
    ``lookback`` word sets.

    Args:
        lookback: Earlier eligible paragraphs that a paragraph is compared with.
        window: Recent eligible paragraphs among which echoes are counted.
        min_echoes: Echoes in the window that make a finding.
        min_similarity: Jaccard similarity that makes an echo.
        min_units: UTF-16 units that make a paragraph eligible (see :func:`is_eligible`).
        min_word_chars: Word characters that it needs.
        max_chars: Characters of a paragraph that are looked at.
        skips_code_lines: Leave lines shaped like code out of a paragraph (see :func:`is_code_shaped`).

    Raises:
        ValueError: If ``min_echoes`` is not 1..``window``.

    Source: the published senpi guard (32, 12, 8, 0.5); code-shaped lines were left out by a later fix of it.
    """

    rule: ClassVar[str] = "collapse-repetition"
    mechanism: ClassVar[str] = "near-duplicate-paragraphs"

    def __init__(
        self,
        *,
        lookback: int = 32,
        window: int = 12,
        min_echoes: int = 8,
        min_similarity: float = 0.5,
        min_units: int = MIN_UNITS,
        min_word_chars: int = MIN_WORD_CHARS,
        max_chars: int = MAX_CHARS,
        skips_code_lines: bool = True,
    ) -> None:
        if not 1 <= min_echoes <= window:
            raise ValueError(f"min_echoes is {min_echoes}, but must be 1..{window}")
        self.lookback = lookback
        self.window = window
        self.min_echoes = min_echoes
        self.min_similarity = min_similarity
        self._eligibility = min_units, min_word_chars
        self._max_chars = max_chars
        self._skips_code_lines = skips_code_lines
        # Jaccard >= s exactly when the shared words are at least s / (1 + s) of both sizes together.
        self._floor = min_similarity / (1 + min_similarity)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._remembered: deque[_Remembered] = deque(maxlen=self.lookback)
        self._recent: deque[_Echo | None] = deque(maxlen=self.window)

    @property
    def quiet(self) -> int:
        """How many characters can follow without a finding, whatever they are.

        The open paragraph may end at once; a further eligible one has this many characters at least.
        """
        paragraphs = self.min_echoes - sum(echo is not None for echo in self._recent) - 1
        return max(0, paragraphs) * (self._eligibility[0] // 2)

    def judge(self, paragraph: Paragraph) -> Finding | None:
        """Look at the next paragraph of the stream and remember it."""
        if paragraph.is_fenced or not is_eligible(paragraph.text, *self._eligibility):
            return None
        text = paragraph.text
        if self._skips_code_lines:
            text = without_code(text)
            if len(text) < len(paragraph.text) and not is_eligible(text, *self._eligibility):
                return None
        words = tokens(text, self._max_chars)
        signature = _signature(words)
        self._recent.append(self._echo(paragraph.start, words, signature))
        self._remembered.append(_Remembered(signature, self._floor * len(words), paragraph.start, words))
        echoes = [echo for echo in self._recent if echo]
        return self._finding(paragraph, echoes) if len(echoes) >= self.min_echoes else None

    def _echo(self, start: int, words: frozenset[str], signature: int) -> _Echo | None:
        hidden = len(words) - signature.bit_count()  # words that share a bit with another word
        needed = self._floor * len(words) - hidden - 1e-9
        similar = [
            (_jaccard(words, other), -at)
            for bits, share, at, other in self._remembered
            if (signature & bits).bit_count() - share >= needed
        ]
        best, minus_anchor = max(similar, default=(0.0, 0))
        return _Echo(start, -minus_anchor, best) if best >= self.min_similarity and best > 0 else None

    def _finding(self, paragraph: Paragraph, echoes: list[_Echo]) -> Finding:
        oldest, count, of = echoes[0], len(echoes), len(self._recent)
        return Finding(
            rule=self.rule,
            mechanism=self.mechanism,
            reason=f"{count} of the last {of} paragraphs restate earlier ones",
            anomaly_start=oldest.anchor,
            garbage_start=oldest.start,
            fired_at=paragraph.end,
            details={"echoes": count, "paragraphs": of, "similarity": round(oldest.similarity, 3)},
        )


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    shared = len(left & right)
    union = len(left) + len(right) - shared
    return shared / union if union else 0.0


def _signature(words: frozenset[str]) -> int:
    bits = 0
    for word in words:
        bits |= _BITS[hash(word) & 511]
    return bits
