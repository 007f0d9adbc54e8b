"""A saved session in one form, whichever agent wrote it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

PartKind = Literal["text", "thinking", "tool_call", "tool_result"]


@dataclass(frozen=True, slots=True)
class TranscriptPart:
    """One content block; ``text`` is a call's arguments or a result's output where the kind says so."""

    kind: PartKind
    text: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    """One message as it was persisted.

    ``stop_reason`` keeps the agent's own word. ``hidden`` marks a message the agent wrote for the
    model and not for the user, such as an interrupt.
    """

    role: Literal["user", "assistant", "tool", "system"]
    parts: tuple[TranscriptPart, ...]
    stop_reason: str = ""
    hidden: bool = False
    error: str = ""

    @property
    def text(self) -> str:
        """All text parts, joined."""
        return "".join(part.text for part in self.parts if part.kind == "text")

    @property
    def thinking(self) -> str:
        """All thinking parts, joined."""
        return "".join(part.text for part in self.parts if part.kind == "thinking")


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """A record that a stream rule fired. Offsets are code points; None where the agent does not say.

    ``message`` is the index in :attr:`Transcript.messages` of the message that the rule stopped
    (the next message after the record), and ``data`` keeps everything the agent wrote.
    """

    rule: str
    message: int
    mechanism: str | None = None
    anomaly_start: int | None = None
    garbage_start: int | None = None
    fired_at: int | None = None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Transcript:
    """The messages of a session in order, with the rules that fired."""

    messages: tuple[TranscriptMessage, ...] = ()
    rules: tuple[RuleRecord, ...] = ()

    @property
    def assistant(self) -> tuple[TranscriptMessage, ...]:
        """The assistant messages in order: reply 1 is the first."""
        return tuple(m for m in self.messages if m.role == "assistant")
