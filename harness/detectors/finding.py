"""What a detector reports, and what every detector can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

StreamKind = Literal["text", "thinking", "tool"]

ASCII_SPACE = " \t\n\r\f\v"
"""The whitespace that the character rules look at."""

BLANK_LINE = "\n\n"


class Finding(NamedTuple):
    """Where a stream became a loop. All offsets are code points in the stream.

    Attributes:
        rule: What a user sees and can disable, such as ``collapse-repetition``.
        mechanism: The detector inside the rule, such as ``paragraph-repeat``.
        reason: One sentence for people, with the figures that decided.
        anomaly_start: Where the loop began.
        garbage_start: Keep ``text[:garbage_start]``, drop the rest.
        fired_at: How many characters had been read when the detector fired.
        details: Further figures of the mechanism.
    """

    rule: str
    mechanism: str
    reason: str
    anomaly_start: int
    garbage_start: int
    fired_at: int
    details: Mapping[str, object] = {}


class Detector(Protocol):
    """An incremental reader of one stream. Where the text was cut never changes the finding.

    A guard may hold text back while no detector could fire in it. ``quiet`` says for how many more
    characters this one surely cannot; ``fires_on`` are the characters at which alone it can, and is
    empty when it can fire at any. :data:`BLANK_LINE` stands for the newline that ends a blank line.
    """

    fires_on: ClassVar[str]

    @property
    def quiet(self) -> int:
        """How many characters can follow without a finding, whatever they are."""

    def feed(self, delta: str) -> Finding | None:
        """Read more text; the first finding is returned once and latches."""

    def finish(self) -> Finding | None:
        """Say that the stream has ended."""

    def reset(self) -> None:
        """Forget everything: afterwards the detector equals a new one."""
