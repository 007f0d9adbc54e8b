"""The conversation as the agent remembers it, and what of it is sent to the model again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

StopReason = Literal["stop", "toolUse", "aborted", "error", "length"]
INTERRUPT_MARKER = "[output interrupted by stream rule]"
NO_RESULT = "no result: the call was interrupted"


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Answer text."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingBlock:
    """Reasoning; only a signed block can be sent back."""

    text: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class ToolCallBlock:
    """A tool call; ``arguments`` is JSON text, incomplete where the reply was cut."""

    id: str
    name: str
    arguments: str


Block = TextBlock | ThinkingBlock | ToolCallBlock


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the user said, or (``hidden``) what the agent says to the model in the user's place."""

    text: str
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """A reply as it was persisted: complete, or cut with the reason."""

    blocks: tuple[Block, ...]
    stop_reason: StopReason
    error: str = ""
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def text(self) -> str:
        """All text blocks, joined."""
        return "".join(block.text for block in self.blocks if isinstance(block, TextBlock))

    @property
    def said(self) -> str:
        """What the model said: the text less the marker of a cut, which the agent wrote."""
        blocks = self.blocks[:-1] if self.is_marked else self.blocks
        return "".join(block.text for block in blocks if isinstance(block, TextBlock))

    @property
    def is_marked(self) -> bool:
        """Whether a marker says that something was cut off."""
        return self.stop_reason == "aborted" and self.blocks[-1:] == (TextBlock(INTERRUPT_MARKER),)

    @property
    def tool_calls(self) -> tuple[ToolCallBlock, ...]:
        """The tool calls in order."""
        return tuple(block for block in self.blocks if isinstance(block, ToolCallBlock))


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered to the call ``call_id``."""

    call_id: str
    name: str
    output: str
    is_error: bool = False


Message = UserMessage | AssistantMessage | ToolResult


def replies(messages: Iterable[Message]) -> Iterator[str]:
    """What the model said, reply by reply, as far as it was kept."""
    return (message.said for message in messages if isinstance(message, AssistantMessage))


def replayed(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages that go to the model again.

    A reply that was cut (``aborted``, ``error``) is left out whole, so neither a dropped tail nor half
    a tool call ever comes back; the interrupt that speaks of it stays. A reply that ran into the
    length limit loses its tool calls, which never ran. A call without a result (the agent
    died while the tool ran) gets one that says so, because providers refuse a call without a result.
    """
    answered = {message.call_id for message in messages if isinstance(message, ToolResult)}
    return tuple(_replayed(messages, answered))


def _replayed(messages: Iterable[Message], answered: set[str]) -> Iterator[Message]:
    sent: set[str] = set()
    for message in messages:
        if isinstance(message, UserMessage):
            yield message
        elif isinstance(message, ToolResult):
            if message.call_id in sent:
                yield message
        elif message.stop_reason == "length":
            yield replace(
                message, blocks=tuple(b for b in message.blocks if not isinstance(b, ToolCallBlock))
            )
        elif message.stop_reason not in ("aborted", "error"):
            yield message
            sent.update(call.id for call in message.tool_calls)
            for call in message.tool_calls:
                if call.id not in answered:
                    yield ToolResult(call.id, call.name, NO_RESULT, is_error=True)
