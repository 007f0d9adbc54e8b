"""Where a guard would stop a text, as marks between its lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.detectors.control_tokens import ControlTokenLeak
from harness.detectors.guard import Guard
from mock_llm.turn import Text, Thinking, Turn, content

if TYPE_CHECKING:
    from harness.detectors.finding import Finding, StreamKind
    from harness.detectors.turns import RepetitiveTurns


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


def mark(turn: Turn, turns: RepetitiveTurns | None = None) -> tuple[MarkedPart, ...]:
    """The parts of a turn as the published guard reads them, each for itself.

    ``turns`` knows the replies before, and takes this one in as far as an agent would keep it.
    """
    guard = Guard(turns=turns)
    parts: list[MarkedPart] = []
    for index, part in enumerate(turn.parts):
        stream: StreamKind = (
            "text" if isinstance(part, Text) else "thinking" if isinstance(part, Thinking) else "tool"
        )
        guard.reset()
        finding = guard.feed(index, stream, content(part)) or guard.finish()
        parts.append(MarkedPart(stream, content(part), finding))
    if turns:
        _take_in(parts, turns)
    return tuple(parts)


def _take_in(parts: list[MarkedPart], turns: RepetitiveTurns) -> None:
    leaked = any(part.finding and part.finding.rule == ControlTokenLeak.rule for part in parts)
    kept = "" if leaked else "".join(part.pieces[0] for part in parts if part.stream == "text")
    copy = turns.remember(kept)
    texts = [number for number, part in enumerate(parts) if part.stream == "text"]
    if copy and len(texts) == 1 and parts[texts[0]].finding is None:
        parts[texts[0]] = replace(parts[texts[0]], finding=copy)
    if any(part.finding and part.finding.rule == turns.rule for part in parts):
        turns.rearm()
