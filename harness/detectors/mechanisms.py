"""The detectors of a guard in the order in which they run, as a table that can be cut, tuned and extended."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from harness.detectors.control_tokens import ControlTokenLeak
from harness.detectors.line_cycle import LineCycle
from harness.detectors.near_duplicate import NearDuplicateParagraphs
from harness.detectors.paragraph_repeat import ParagraphRing
from harness.detectors.scalar_run import DominantScalarRun
from harness.detectors.short_period import ShortPeriod
from harness.detectors.turns import RepetitiveTurns
from harness.detectors.whitespace_flood import WhitespaceFlood

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from harness.detectors.finding import Detector, Finding, StreamKind
    from harness.detectors.paragraphs import Paragraph

Number = int | float | bool


class ParagraphJudge(Protocol):
    """A detector that looks at whole paragraphs, so that several can share one splitter.

    ``eligibility`` are the UTF-16 units and the word characters that a paragraph needs to be shown to it.
    """

    eligibility: tuple[int, int]

    @property
    def quiet(self) -> int:
        """How many characters can follow without a finding, whatever they are."""

    def judge(self, paragraphs: Iterable[Paragraph]) -> Finding | None:
        """Look at the next eligible paragraphs of the stream and remember them; return the first finding."""

    def reset(self) -> None:
        """Forget everything."""


class Mechanism(NamedTuple):
    """One row of the table: what it is called, what makes it, and which streams it looks at.

    Exactly one of ``detector`` (reads characters), ``judge`` (reads paragraphs) and ``turns`` (reads whole
    replies) is set. ``numbers`` are its thresholds by name, as far as they differ from the published ones.
    """

    id: str
    rule: str
    detector: Callable[..., Detector] | None = None
    judge: Callable[..., ParagraphJudge] | None = None
    turns: Callable[..., RepetitiveTurns] | None = None
    streams: frozenset[StreamKind] = frozenset({"text", "thinking", "tool"})
    numbers: Mapping[str, Number] = {}

    @property
    def thresholds(self) -> dict[str, Number]:
        """Every threshold of the mechanism with its value in this row.

        >>> PUBLISHED.mechanisms[1].thresholds
        {'min_chars': 320, 'min_newlines': 8, 'min_any': 480}
        """
        return {**(_maker(self).__init__.__kwdefaults__ or {}), **self.numbers}

    @property
    def possible_streams(self) -> tuple[StreamKind, ...]:
        """The streams that it could look at: replies are compared by their text alone."""
        return ("text",) if self.turns else ("text", "thinking", "tool")


# Generated files repeat legitimately, so nobody judges the paragraphs of tool-call arguments.
_PROSE: frozenset[StreamKind] = frozenset({"text", "thinking"})
_TEXT: frozenset[StreamKind] = frozenset({"text"})


MECHANISMS: tuple[Mechanism, ...] = (
    Mechanism(DominantScalarRun.mechanism, DominantScalarRun.rule, detector=DominantScalarRun),
    Mechanism(WhitespaceFlood.mechanism, WhitespaceFlood.rule, detector=WhitespaceFlood),
    Mechanism(ShortPeriod.mechanism, ShortPeriod.rule, detector=ShortPeriod),
    Mechanism(LineCycle.mechanism, LineCycle.rule, detector=LineCycle),
    Mechanism(ParagraphRing.mechanism, ParagraphRing.rule, judge=ParagraphRing, streams=_PROSE),
    Mechanism(
        NearDuplicateParagraphs.mechanism,
        NearDuplicateParagraphs.rule,
        judge=NearDuplicateParagraphs,
        streams=_PROSE,
    ),
    Mechanism(ControlTokenLeak.mechanism, ControlTokenLeak.rule, detector=ControlTokenLeak, streams=_PROSE),
    Mechanism(RepetitiveTurns.mechanism, RepetitiveTurns.rule, turns=RepetitiveTurns, streams=_TEXT),
)


class Profile(NamedTuple):
    """A named set of mechanisms, such as ``published``.

    >>> PUBLISHED.without("control-token-leak").rules
    ('collapse-repetition', 'repetitive-turns')
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

    def tuned(self, mechanism: str, **numbers: Number) -> Profile:
        """The same profile with other thresholds of one mechanism.

        Raises:
            KeyError: If the profile has no such mechanism.
            TypeError: If the mechanism has no such threshold.
            ValueError: If the thresholds do not go together.

        >>> PUBLISHED.tuned("paragraph-repeat", window=32).mechanisms[4].numbers
        {'window': 32}
        """
        if mechanism not in self.ids:
            raise KeyError(mechanism)
        rows = [
            row._replace(numbers={**row.numbers, **numbers}) if row.id == mechanism else row
            for row in self.mechanisms
        ]
        for row in rows:
            if row.id == mechanism:
                make(row)
        return Profile(self.name, tuple(rows))

    def turns(self, replies: Iterable[str] = ()) -> RepetitiveTurns | None:
        """The watcher over whole replies, rebuilt from the ``replies`` of a session, oldest first.

        None when the profile has no such mechanism.
        """
        for row in self.mechanisms:
            if row.turns:
                watcher = row.turns(**row.numbers)
                watcher.rebuild(replies)
                return watcher
        return None


PUBLISHED = Profile("published", MECHANISMS)


def make(row: Mechanism) -> Detector | ParagraphJudge | RepetitiveTurns:
    """What a row describes, fresh."""
    return _maker(row)(**row.numbers)


def _maker(row: Mechanism) -> Callable[..., Detector | ParagraphJudge | RepetitiveTurns]:
    maker: Callable[..., Detector | ParagraphJudge | RepetitiveTurns] | None = (
        row.detector or row.judge or row.turns
    )
    assert maker is not None, row.id
    return maker
