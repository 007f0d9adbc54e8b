"""The guard of one assistant message: all detectors over all of its streams, delta by delta."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.detectors.finding import BLANK_LINE
from harness.detectors.mechanisms import PUBLISHED, Profile
from harness.detectors.streams import ParagraphReader, feed_all, first_of, make_detectors
from harness.detectors.surrogates import ends_in_half, joined

if TYPE_CHECKING:
    from collections.abc import Collection

    from harness.detectors.finding import Detector, Finding, StreamKind
    from harness.detectors.turns import RepetitiveTurns

_WORTH_HOLDING = 64  # characters: a detector that may fire sooner is asked whenever it can


class Guard:
    r"""Watch one assistant message and say where it became a runaway loop.

    A message consists of content blocks; each block is a stream of its own with detectors of its own, and
    offsets in a finding count from the start of the block. Blocks may interleave. The detectors run over the
    same characters: the one that fires earliest in the stream wins, in a tie the one that comes first in the
    profile. A collapse right after a control token is the leak's (see :meth:`ControlTokenLeak.claim`).
    How the text was cut never changes the finding, and it is returned with the delta that holds the
    character at which it fired; halves of a surrogate pair count as the one character they mean. The first
    finding latches: it is returned once, stays in :attr:`finding`, and later text is ignored.

    Args:
        disabled: Rules (or single mechanisms) that do not run.
        profile: Which mechanisms run.
        turns: What the replies before were like, from :meth:`Profile.turns`; without it, nothing is compared
            with them. It has to outlive the guard, and the agent tells it of every reply that it keeps.

    >>> guard = Guard()
    >>> finding = guard.feed(0, "text", ("Now I will look at the configuration once more, " * 2 + "\n\n") * 3)
    >>> finding.mechanism, finding.garbage_start, finding.fired_at
    ('paragraph-repeat', 98, 294)
    """

    def __init__(
        self,
        disabled: Collection[str] = (),
        profile: Profile = PUBLISHED,
        *,
        turns: RepetitiveTurns | None = None,
    ) -> None:
        self.profile = profile.without(*disabled)
        watches_turns = any(mechanism.turns for mechanism in self.profile.mechanisms)
        self._turns = turns if watches_turns else None
        self.reset()

    def reset(self) -> None:
        """Start a new message: afterwards the guard equals a new one."""
        self.finding: Finding | None = None
        self.block: int | None = None
        self._streams: dict[tuple[int, StreamKind], _Stream] = {}
        if self._turns:
            self._turns.begin()

    def feed(self, block: int, kind: StreamKind, delta: str) -> Finding | None:
        """Read more of one content block.

        Args:
            block: Index of the content block in the message.
            kind: What the block holds.
            delta: The text that arrived.

        Returns:
            The first finding of the message, once.
        """
        if self.finding:
            return None
        stream = self._streams.get((block, kind))
        if stream is None:
            stream = self._open(block, kind)
        finding = stream.feed(delta)
        if finding:
            return self._latch(block, finding)
        return None

    def finish(self) -> Finding | None:
        """Say that the message has ended."""
        if self.finding:
            return None
        for (block, _), stream in self._streams.items():
            finding = stream.finish()
            if finding:
                return self._latch(block, finding)
        return None

    def _open(self, block: int, kind: StreamKind) -> _Stream:
        if kind == "tool":
            for other in self._streams.values():
                other.progressed()
        first = not self._streams
        detectors = make_detectors(self.profile.mechanisms, kind, starts_message=first)
        stream = _Stream(detectors, self._turns if kind == "text" else None)
        self._streams[block, kind] = stream
        return stream

    def _latch(self, block: int, finding: Finding) -> Finding:
        self.finding = finding
        self.block = block
        self._streams.clear()
        return finding


class _Stream:
    """The detectors of one content block. Text is held back as long as none of them could fire in it."""

    def __init__(self, detectors: tuple[Detector, ...], turns: RepetitiveTurns | None) -> None:
        self._detectors = detectors
        self._turns = turns
        self._half = ""  # of a surrogate pair
        self._read = 0
        self._is_blank = True  # the open line, so far
        self._held: list[str] = []
        self._set_quiet()

    def feed(self, delta: str) -> Finding | None:
        """Read more text."""
        if self._half or not delta.isascii():
            delta = joined(self._half + delta)
            self._half = delta[-1:] if ends_in_half(delta) else ""
            delta = delta.removesuffix(self._half)
        self._held.append(delta)
        self._quiet -= len(delta)
        ends_blank_line = self._follow_line(delta)
        found = None
        if (
            self._quiet < 0
            or (ends_blank_line and self._watches_blanks)
            or (self._watched and any(char in delta for char in self._watched))
        ):
            found = self._look()
        if self._turns and self._turns.is_armed:
            found = self._look_back(delta, found)
        self._read += len(delta)
        return found

    def _follow_line(self, delta: str) -> bool:
        """Whether a blank line ends in the delta."""
        if "\n" not in delta:
            self._is_blank = self._is_blank and not delta.strip()
            return False
        first, *between, rest = delta.split("\n")
        ends = (self._is_blank and not first.strip()) or not all(map(str.strip, between))
        self._is_blank = not rest.strip()
        return ends

    def finish(self) -> Finding | None:
        """Say that the block has ended."""
        if self._half:
            self._held.append(self._half)
        found = self._look()
        return found or first_of([detector.finish() for detector in self._detectors])

    def progressed(self) -> None:
        """A tool was called beside this block."""
        if self._held:
            self._look()
        for detector in self._detectors:
            if isinstance(detector, ParagraphReader):
                detector.progressed()

    def _look(self) -> Finding | None:
        text = "".join(self._held)
        self._held = []
        found = feed_all(self._detectors, text)
        self._set_quiet()
        return found

    def _look_back(self, delta: str, found: Finding | None) -> Finding | None:
        """Compare with the replies before; offsets there count over all text blocks of the reply."""
        assert self._turns is not None
        before = self._turns.read
        if found:  # it stops the reply, so what comes behind it is no reply to compare
            delta = delta[: max(0, found.fired_at - self._read - 1)]
        copy = self._turns.feed(delta)
        if copy is None:
            return found
        fired_at = self._read + copy.fired_at - before
        return copy._replace(garbage_start=fired_at, fired_at=fired_at)

    def _set_quiet(self) -> None:
        """How much text may be held back, and at which characters no more."""
        self._quiet = 1 << 16
        self._watched = ""
        self._watches_blanks = False
        for detector in self._detectors:
            quiet = detector.quiet
            if not detector.fires_on or quiet >= _WORTH_HOLDING:
                self._quiet = min(self._quiet, quiet)
            elif detector.fires_on == BLANK_LINE:
                self._watches_blanks = True
            else:
                self._watched += detector.fires_on
