"""The detectors of a guard in the order in which they run, as a table that can be cut and extended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from harness.detectors.near_duplicate import NearDuplicateParagraphs
from harness.detectors.paragraph_repeat import ParagraphRing
from harness.detectors.paragraphs import ParagraphSplitter

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.detectors.finding import Detector, Finding, StreamKind
    from harness.detectors.paragraphs import Paragraph


class ParagraphJudge(Protocol):
    """A detector that looks at whole paragraphs, so that several can share one splitter."""

    def judge(self, paragraph: Paragraph) -> Finding | None:
        """Look at the next paragraph of the stream and remember it."""

    def reset(self) -> None:
        """Forget everything."""


@dataclass(frozen=True, slots=True)
class Mechanism:
    """One row of the table: what it is called, what makes it, and which streams it looks at.

    Exactly one of ``detector`` (reads characters) and ``judge`` (reads paragraphs) is set.
    """

    id: str
    rule: str
    detector: Callable[[], Detector] | None = None
    judge: Callable[[], ParagraphJudge] | None = None
    streams: frozenset[StreamKind] = frozenset({"text", "thinking", "tool"})


# Generated files repeat legitimately, so nobody judges the paragraphs of tool-call arguments.
_PROSE: frozenset[StreamKind] = frozenset({"text", "thinking"})

MECHANISMS: tuple[Mechanism, ...] = (
    Mechanism(ParagraphRing.mechanism, ParagraphRing.rule, judge=ParagraphRing, streams=_PROSE),
    Mechanism(
        NearDuplicateParagraphs.mechanism,
        NearDuplicateParagraphs.rule,
        judge=NearDuplicateParagraphs,
        streams=_PROSE,
    ),
)


@dataclass(frozen=True, slots=True)
class Profile:
    """A named set of mechanisms, such as ``published``.

    >>> PUBLISHED.without("paragraph-repeat").ids
    ('near-duplicate-paragraphs',)
    """

    name: str
    mechanisms: tuple[Mechanism, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        """The mechanisms in order."""
        return tuple(mechanism.id for mechanism in self.mechanisms)

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that a user can disable, in order."""
        return tuple(dict.fromkeys(mechanism.rule for mechanism in self.mechanisms))

    def without(self, *names: str) -> Profile:
        """The same profile less the mechanisms whose id or rule is named."""
        kept = tuple(m for m in self.mechanisms if m.id not in names and m.rule not in names)
        return Profile(self.name, kept)


PUBLISHED = Profile("published", MECHANISMS)


class ParagraphReader:
    """Split a stream once and show every paragraph to several judges, in their order.

    Among findings of one paragraph the earlier judge's wins. The first finding latches: later text
    is ignored.
    """

    def __init__(self, judges: tuple[ParagraphJudge, ...]) -> None:
        self._judges = judges
        self._splitter = ParagraphSplitter()
        self._fired = False

    def feed(self, delta: str) -> Finding | None:
        """Read more text; the first finding is returned once and latches."""
        if self._fired:
            return None
        for paragraph in self._splitter.feed(delta):
            for judge in self._judges:
                finding = judge.judge(paragraph)
                if finding:
                    self._fired = True
                    return finding
        return None

    def finish(self) -> Finding | None:
        """Say that the stream has ended: a paragraph with no blank line after it is not judged."""
        return None

    def reset(self) -> None:
        """Forget everything: afterwards the reader equals a new one."""
        self._splitter.reset()
        for judge in self._judges:
            judge.reset()
        self._fired = False
