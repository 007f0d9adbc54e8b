"""Detector 6: paragraphs that keep saying the same in other words."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from harness.detectors.finding import Finding
from harness.detectors.paragraphs import MIN_UNITS, MIN_WORD_CHARS, is_eligible, shortest
from harness.detectors.tokens import MAX_CHARS, words_in_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.detectors.paragraphs import Paragraph

_SIZE = 240  # bits of a signature: few enough to be quick, enough for the words of 512 characters
_BITS = tuple(1 << bit for bit in range(_SIZE))
_NESTED_ITEM = re.compile(r"\s+(?:[-*+\u2022]|\d+[.)])\s")
_CODE_ENDINGS = frozenset("{}[](;,>")
_CODE_INDENTS = ("  ", "\t", " \t")
_INDENTS = frozenset(" \t")
_SUSPICIOUS_ENDS = _CODE_ENDINGS | set(filter(str.isspace, map(chr, range(0x3001))))


def is_code_shaped(line: str) -> bool:
    """Whether a line looks like code: indented and no list item, or ending as code lines do.

    >>> is_code_shaped("  return 1"), is_code_shaped("  - a nested item"), is_code_shaped("if (ready) {")
    (True, False, True)
    """
    if line.rstrip()[-1:] in _CODE_ENDINGS:
        return True
    return line.startswith(_CODE_INDENTS) and _NESTED_ITEM.match(line) is None


def without_code(text: str) -> str:
    """A text without its lines that are shaped like code."""
    lines = text.split("\n")
    for line in lines:
        if line[-1:] in _SUSPICIOUS_ENDS or line[:1] in _INDENTS:
            break
    else:
        return text
    kept = [
        line
        for line in lines
        if (line[-1:] not in _SUSPICIOUS_ENDS and line[:1] not in _INDENTS) or not is_code_shaped(line)
    ]
    return text if len(kept) == len(lines) else "\n".join(kept)


class _Echo(NamedTuple):
    anchor: int
    similarity: float


_UNKNOWN = _Echo(-1, -1.0)


class _Remembered:
    """A paragraph as it is compared with others.

    ``signature`` hashes every word to one of some bits. It bounds from above how many words two
    paragraphs share, so most comparisons need no set. ``echo`` is unknown until somebody needs it.
    """

    __slots__ = ("echo", "signature", "start", "text", "words")

    signature: int  # as soon as there are words

    def __init__(self, start: int, text: str) -> None:
        self.start = start
        self.text = text
        self.echo: _Echo | None = _UNKNOWN
        self.words: frozenset[str] | None = None

    def read(self) -> frozenset[str]:
        """The words, found when they are needed first."""
        if self.words is None:
            bits = 0
            self.words = frozenset(words_in_order(self.text))
            for word in self.words:
                bits |= _BITS[hash(word) % _SIZE]
            self.signature = bits
            self.text = ""
        return self.words


class NearDuplicateParagraphs:
    """Detect a stretch in which most paragraphs echo earlier ones.

    A paragraph is an echo when its word set is similar enough (Jaccard) to any of the last
    ``lookback`` eligible paragraphs; the most similar of those is its anchor, the earliest when there
    are several. When at least ``min_echoes`` of the last ``window`` eligible paragraphs are echoes, the
    rule fires: it keeps the text up to the oldest echo in the window, and the loop began at that echo's
    anchor. The rule counts how often, not what, so the length of a cycle does not matter as long as it
    echoes within the lookback.

    Paragraphs that touch fenced code are neither judged nor remembered. Memory stays within
    ``lookback`` and ``window`` word sets. While enough of the window are known to be no echoes, nothing
    can fire, and no other is compared with anything.

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
        self.eligibility = min_units, min_word_chars
        self._max_chars = max_chars
        self._skips_code_lines = skips_code_lines
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._remembered: deque[_Remembered] = deque(maxlen=self.lookback + self.window)
        self._fresh = 0  # paragraphs of the window that are known to be no echoes

    @property
    def quiet(self) -> int:
        """How many characters can follow without a finding, whatever they are.

        The open paragraph may end at once; a further eligible one has this many characters at least.
        """
        echoes = min(len(self._remembered), self.window) - self._fresh
        return max(0, self.min_echoes - echoes - 1) * (shortest(self.eligibility[0]))

    def judge(self, paragraphs: Iterable[Paragraph]) -> Finding | None:
        """Look at the next eligible paragraphs of the stream and remember them; return the first finding."""
        remembered, window, min_echoes, max_chars = (
            self._remembered,
            self.window,
            self.min_echoes,
            self._max_chars,
        )
        for paragraph in paragraphs:
            if paragraph.is_fenced:
                continue
            text = paragraph.text
            if self._skips_code_lines:
                text = without_code(text)
                if len(text) < len(paragraph.text) and not is_eligible(text, *self.eligibility):
                    continue
            if len(remembered) >= window:
                self._fresh -= remembered[-window].echo is None
            remembered.append(_Remembered(paragraph.start, text[:max_chars]))
            if min(len(remembered), window) - self._fresh >= min_echoes:
                finding = self._look(paragraph)
                if finding:
                    return finding
        return None

    def _look(self, paragraph: Paragraph) -> Finding | None:
        """Find out about the paragraphs of the window, the newest first, until a finding is ruled out."""
        remembered = list(self._remembered)
        first = max(0, len(remembered) - self.window)
        for at in range(len(remembered) - 1, first - 1, -1):
            newer = remembered[at]
            if newer.echo is _UNKNOWN:
                newer.echo = self._echo(newer, remembered[max(0, at - self.lookback) : at])
                self._fresh += newer.echo is None
                if len(remembered) - first - self._fresh < self.min_echoes:
                    return None
        return self._finding(
            paragraph, [one for one in remembered[first:] if one.echo], len(remembered) - first
        )

    def _echo(self, paragraph: _Remembered, earlier: list[_Remembered]) -> _Echo | None:
        words = paragraph.read()
        for one in earlier:
            if one.words is None:
                one.read()
        size, signature = len(words), paragraph.signature
        hidden = size - signature.bit_count()  # words that share a bit with another word
        # Jaccard >= s needs s of the larger set to be shared, so s of this one.
        least = self.min_similarity * size - hidden - 1e-9
        similar = [
            (_jaccard(words, one.read()), -one.start)
            for one in earlier
            if (signature & one.signature).bit_count() >= least
        ]
        best, minus_anchor = max(similar, default=(0.0, 0))
        return _Echo(-minus_anchor, best) if best >= self.min_similarity and best > 0 else None

    def _finding(self, paragraph: Paragraph, echoes: list[_Remembered], of: int) -> Finding:
        oldest, count = echoes[0], len(echoes)
        assert oldest.echo is not None
        return Finding(
            rule=self.rule,
            mechanism=self.mechanism,
            reason=f"{count} of the last {of} paragraphs restate earlier ones",
            anomaly_start=oldest.echo.anchor,
            garbage_start=oldest.start,
            fired_at=paragraph.end,
            details={"echoes": count, "paragraphs": of, "similarity": round(oldest.echo.similarity, 3)},
        )


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    shared = len(left & right)
    union = len(left) + len(right) - shared
    return shared / union if union else 0.0
