"""What can happen to a conversation: the pieces of a reply, the user, a tool that ended.

The wire decoders produce the stream events; the loop reads all of them and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Stop = Literal["stop", "tool", "length"]


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Answer text. ``block`` counts the blocks of one reply from 0, in every dialect."""

    block: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """Reasoning text."""

    block: int
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingSignature:
    """A provider's proof of a thinking block; without it the block cannot be sent back."""

    block: int
    signature: str


@dataclass(frozen=True, slots=True)
class ToolCallStart:
    """A tool call begins; its arguments follow."""

    block: int
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of the call's arguments, as JSON text."""

    block: int
    text: str


@dataclass(frozen=True, slots=True)
class UsageReport:
    """Token counts; None where this report does not say. A later report overrules an earlier one."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """The reply is complete."""

    stop: Stop


@dataclass(frozen=True, slots=True)
class StreamError:
    """The reply will not be completed; the message says why."""

    message: str


StreamEvent = (
    TextDelta
    | ThinkingDelta
    | ThinkingSignature
    | ToolCallStart
    | ToolCallDelta
    | UsageReport
    | Done
    | StreamError
)


@dataclass(frozen=True, slots=True)
class UserPrompt:
    """The user asks for something."""

    text: str


@dataclass(frozen=True, slots=True)
class UserInterrupt:
    """The user pressed Ctrl-C."""


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """A tool has run."""

    call_id: str
    output: str
    is_error: bool = False


Event = StreamEvent | UserPrompt | UserInterrupt | ToolFinished
