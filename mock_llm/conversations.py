"""The places of conversations in the turns of a lane.

A turn with a matcher answers the first request that fits it, wherever the turn stands; the others are taken
in order by the requests that no matcher wants. Each conversation takes each turn once, and one conversation
never moves the place of another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mock_llm.matchers import Matcher
    from mock_llm.request import ModelRequest
    from mock_llm.script import Lane


def fits(matcher: Matcher, request: ModelRequest, nth: int) -> bool:
    """Whether a request fits; a script without matchers never loads them."""
    from mock_llm.matchers import matches

    return matches(matcher, request, nth)


class Track:
    """The turns of a lane and every conversation that follows them."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self.replies = 0
        self.played: set[int] = set()
        self.in_order = tuple(place for place, turn in enumerate(lane.turns) if not turn.when)
        self.matched = tuple(place for place, turn in enumerate(lane.turns) if turn.when)
        self._conversations: dict[str, list[Conversation]] = {}

    @property
    def unused(self) -> tuple[int, ...]:
        """The places, from 0, of the turns that no conversation has taken."""
        return tuple(place for place in range(len(self.lane.turns)) if place not in self.played)

    def conversation(self, request: ModelRequest) -> Conversation:
        """The conversation that a request belongs to, begun when there is none yet.

        It is told by its first user message. A request without any answer of the model, which has other
        instructions or other tools than a conversation with that message, begins one of its own: so does an
        agent that asks for a title of what the user said.
        """
        known = self._conversations.setdefault("" if self.lane.is_one else first_user_text(request), [])
        found = known[0] if known and self.lane.is_one else _chosen(known, request)
        if found is None:
            found = Conversation(self, request)
            known.append(found)
        return found


class Conversation:
    """How far one conversation has come.

    Attributes:
        nth: Its requests so far; a client's own repetitions do not count.
        last: The place of the turn it took last, from 0; None before the first.
        number: Its place among the conversations of all lanes, from 1; 0 until one is given.
        before: Its request before this one.
        exchanges: The numbers of its requests so far.
        first: Its first request.
    """

    __slots__ = ("_in_order", "_matched", "before", "exchanges", "first", "last", "nth", "number", "track")

    def __init__(self, track: Track, first: ModelRequest) -> None:
        self.track = track
        self.first = first
        self.nth = 0
        self.number = 0
        self.last: int | None = None
        self.before: ModelRequest | None = None
        self.exchanges: list[int] = []
        self._in_order = 0
        self._matched = track.matched

    @property
    def waiting(self) -> tuple[int, ...]:
        """The places, from 0, of the turns that still wait for a request that fits."""
        return self._matched

    def take(self, request: ModelRequest) -> int | None:
        """Take the turn that answers its next request, number ``nth``; None when there is none."""
        place = self._fitting(request)
        if place is not None:
            self._matched = tuple(other for other in self._matched if other != place)
        elif self._in_order < len(self.track.in_order):
            place = self.track.in_order[self._in_order]
            self._in_order += 1
        if place is not None:
            self.last = place
            self.track.played.add(place)
        return place

    def _fitting(self, request: ModelRequest) -> int | None:
        turns = self.track.lane.turns
        return next((p for p in self._matched if fits(turns[p].when, request, self.nth)), None)


def first_user_text(request: ModelRequest) -> str:
    """What tells a conversation from others: the text of its first user message."""
    return next((message.text for message in request.messages if message.role == "user"), "")


def _chosen(known: list[Conversation], request: ModelRequest) -> Conversation | None:
    """Which conversation, of those with the same first user message, goes on; None begins another."""
    alike = next((each for each in known if _are_alike(each.first, request)), None)
    goes_on = any(message.role == "assistant" for message in request.messages)
    return known[0] if alike is None and goes_on and known else alike


def _are_alike(one: ModelRequest, other: ModelRequest) -> bool:
    """Whether two requests come from the same kind of asking.

    Both have tools, or neither has. The system texts have at least the first half in common, as one that
    names the time changes late.
    """
    if bool(one.tools) != bool(other.tools):
        return False
    half = max(len(one.system), len(other.system)) // 2
    return one.system[:half] == other.system[:half]
