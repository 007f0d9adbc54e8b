"""The vocabulary of a scripted reply: what a model says, before any wire format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

# "refusal" is the provider's doing (a filter); what the model itself says when it declines is a Refusal.
Stop = Literal["stop", "tool", "length", "refusal"]


@dataclass(frozen=True, slots=True)
class _Words:
    text: str


# Not equal to each other, whatever they say: a dataclass compares within one class.
class Text(_Words):
    """Visible answer text."""

    __slots__ = ()


class Thinking(_Words):
    """Reasoning text, sent in the dialect's own reasoning channel."""

    __slots__ = ()


class Refusal(_Words):
    """What the model says instead of an answer, in the dialect's own channel where it has one."""

    __slots__ = ()


class ToolCall(NamedTuple):
    """A tool call; ``arguments`` is the JSON text exactly as it is streamed."""

    id: str
    name: str
    arguments: str


Part = Text | Thinking | ToolCall | Refusal


class Usage(NamedTuple):
    """Token counts as a provider would bill them."""

    input_tokens: int
    output_tokens: int


class Turn(NamedTuple):
    """One scripted reply of the model: its parts in order, then how it stopped.

    ``stop`` is one of :data:`Stop`, which each dialect says in its own words; any other word is sent as it
    is, so that a script can use every stop reason of a provider.
    """

    parts: tuple[Part, ...]
    usage: Usage | None = None
    stop: Stop | str = "stop"

    @property
    def chars(self) -> int:
        """Content characters of all parts (code points; a tool call counts its arguments)."""
        return sum(len(content(part)) for part in self.parts)


class Delta(NamedTuple):
    """A piece of one part: ``part`` is its index in the turn."""

    part: int
    text: str


def content(part: Part) -> str:
    """The characters of a part that are streamed as content."""
    return part.arguments if isinstance(part, ToolCall) else part.text
