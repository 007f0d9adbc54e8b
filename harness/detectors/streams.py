"""The detectors of one stream, and how they run over the same characters."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, ClassVar, cast

from harness.detectors.control_tokens import ControlTokenLeak
from harness.detectors.finding import BLANK_LINE
from harness.detectors.mechanisms import ParagraphJudge, make
from harness.detectors.paragraph_repeat import ParagraphRing
from harness.detectors.paragraphs import ParagraphSplitter, eligible, shortest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.detectors.finding import Detector, Finding, StreamKind
    from harness.detectors.mechanisms import Mechanism


def make_detectors(
    mechanisms: tuple[Mechanism, ...], kind: StreamKind, *, starts_message: bool = True
) -> tuple[Detector, ...]:
    """Fresh detectors for one stream; neighbours that judge paragraphs share one splitter."""
    watching = [row for row in mechanisms if kind in row.streams and not row.turns]
    detectors: list[Detector] = []
    for reads_paragraphs, group in groupby(watching, key=lambda row: row.judge is not None):
        made = [make(row) for row in group]
        if reads_paragraphs:
            detectors.append(ParagraphReader(tuple(cast("list[ParagraphJudge]", made))))
        else:
            detectors.extend(cast("list[Detector]", made))
    for detector in detectors:
        if isinstance(detector, ControlTokenLeak):
            detector.begin(starts_message=starts_message)
    return tuple(detectors)


def feed_all(detectors: Sequence[Detector], text: str) -> Finding | None:
    """Show the same text to every detector: the finding that fired first, as the rule that it belongs to."""
    found = first_of([detector.feed(text) for detector in detectors])
    if found and found.rule != ControlTokenLeak.rule:
        for detector in detectors:
            if isinstance(detector, ControlTokenLeak):
                return detector.claim(found) or found
    return found


def first_of(findings: Iterable[Finding | None]) -> Finding | None:
    """The finding that fired first; among equals the first one."""
    found = [finding for finding in findings if finding]
    return min(found, key=lambda finding: finding.fired_at) if found else None


class ParagraphReader:
    """Split a stream once and show every paragraph to several judges, in their order.

    Among findings of one paragraph the earlier judge's wins. The first finding latches: later text
    is ignored.
    """

    fires_on: ClassVar[str] = BLANK_LINE

    def __init__(self, judges: tuple[ParagraphJudge, ...]) -> None:
        self.judges = judges
        # Paragraphs are looked at once for all judges that ask for the same.
        self._groups = tuple(
            (eligibility, tuple(judge for judge in judges if judge.eligibility == eligibility))
            for eligibility in dict.fromkeys(judge.eligibility for judge in judges)
        )
        least = min((units for (units, _), _ in self._groups), default=0)
        self._splitter = ParagraphSplitter(shortest=shortest(least))
        self._fired = False
        self._set_quiet()

    def _set_quiet(self) -> None:
        self.quiet = min((judge.quiet for judge in self.judges), default=0)

    def feed(self, delta: str) -> Finding | None:
        """Read more text; the first finding is returned once and latches."""
        if self._fired:
            return None
        paragraphs = self._splitter.feed(delta)
        if not paragraphs:
            return None
        findings: list[Finding | None] = []
        for eligibility, judges in self._groups:
            shown = eligible(paragraphs, *eligibility)
            findings += [judge.judge(shown) for judge in judges]
        found = first_of(findings)
        if found:
            self._fired = True
            return found
        self._set_quiet()
        return None

    def finish(self) -> Finding | None:
        """Say that the stream has ended: a paragraph with no blank line after it is not judged."""
        return None

    def progressed(self) -> None:
        """Note that a tool was called beside the stream."""
        for judge in self.judges:
            if isinstance(judge, ParagraphRing):
                judge.progressed()

    def reset(self) -> None:
        """Forget everything: afterwards the reader equals a new one."""
        self._splitter.reset()
        for judge in self.judges:
            judge.reset()
        self._fired = False
        self._set_quiet()
