"""What the loop wants of a guard, and a guard that never finds anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from harness.detectors.finding import Finding, StreamKind


class StreamGuard(Protocol):
    """Reads one message; the first finding is returned once, and ``block`` then says where it is."""

    block: int | None

    def feed(self, block: int, kind: StreamKind, delta: str) -> Finding | None:
        """Read more of a block."""

    def finish(self) -> Finding | None:
        """Say that the message is complete."""


class TurnWatch(Protocol):
    """Knows the replies of the conversation; the guards that read the next one look back through it."""

    rule: ClassVar[str]

    def remember(self, reply: str) -> Finding | None:
        """Take in the text of a reply that is kept; a finding when its end alone made it a near copy."""

    def rearm(self) -> None:
        """Let the next reply fire too, though no other one came between."""


class NoGuard:
    """A guard that never finds anything."""

    block: int | None = None

    def feed(self, block: int, kind: StreamKind, delta: str) -> None:
        """Look away."""

    def finish(self) -> None:
        """Look away."""
