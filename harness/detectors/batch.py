"""A guard over whole texts, for replay and calibration: the same verdicts, in large bites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.detectors.mechanisms import PUBLISHED, Profile
from harness.detectors.streams import feed_all, first_of, make_detectors
from harness.detectors.surrogates import joined

if TYPE_CHECKING:
    from collections.abc import Collection

    from harness.detectors.finding import Detector, Finding, StreamKind

_BITE = 1 << 16  # characters: large enough to pay, small enough to stop early and to bound memory


class Scanner:
    """Say of many texts where a guard would have stopped them.

    A text counts as the only block of its message. What is returned equals what :class:`Guard` finds in it,
    whatever the deltas were.

    Args:
        disabled: Rules (or single mechanisms) that do not run.
        profile: Which mechanisms run.

    >>> Scanner().scan("!" * 300).mechanism
    'dominant-scalar-run'
    """

    def __init__(self, disabled: Collection[str] = (), profile: Profile = PUBLISHED) -> None:
        self.profile = profile.without(*disabled)
        self._detectors: dict[StreamKind, tuple[Detector, ...]] = {}

    def scan(self, text: str, kind: StreamKind = "text") -> Finding | None:
        """The finding in a whole text; offsets are code points of the text with its surrogates joined."""
        detectors = self._detectors.get(kind)
        if detectors is None:
            detectors = self._detectors[kind] = make_detectors(self.profile.mechanisms, kind)
        else:
            for detector in detectors:
                detector.reset()
        text = joined(text)
        for at in range(0, len(text), _BITE):
            found = feed_all(detectors, text[at : at + _BITE])
            if found:
                return found
        return first_of([detector.finish() for detector in detectors])
