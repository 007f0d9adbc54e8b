"""The guard of one assistant message: all detectors over all of its streams."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from harness.detectors.mechanisms import PUBLISHED, Mechanism, ParagraphReader, Profile

if TYPE_CHECKING:
    from collections.abc import Collection

    from harness.detectors.finding import Detector, Finding, StreamKind


class Guard:
    r"""Watch one assistant message and say where it became a runaway loop.

    A message consists of content blocks; each block is a stream of its own with fresh detectors, and
    offsets in a finding count from the start of the block. The detectors run over the same characters:
    the one that fires earliest in the stream wins, in a tie the one that comes first in the profile.
    How the text was cut never changes the finding. The first finding latches: it is returned once, stays
    in :attr:`finding`, and later text is ignored.

    Args:
        disabled: Rules (or single mechanisms) that do not run.
        profile: Which mechanisms run.

    >>> guard = Guard()
    >>> finding = guard.feed(0, "text", ("Now I will look at the configuration once more, " * 2 + "\n\n") * 3)
    >>> finding.mechanism, finding.garbage_start, finding.fired_at
    ('paragraph-repeat', 98, 294)
    """

    def __init__(self, disabled: Collection[str] = (), profile: Profile = PUBLISHED) -> None:
        self.profile = profile.without(*disabled)
        self.reset()

    def reset(self) -> None:
        """Start a new message: afterwards the guard equals a new one."""
        self.finding: Finding | None = None
        self.block: int | None = None
        self._stream: tuple[int, StreamKind] | None = None
        self._detectors: tuple[Detector, ...] = ()

    def feed(self, block: int, kind: StreamKind, delta: str) -> Finding | None:
        """Read more of one content block.

        Args:
            block: Index of the content block in the message; a new one starts a fresh stream.
            kind: What the block holds.
            delta: The text that arrived.

        Returns:
            The first finding of the message, once.
        """
        if self.finding:
            return None
        if self._stream != (block, kind):
            self._stream = (block, kind)
            self._detectors = make_detectors(self.profile.mechanisms, kind)
        return self._latch([detector.feed(delta) for detector in self._detectors])

    def finish(self) -> Finding | None:
        """Say that the message has ended."""
        if self.finding:
            return None
        return self._latch([detector.finish() for detector in self._detectors])

    def _latch(self, results: list[Finding | None]) -> Finding | None:
        found = [finding for finding in results if finding]
        if not found:
            return None
        self.finding = min(found, key=lambda finding: finding.fired_at)  # the first of equals
        self.block = self._stream[0] if self._stream else None
        return self.finding


def make_detectors(mechanisms: tuple[Mechanism, ...], kind: StreamKind) -> tuple[Detector, ...]:
    """Fresh detectors for one stream; neighbours that judge paragraphs share one splitter."""
    watching = [mechanism for mechanism in mechanisms if kind in mechanism.streams]
    detectors: list[Detector] = []
    for reads_paragraphs, group in groupby(watching, key=lambda m: m.judge is not None):
        if reads_paragraphs:
            detectors.append(ParagraphReader(tuple(m.judge() for m in group if m.judge)))
        else:
            detectors.extend(m.detector() for m in group if m.detector)
    return tuple(detectors)
