"""The rule ``repetitive-turns``: replies that restate the one before."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, ClassVar

from harness.detectors.finding import Finding
from harness.detectors.tokens import normalised, words_in_order

if TYPE_CHECKING:
    from collections.abc import Iterable

Trigrams = set[tuple[str, str, str]]


class _Reply:
    """A reply as far as it was read: its word trigrams, and how many of them the one before has too."""

    def __init__(self, before: Trigrams | None) -> None:
        self.trigrams: Trigrams = set()
        self.chars = 0  # normalised, runs of whitespace as one blank
        self._before = before or set()
        self._shared = 0
        self._last: tuple[str, ...] = ()

    def add(self, text: str) -> None:
        """Go on with text that starts and ends between words."""
        self.chars += len(normalised(text)) + (self.chars > 0)
        words = [*self._last, *words_in_order(text)]
        for trigram in zip(words, words[1:], words[2:], strict=False):
            if trigram not in self.trigrams:
                self.trigrams.add(trigram)
                self._shared += trigram in self._before
        self._last = tuple(words[-2:])

    @property
    def similarity(self) -> float:
        """Jaccard similarity of the two sets of trigrams."""
        union = len(self.trigrams) + len(self._before) - self._shared
        return self._shared / union if union else 0.0


class RepetitiveTurns:
    """Detect replies of which each nearly repeats the one before.

    Replies are compared by their word trigrams (Jaccard), normalised as in ``near-duplicate-paragraphs``;
    short ones are passed over. ``min_streak`` similar ones in a row fire once; a dissimilar reply arms the
    rule again. Nothing is garbage: the reply is kept as far as it was read.

    A reply is seen twice. While it streams, :meth:`feed` fires as soon as what has arrived is a near copy of
    the reply before. Once it stands in the session, :meth:`remember` takes it in; a rule that has fired in
    the stream does not fire again then. :meth:`rebuild` makes the state anew from what a session holds.

    Args:
        min_similarity: Similarity that makes a near copy.
        min_streak: Replies in a row, the first one included, that make a finding.
        min_chars: Normalised characters below which a reply is passed over.
        history: Replies of a session from which the state is rebuilt.

    Raises:
        ValueError: If ``min_streak`` is below 2 or ``history`` below ``min_streak``.

    Source: senpi, as restated in the stream-guard contract (0.55, 3, 40, 8).

    >>> turns = RepetitiveTurns()
    >>> status = "The build is still running, so I wait for it and look again in a minute."
    >>> [turns.remember(status) is not None for _ in range(4)]
    [False, False, True, False]
    """

    rule: ClassVar[str] = "repetitive-turns"
    mechanism: ClassVar[str] = "repetitive-turns"

    def __init__(
        self, *, min_similarity: float = 0.55, min_streak: int = 3, min_chars: int = 40, history: int = 8
    ) -> None:
        if min_streak < 2:
            raise ValueError(f"min_streak is {min_streak}, but must be at least 2")
        if history < min_streak:
            raise ValueError(f"history is {history}, but must be at least {min_streak} (min_streak)")
        self._min_similarity = min_similarity
        self._min_streak = min_streak
        self._min_chars = min_chars
        self._history = history
        self.reset()

    def reset(self) -> None:
        """Forget every reply."""
        self._before: Trigrams | None = None
        self._streak = 0
        self._fired = False
        self._again = False
        self.begin()

    def rebuild(self, replies: Iterable[str]) -> None:
        """Forget everything and remember the last ``history`` of the replies, oldest first."""
        self.reset()
        for reply in deque(replies, self._history):
            self.remember(reply)

    def begin(self) -> None:
        """A new reply begins to stream."""
        self._open = _Reply(self._before)
        self._word: list[str] = []
        self.read = 0

    @property
    def is_armed(self) -> bool:
        """Whether the next reply can fire."""
        return self._streak >= self._min_streak - 1 and (self._again or not self._fired)

    def feed(self, delta: str) -> Finding | None:
        """Read more of the streaming reply; how it was cut never changes the finding.

        It is looked at whenever a word has ended in whitespace.
        """
        if not self.is_armed:
            return None
        start = self.read
        self.read += len(delta)
        at = 0
        for end, char in enumerate(delta, 1):
            if char.isspace():
                self._word.append(delta[at:end])
                at = end
                if self._ends_as_copy("".join(self._word)):
                    self._fired, self._again = True, False
                    return self._finding(start + end, self._open.similarity)
                self._word = []
        self._word.append(delta[at:])
        return None

    def rearm(self) -> None:
        """Let the next reply fire too, though no other one came between.

        For an agent that has just corrected the model: the corrected reply is judged as well.
        """
        self._again = True

    def _ends_as_copy(self, word: str) -> bool:
        word = word.strip()
        if word:
            self._open.add(word)
        return bool(word) and self._is_copy(self._open)

    def _is_copy(self, reply: _Reply) -> bool:
        return reply.chars >= self._min_chars and reply.similarity >= self._min_similarity

    def remember(self, reply: str) -> Finding | None:
        """Take in a whole reply, as the session holds it, and say whether the rule fires on it."""
        again, self._again = self._again, False
        read = _Reply(self._before)
        read.add(" ".join(reply.split()))
        self.begin()
        if read.chars < self._min_chars:
            return None
        is_copy = self._before is not None and self._is_copy(read)
        self._streak = self._streak + 1 if is_copy else 1
        self._fired = self._fired and is_copy
        self._before = read.trigrams
        self.begin()
        if self._streak < self._min_streak or (self._fired and not again):
            return None
        self._fired = True
        return self._finding(len(reply), read.similarity, self._streak)

    def _finding(self, fired_at: int, similarity: float, streak: int = 0) -> Finding:
        streak = streak or self._streak + 1
        return Finding(
            rule=self.rule,
            mechanism=self.mechanism,
            reason=f"{streak} replies in a row restate the one before",
            anomaly_start=0,
            garbage_start=fired_at,
            fired_at=fired_at,
            details={"similarity": round(similarity, 3), "streak": streak},
        )
