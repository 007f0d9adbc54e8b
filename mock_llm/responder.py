"""Which turn answers a request, and why no other does.

The order of the rules: the cap; the client's own retry of a request (the same answer again); a side request
of the agent; the lane; the next turn. What no rule answers is refused, never answered by a repeat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mock_llm.request import ModelRequest
    from mock_llm.script import Script, ScriptTurn, SideRequest

_SHOWN_CHARS = 80


@dataclass(frozen=True, slots=True)
class Play:
    """The turn of the script that answers, as reply ``reply`` of the main lane, from 1."""

    reply: int
    turn: ScriptTurn


@dataclass(frozen=True, slots=True)
class Side:
    """An answer beside the script."""

    side: SideRequest


@dataclass(frozen=True, slots=True)
class Refuse:
    """No answer: an HTTP error that clients do not retry, and the sentences for the report."""

    status: int
    message: str


Answer = Play | Side | Refuse


class Responder:
    """Choose the answer to each request of one run, in the order they arrive."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._answered: list[tuple[ModelRequest, Answer]] = []
        self._played = 0
        self._seen = 0

    @property
    def unused(self) -> tuple[ScriptTurn, ...]:
        """The turns that no request has reached yet."""
        return self._script.turns[self._played :]

    def answer(self, request: ModelRequest, number: int | None = None) -> Answer:
        """The answer to the next request; ``number`` is what messages call it, by default its place here."""
        self._seen += 1
        number = self._seen if number is None else number
        if self._seen > self._script.max_requests:
            return Refuse(400, self._over_cap(request, number))
        answer = self._again(request) or self._side(request) or self._next(request, number)
        self._answered.append((request, answer))
        return answer

    def _again(self, request: ModelRequest) -> Answer | None:
        """What the same request got before, if the client says that it repeats one."""
        if not request.retry:
            return None
        repeated = (answer for seen, answer in reversed(self._answered) if _same(seen, request))
        return next(repeated, None)

    def _side(self, request: ModelRequest) -> Side | None:
        """A side request. Looked for before the lane, as a title request often quotes the prompt."""
        asked = (request.system, request.last_user_text)
        found = (side for side in self._script.sides if any(side.contains in text for text in asked))
        side = next(found, None)
        return None if side is None else Side(side)

    def _next(self, request: ModelRequest, number: int) -> Play | Refuse:
        if not self._is_in_lane(request):
            return Refuse(400, self._unexpected(request, number))
        if self._played == len(self._script.turns):
            return Refuse(400, self._exhausted(request, number))
        self._played += 1
        return Play(self._played, self._script.turns[self._played - 1])

    def _is_in_lane(self, request: ModelRequest) -> bool:
        lane = self._script.lane
        return any(lane in message.text for message in request.messages if message.role == "user") or not lane

    def _over_cap(self, request: ModelRequest, number: int) -> str:
        return "\n".join(
            (
                f"request {number} is over the cap of {self._script.max_requests} requests",
                describe(request),
                f"  {self._played} of {len(self._script.turns)} turns were played",
                "  see what the client repeats, or raise 'max_requests'",
            )
        )

    def _unexpected(self, request: ModelRequest, number: int) -> str:
        if self.unused:
            closest = f"{self._named(self._played + 1)} wants"
        elif self._played:
            closest = f"{self._named(self._played)} (played) wanted"
        else:
            closest = "the script has no turns, and wants"
        return "\n".join(
            (
                f"request {number} does not belong to the conversation of the script",
                describe(request),
                f"  closest: {closest} a user message that contains '{self._script.lane}'",
                "  describe it as a side request of the agent, or put that text into the prompt",
            )
        )

    def _exhausted(self, request: ModelRequest, number: int) -> str:
        last = f"{self._named(self._played)} was the last one" if self._played else "the script has no turns"
        return "\n".join(
            (
                f"request {number} has no turn left to answer it",
                describe(request),
                f"  closest: {last}, and it is played already" if self._played else f"  {last}",
                "  add a turn to 'model', or see why the client asked again",
            )
        )

    def _named(self, place: int) -> str:
        turn = self._script.turns[place - 1]
        return f"turn {place} ({turn.place})" if turn.place else f"turn {place}"


def describe(request: ModelRequest) -> str:
    """A request in one line of a report."""
    count = len(request.messages)
    text = request.last_user_text
    shown = repr(text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 3] + "...")
    return f"  POST {request.path}, {count} message{'s' * (count != 1)}, last user text {shown}"


def _same(one: ModelRequest, other: ModelRequest) -> bool:
    return one.dialect == other.dialect and one.path == other.path and one.body == other.body
