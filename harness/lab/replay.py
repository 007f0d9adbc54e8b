"""A guard over captured replies: where it would have stopped them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from harness.detectors.guard import Guard
from harness.detectors.mechanisms import PUBLISHED, Profile
from harness.guard_marks import MarkedPart

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from harness.detectors.finding import Finding
    from harness.detectors.turns import RepetitiveTurns
    from harness.lab.capture import Message


_BITE = 1 << 16  # characters: what comes behind a finding need not be read


class Verdict(NamedTuple):
    """What a guard says about one message.

    Attributes:
        message: The message.
        part: Index of the part that the finding is about; None when the guard stays silent.
        finding: The first finding of the message. Offsets are code points in that part.
    """

    message: Message
    part: int | None = None
    finding: Finding | None = None

    @property
    def marked(self) -> MarkedPart | None:
        """The part that fired, with its finding."""
        if self.part is None or self.finding is None:
            return None
        fired = self.message.parts[self.part]
        return MarkedPart(fired.stream, fired.text, self.finding)


def replay(
    messages: Sequence[Message], profile: Profile = PUBLISHED, disabled: Collection[str] = ()
) -> Iterator[Verdict]:
    """Give the verdict on each message of a conversation, in order.

    The guard reads a message as it would have streamed: its parts one after the other, and as a reply that
    may restate the ones before. It does not stop the conversation: every message is judged, as it is here.
    """
    profile = profile.without(*disabled)
    turns = profile.turns() if len(messages) > 1 else None  # one reply restates none, however long it is
    guard = Guard(profile=profile, turns=turns)
    for message in messages:
        yield _judged(message, guard, turns)


def _judged(message: Message, guard: Guard, turns: RepetitiveTurns | None) -> Verdict:
    guard.reset()
    for index, part in enumerate(message.parts):
        for at in range(0, len(part.text), _BITE):
            guard.feed(index, part.stream, part.text[at : at + _BITE])
    guard.finish()
    finding, block = guard.finding, guard.block
    if turns:
        restated = turns.remember(message.text)
        if restated and not finding:
            finding, block = _in_last_text(message, restated)
    return Verdict(message, block, finding) if finding else Verdict(message)


def _in_last_text(message: Message, restated: Finding) -> tuple[Finding, int]:
    """A finding about the whole reply as one about its last text block, where the reply ended."""
    block = max(index for index, part in enumerate(message.parts) if part.stream == "text")
    end = len(message.parts[block].text)
    return restated._replace(garbage_start=end, fired_at=end), block
