"""Where a guard would stop a text, as marks between its lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.detectors.guard import Guard
from mock_llm.turn import Text, Thinking, Turn, content

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.detectors.finding import Finding, StreamKind


@dataclass(frozen=True, slots=True)
class MarkedPart:
    """One part of a turn with the finding the published guard makes in it, if any."""

    stream: StreamKind
    text: str
    finding: Finding | None

    @property
    def pieces(self) -> tuple[str, str, str]:
        """The text kept, the text read until the guard fired, and the text never read."""
        if self.finding is None:
            return self.text, "", ""
        kept, fired = self.finding.garbage_start, self.finding.fired_at
        return self.text[:kept], self.text[kept:fired], self.text[fired:]


def mark(turn: Turn) -> Iterator[MarkedPart]:
    """The parts of a turn as the published guard reads them, each for itself."""
    guard = Guard()
    for index, part in enumerate(turn.parts):
        stream: StreamKind = (
            "text" if isinstance(part, Text) else "thinking" if isinstance(part, Thinking) else "tool"
        )
        guard.reset()
        finding = guard.feed(index, stream, content(part)) or guard.finish()
        yield MarkedPart(stream, content(part), finding)
