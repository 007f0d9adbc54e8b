"""A script: the turns of a mock model and how each is cut, paced and ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from mock_llm.faults import Fault
    from mock_llm.invariants import Invariant
    from mock_llm.matchers import Matcher
    from mock_llm.pace import Beat
    from mock_llm.turn import Turn


class Stream(NamedTuple):
    """How a reply is cut into deltas and paced.

    At most one of ``deltas`` (so many pieces over the whole turn, parts kept apart) and
    ``chars_per_delta`` is set; with neither, a part is one delta. ``first_after_ms`` and ``every_ms`` are
    absolute deadlines from the start of the reply. With ``until_hang_up`` the text parts are played again
    and again until the client hangs up or ``cap_chars`` characters were sent, whichever comes first.

    With ``hold`` or ``hold_after`` the reply stops after ``hold_after`` characters (without it, before the
    first) until the gate ``hold`` is released; a gate without a name is called ``reply-N``.

    ``recorded`` is the pace of a recorded reply, in place of all other cuts and times.
    """

    deltas: int | None = None
    chars_per_delta: int | None = None
    first_after_ms: float = 0
    every_ms: float = 0
    until_hang_up: bool = False
    cap_chars: int = 200_000
    hold: str = ""
    hold_after: int | None = None
    fault: Fault | None = None
    recorded: tuple[Beat, ...] = ()

    @property
    def is_held(self) -> bool:
        """True when the reply waits at a gate."""
        return bool(self.hold) or self.hold_after is not None


class ScriptTurn(NamedTuple):
    """A turn of the script and its delivery; ``place`` is ``file:line`` for messages.

    With ``when`` it answers only a request that fits all its checks. ``is_template`` says that its texts name
    values of the request, such as ``{request.model}``, and are filled in when it is played.
    """

    turn: Turn
    stream: Stream = Stream()
    place: str = ""
    when: Matcher = ()
    is_template: bool = False


class SideRequest(NamedTuple):
    """A request an agent makes beside the conversation, such as a title; answered beside the script.

    It matches when the system text or the last user text contains ``contains``.
    """

    name: str
    contains: str
    turn: Turn


# What answers when no turn is left: nothing does, which fails the run; the turn that was played last; an
# empty reply that just stops; or a turn of its own.
Exhausted = Literal["error", "repeat-last", "stop"] | ScriptTurn


class Lane(NamedTuple):
    """Requests that are recognised together, and the turns that answer them.

    Attributes:
        name: What reports call it; empty for the main lane.
        match: What a request of the lane is like; empty accepts every request.
        nonce: A text that a user message of its requests carries: all of them are then one conversation.
        turns: Each conversation of the lane is played these.
        invariants: What every request of it must keep to.
        when_exhausted: What answers when a conversation has no turn left.
        place: ``file:line`` for messages.
        conversations: ``apart`` tells conversations by their first user message, each with its own place in
            the turns; ``one`` takes all requests for one conversation.
    """

    name: str
    match: Matcher
    turns: tuple[ScriptTurn, ...]
    invariants: tuple[Invariant, ...] = ()
    when_exhausted: Exhausted = "error"
    place: str = ""
    nonce: str = ""
    conversations: Literal["apart", "one"] = "apart"

    @property
    def is_one(self) -> bool:
        """Whether all its requests are one conversation."""
        return bool(self.nonce) or self.conversations == "one"


class Script(NamedTuple):
    """What the mock model plays.

    Attributes:
        turns: The turns of the main lane.
        lane: The text (a nonce) that a request of the main lane carries in a user message: they are then one
            conversation. An empty text accepts every request.
        lane_too: Texts that put a request into the main lane although it lacks ``lane``: a client's own words
            in the middle of the conversation.
        sides: What an agent asks beside the conversation.
        max_requests: Bounds all requests together.
        lanes: Further lanes; they are looked at before the main one, in order.
        invariants: What every request of the main lane must keep to.
        when_exhausted: What answers when a conversation of the main lane has no turn left.
        conversations: ``apart`` tells those of the main lane apart by their first user message, each with its
            own place in the turns; ``one`` takes all requests for one conversation.
    """

    turns: tuple[ScriptTurn, ...]
    lane: str = ""
    sides: tuple[SideRequest, ...] = ()
    max_requests: int = 50
    lanes: tuple[Lane, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    when_exhausted: Exhausted = "error"
    conversations: Literal["apart", "one"] = "apart"
    lane_too: tuple[str, ...] = ()
