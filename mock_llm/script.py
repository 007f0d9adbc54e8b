"""A script: the turns of a mock model and how each is cut, paced and ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mock_llm.turn import Turn


@dataclass(frozen=True, slots=True)
class Stream:
    """How a reply is cut into deltas and paced.

    At most one of ``deltas`` (so many pieces over the whole turn, parts kept apart) and
    ``chars_per_delta`` is set; with neither, a part is one delta. ``first_after_ms`` and ``every_ms`` are
    absolute deadlines from the start of the reply. With ``until_hang_up`` the text parts are played again
    and again until the client hangs up or ``cap_chars`` characters were sent, whichever comes first.
    """

    deltas: int | None = None
    chars_per_delta: int | None = None
    first_after_ms: float = 0
    every_ms: float = 0
    until_hang_up: bool = False
    cap_chars: int = 200_000


@dataclass(frozen=True, slots=True)
class ScriptTurn:
    """A turn of the script and its delivery; ``place`` is ``file:line`` for messages."""

    turn: Turn
    stream: Stream = field(default_factory=Stream)
    place: str = ""


@dataclass(frozen=True, slots=True)
class SideRequest:
    """A request an agent makes beside the conversation, such as a title; answered beside the script.

    It matches when the system text or the last user text contains ``contains``.
    """

    name: str
    contains: str
    turn: Turn


@dataclass(frozen=True, slots=True)
class Script:
    """What the mock model plays.

    ``lane`` is the text (a nonce) that a request of the main conversation carries in a user message.
    An empty lane accepts every request. ``max_requests`` bounds all requests together.
    """

    turns: tuple[ScriptTurn, ...]
    lane: str = ""
    sides: tuple[SideRequest, ...] = ()
    max_requests: int = 50
