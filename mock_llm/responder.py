"""Which turn answers a request, and why no other does.

The order of the rules: the cap; the client's own repetition of a request (the same answer again); a side
request of the agent; the first lane that it fits, the main one last; the next turn of its conversation there.
What no rule answers is refused.

A conversation is told from others by its first user message (see :class:`mock_llm.conversations.Track`). So
several may go on at once, each with a place of its own in the turns. In a lane with a nonce, or with
``conversations: one``, all is one conversation.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mock_llm.conversations import Track, fits
from mock_llm.fates import Fate
from mock_llm.repeats import Repeats
from mock_llm.script import Lane, ScriptTurn
from mock_llm.turn import Text, ToolCall, Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from mock_llm.conversations import Conversation
    from mock_llm.request import ModelRequest
    from mock_llm.script import Script, SideRequest


@dataclass(frozen=True, slots=True)
class Play:
    """The turn that answers, as reply ``reply`` of its lane, from 1.

    Attributes:
        reply: Its place among the replies of the lane.
        turn: The turn, with the values of the request filled in.
        lane: The lane's name; empty for the main one.
        conversation: The conversation's place among all, from 1.
        note: What is unusual about the answer, for the journal.
        violations: Broken invariants, in full sentences for the report.
    """

    reply: int
    turn: ScriptTurn
    lane: str = ""
    conversation: int = field(default=1, compare=False)
    note: str = ""
    violations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """An answer beside the script."""

    side: SideRequest


@dataclass(frozen=True, slots=True)
class Refuse:
    """No answer: an HTTP error that clients do not retry, and the sentences for the report."""

    status: int
    message: str
    violations: tuple[str, ...] = ()


Answer = Play | Side | Refuse


class Responder:
    """Choose the answer to each request of one run, in the order they arrive.

    Args:
        script: What to play, the values of the run filled in.
        fate: How the exchange of that number ended, so that a repetition of a request is known without a
            header that says so.
    """

    def __init__(self, script: Script, fate: Callable[[int], Fate] = lambda _: Fate()) -> None:
        self._script = script
        self._main = Track(
            Lane(
                "",
                (),
                script.turns,
                script.invariants,
                script.when_exhausted,
                nonce=script.lane,
                conversations=script.conversations,
            )
        )
        self._lanes = tuple(map(Track, script.lanes))
        self._fate = fate
        self._repeats = Repeats(fate)
        self._conversations = 0
        self._seen = 0

    @property
    def unused(self) -> tuple[ScriptTurn, ...]:
        """The turns that no request has reached yet, those of the main lane first."""
        tracks = (self._main, *self._lanes)
        return tuple(track.lane.turns[place] for track in tracks for place in track.unused)

    @property
    def unused_names(self) -> tuple[str, ...]:
        """The same as reports name them: ``turn 2 (s.yaml:9)``, ``turn 1 (s.yaml:14) of lane 'title'``."""
        tracks = (self._main, *self._lanes)
        return tuple(_turn_of(track, place) for track in tracks for place in track.unused)

    def answer(self, request: ModelRequest, number: int | None = None) -> Answer:
        """The answer to the next request; ``number`` is what messages call it, by default its place here."""
        self._seen += 1
        number = self._seen if number is None else number
        if self._seen > self._script.max_requests:
            return Refuse(400, self._over_cap(request, number))
        answer = self._repeats.find(request)
        if isinstance(answer, Play):  # what the request breaks was said the first time
            answer = replace(answer, violations=())
        answer = answer or self._side(request) or self._next(request, number)
        self._repeats.remember(request, answer, number, was_answered=not isinstance(answer, Refuse))
        return answer

    def _side(self, request: ModelRequest) -> Side | None:
        """A side request. Looked for before the lane, as a title request often quotes the prompt."""
        asked = (request.system, request.last_user_text)
        found = (side for side in self._script.sides if any(side.contains in text for text in asked))
        side = next(found, None)
        return None if side is None else Side(side)

    def _next(self, request: ModelRequest, number: int) -> Play | Refuse:
        track = self._track(request)
        if track is None:
            return Refuse(400, self._in_no_lane(request, number))
        conversation = self._conversation(track, request)
        conversation.nth += 1
        violations = self._violations(conversation, request, number)
        conversation.before = request
        conversation.exchanges.append(number)
        place = conversation.take(request)
        if place is None:
            return self._exhausted(conversation, request, number, violations)
        return _play(conversation, track.lane.turns[place], request, violations=violations)

    def _track(self, request: ModelRequest) -> Track | None:
        for track in self._lanes:
            if _carries(request, track.lane.nonce) and fits(track.lane.match, request, 0):
                return track
        if self._script.lane:
            marks = (self._script.lane, *self._script.lane_too)
            return self._main if any(_carries(request, mark) for mark in marks) else None
        return self._main if self._script.turns or not self._lanes else None

    def _conversation(self, track: Track, request: ModelRequest) -> Conversation:
        conversation = track.conversation(request)
        if not conversation.number:
            self._conversations += 1
            conversation.number = self._conversations
        return conversation

    def _exhausted(
        self, conversation: Conversation, request: ModelRequest, number: int, violations: tuple[str, ...]
    ) -> Play | Refuse:
        """What ``when_exhausted`` says."""
        from mock_llm.misses import no_turn_left, turn_name

        lane, last = conversation.track.lane, conversation.last
        if isinstance(lane.when_exhausted, ScriptTurn) or lane.when_exhausted == "stop":
            note = "no turn was left: 'when_exhausted' answers"
            turn = _NOTHING if isinstance(lane.when_exhausted, str) else lane.when_exhausted
            return _play(conversation, turn, request, note, violations)
        if lane.when_exhausted == "repeat-last" and last is not None:
            note = f"no turn was left: {turn_name(lane.turns, last)} again"
            return _play(conversation, lane.turns[last], request, note, violations)
        why = "'when_exhausted' repeats the last turn, and none was played" if last is None else ""
        why = why if lane.when_exhausted == "repeat-last" else ""
        return Refuse(400, no_turn_left(request, number, conversation, why), violations)

    def _over_cap(self, request: ModelRequest, number: int) -> str:
        from mock_llm.misses import over_cap

        played = f"{len(self._main.played)} of {len(self._script.turns)} turns were played"
        return over_cap(request, number, self._script.max_requests, played)

    def _in_no_lane(self, request: ModelRequest, number: int) -> str:
        from mock_llm.misses import in_no_lane, main_wants

        wants = main_wants(self._main, self._script.lane) if self._script.lane else ""
        return in_no_lane(request, number, wants, [track.lane for track in self._lanes])

    def _violations(self, conversation: Conversation, request: ModelRequest, number: int) -> tuple[str, ...]:
        lane = conversation.track.lane
        if not lane.invariants:
            return ()
        from mock_llm.invariants import Past, broken, titled
        from mock_llm.misses import describe

        past = Past(conversation.before, tuple(map(self._fate, conversation.exchanges)))
        of_lane = f" of lane '{lane.name}'" if lane.name else ""
        asked = describe(request)
        found = ((each, broken(each, request, past)) for each in lane.invariants)
        return tuple(
            f"request {number} breaks the invariant {titled(each)}{of_lane}\n{asked}\n  {evidence}"
            for each, evidence in found
            if evidence
        )


_NOTHING = ScriptTurn(Turn((Text(""),)))


def _play(
    conversation: Conversation,
    turn: ScriptTurn,
    request: ModelRequest,
    note: str = "",
    violations: tuple[str, ...] = (),
) -> Play:
    track = conversation.track
    track.replies += 1
    if turn.is_template:
        from mock_llm.filling import fill_from_request

        turn = fill_from_request(turn, request, conversation.nth)
    if note:
        turn = _with_new_calls(turn, conversation.nth)
    return Play(track.replies, turn, track.lane.name, conversation.number, note, violations)


def _with_new_calls(turn: ScriptTurn, nth: int) -> ScriptTurn:
    """The turn with calls of other ids: no client may see an id twice in one conversation."""
    parts = tuple(
        part._replace(id=f"{part.id}_again{nth}") if isinstance(part, ToolCall) and part.id else part
        for part in turn.turn.parts
    )
    return turn._replace(turn=turn.turn._replace(parts=parts))


def _carries(request: ModelRequest, nonce: str) -> bool:
    """Whether a user message carries the text."""
    return not nonce or any(nonce in message.text for message in request.messages if message.role == "user")


def _turn_of(track: Track, place: int) -> str:
    from mock_llm.misses import turn_name

    name = turn_name(track.lane.turns, place)
    return f"{name} of lane '{track.lane.name}'" if track.lane.name else name
