"""What the loop asks of the world around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.refagent.conversation import Message, ToolCallBlock
    from harness.refagent.reply import BlockKind

Outcome = Literal["answered", "failed", "interrupted"]


@dataclass(frozen=True, slots=True)
class SendRequest:
    """Ask the model with these messages; its stream events come back as events."""

    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class HangUp:
    """Close the connection at once; no more stream events of this reply are wanted."""


@dataclass(frozen=True, slots=True)
class SaveInFlight:
    """Save what just arrived, so that it outlives this process."""

    block: int
    kind: BlockKind
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """Append a record to the session; the session adds id, parent and time."""

    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SettleInFlight:
    """The reply has been recorded: its saved pieces are no longer needed."""


@dataclass(frozen=True, slots=True)
class Show:
    """Text of the reply, as it comes. It may still be taken back."""

    kind: Literal["text", "thinking"]
    text: str


@dataclass(frozen=True, slots=True)
class ShowCall:
    """The model has called a tool."""

    call: ToolCallBlock


@dataclass(frozen=True, slots=True)
class Notify:
    """Tell the user something that the model did not say."""

    text: str


@dataclass(frozen=True, slots=True)
class RunTool:
    """Run a tool; ``ToolFinished`` comes back as an event."""

    call: ToolCallBlock


@dataclass(frozen=True, slots=True)
class EndTurn:
    """The user's message has been dealt with; ``text`` is the final answer or the reason there is none."""

    outcome: Outcome
    text: str


Command = (
    SendRequest
    | HangUp
    | SaveInFlight
    | Record
    | SettleInFlight
    | Show
    | ShowCall
    | Notify
    | RunTool
    | EndTurn
)
