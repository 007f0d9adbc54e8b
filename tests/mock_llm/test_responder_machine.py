"""Whatever the order of lanes, retries, tool results and side requests, no request takes a turn of another.

A model of the client keeps for each conversation what it was told. It may at any time ask on in any
conversation, with or without the header repeat its last request after a failure, or ask for a title.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mock_llm.dialects import by_name
from mock_llm.fates import Fate
from mock_llm.matchers import Check
from mock_llm.request import ModelRequest
from mock_llm.responder import Play, Refuse, Responder, Side
from mock_llm.script import Lane, Script, ScriptTurn, SideRequest
from mock_llm.turn import Text, ToolCall, Turn

PATH = "/v1/chat/completions"
SIDE = SideRequest("title", "Generate a title", Turn((Text("A title"),)))


def plan(lane: str, length: int) -> tuple[ScriptTurn, ...]:
    """Text and calls in turn; every part says its lane and its place."""
    return tuple(
        ScriptTurn(
            Turn(
                (Text(f"{lane} {place}"), *((ToolCall(f"c{place}", "bash", "{}"),) if place % 2 else ())),
                stop="tool" if place % 2 else "stop",
            )
        )
        for place in range(length)
    )


PLEASE = (Check("last_user", "contains", "PLEASE"),)
WAITING = tuple(
    ScriptTurn(Turn((Text(f"matched {n}"), ToolCall(f"m{n}", "bash", "{}")), stop="tool"), when=PLEASE)
    for n in range(2)
)
LENGTHS = {"main": 5, "sub": 4, "nonce": 3}
LANES = (
    Lane("sub", (Check("system", "contains", "sub-agent"),), plan("sub", LENGTHS["sub"])),
    Lane("nonce", (), plan("nonce", LENGTHS["nonce"]), nonce="N-7"),
)


class Talk:
    """One conversation as its client keeps it."""

    def __init__(self, lane: str, number: int) -> None:
        self.lane = lane
        system = {"main": "agent", "sub": "sub-agent", "nonce": "agent"}[lane]
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": system}]
        self.number = number
        self.taken = 0
        self.matched = 0
        self.last: tuple[dict[str, Any], Play, int] | None = None

    def ask(self, *, please: bool) -> None:
        calls = self.messages[-1].get("tool_calls", [])
        if calls:
            self.messages += [{"role": "tool", "tool_call_id": c["id"], "content": "PLEASE"} for c in calls]
            return
        mark = " N-7" if self.lane == "nonce" else ""
        word = "PLEASE" if please else "go on"
        self.messages.append(
            {"role": "user", "content": f"talk {self.number}{mark}: {word} {len(self.messages)}"}
        )

    def hear(self, play: Play) -> None:
        parts = play.turn.turn.parts
        calls = [
            {"id": p.id, "type": "function", "function": {"name": p.name, "arguments": p.arguments}}
            for p in parts
            if isinstance(p, ToolCall)
        ]
        text = next(p.text for p in parts if isinstance(p, Text))
        self.messages.append(
            {"role": "assistant", "content": text} | ({"tool_calls": calls} if calls else {})
        )


class Machine(RuleBasedStateMachine):
    """Every answer is the one that the conversation has to get next."""

    def __init__(self) -> None:
        super().__init__()
        self.fates: dict[int, Fate] = {}
        script = Script(
            (*plan("main", LENGTHS["main"]), *WAITING), sides=(SIDE,), max_requests=10_000, lanes=LANES
        )
        self.responder = Responder(script, lambda number: self.fates.get(number, Fate()))
        self.talks: list[Talk] = []
        self.asked = 0

    @initialize()
    def begin(self) -> None:
        self.talks = [Talk("main", 0), Talk("sub", 1)]

    @rule(lane=st.sampled_from(["main", "sub"]))
    def another(self, lane: str) -> None:
        self.talks.append(Talk(lane, len(self.talks)))

    @precondition(lambda self: all(talk.lane != "nonce" for talk in self.talks))
    @rule()
    def one_with_a_nonce(self) -> None:
        self.talks.append(Talk("nonce", len(self.talks)))

    @rule(data=st.data(), please=st.booleans())
    def ask_on(self, data: st.DataObject, please: bool) -> None:  # noqa: FBT001
        talk = data.draw(st.sampled_from(self.talks))
        is_follow_up = bool(talk.messages[-1].get("tool_calls"))
        talk.ask(please=please)
        body = {"model": "m", "messages": list(talk.messages)}
        answer = self.answer(body)
        wants_match = talk.lane == "main" and please and not is_follow_up and talk.matched < len(WAITING)
        if wants_match:
            assert isinstance(answer, Play)
            assert answer.turn == WAITING[talk.matched]
            talk.matched += 1
        elif talk.taken < LENGTHS[talk.lane]:
            assert isinstance(answer, Play)
            assert answer.turn == plan(talk.lane, LENGTHS[talk.lane])[talk.taken]
            assert answer.lane == ("" if talk.lane == "main" else talk.lane)
            talk.taken += 1
        else:
            assert isinstance(answer, Refuse)
            del talk.messages[-1]
            return
        talk.hear(answer)
        talk.last = body, answer, self.asked

    @rule(data=st.data(), says_so=st.booleans(), count=st.integers(1, 3))
    def repeat(self, data: st.DataObject, says_so: bool, count: int) -> None:  # noqa: FBT001
        talk = data.draw(st.sampled_from(self.talks))
        if talk.last is None:
            return
        body, play, number = talk.last
        for retry in range(1, count + 1):
            if not says_so:
                self.fates[number] = Fate(failed=True)
            again = self.answer(body, retry if says_so else 0)
            number = self.asked
            assert isinstance(again, Play)
            assert (again.turn, again.reply, again.lane) == (play.turn, play.reply, play.lane)
        talk.last = body, play, number

    @rule(data=st.data(), in_system=st.booleans())
    def ask_for_a_title(self, data: st.DataObject, in_system: bool) -> None:  # noqa: FBT001
        quoted = json.dumps(data.draw(st.sampled_from(self.talks)).messages)
        title = "Generate a title"
        system = {"role": "system", "content": title if in_system else "agent"}
        user = {"role": "user", "content": quoted if in_system else f"{title}: {quoted}"}
        assert self.answer({"model": "m", "messages": [system, user]}) == Side(SIDE)

    @invariant()
    def what_is_unused_is_what_no_talk_has_taken(self) -> None:
        for name, turns in (
            ("main", plan("main", LENGTHS["main"])),
            *((lane.name, lane.turns) for lane in LANES),
        ):
            most = max((talk.taken for talk in self.talks if talk.lane == name), default=0)
            unused = [turn for turn in self.responder.unused if turn in turns]
            assert unused == list(turns[most:])

    def answer(self, body: dict[str, Any], retry: int = 0) -> Play | Side | Refuse:
        headers = {"x-stainless-retry-count": str(retry)} if retry else {}
        request: ModelRequest = by_name("openai-chat").parse_request(json.dumps(body).encode(), PATH, headers)
        self.asked += 1
        return self.responder.answer(request, self.asked)


TestNoRequestTakesATurnOfAnother = Machine.TestCase
