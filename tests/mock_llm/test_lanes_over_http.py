"""Lanes, repetitions and invariants on real sockets: what the journal says of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mock_llm.faults import Fault
from mock_llm.filling import fill_script
from mock_llm.script import Script, ScriptTurn, Stream
from mock_llm.script_yaml import parse_script
from mock_llm.turn import Text, Turn

CHAT = "/v1/chat/completions"


def script_of(yaml: str) -> Script:
    script = parse_script(yaml, "s.yaml")
    return fill_script(script, {"nonce": script.lane})


def messages(*texts: str) -> list[dict[str, str]]:
    return [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]


def said(response: Any) -> str:
    return str(response.json()["choices"][0]["message"]["content"])


def test_a_broken_reply_is_repeated_without_any_header_and_eats_no_turn(live: Any, asking: Any) -> None:
    async def test() -> None:
        stream = Stream(fault=Fault("reset", at=2, attempts=2))
        turns = (ScriptTurn(Turn((Text("one"),)), stream), ScriptTurn(Turn((Text("two"),))))
        async with live.serving(Script(turns)) as (server, client):
            ended = []
            for _ in range(3):
                try:
                    response = await client.post(CHAT, json=asking.body("a"))
                    ended.append(response.text.count("[DONE]"))
                except Exception as error:  # noqa: BLE001  whatever the client makes of a reset
                    ended.append(type(error).__name__)
            follow = asking.body(messages=messages("a", "one", "b"))
            await client.post(CHAT, json=follow)
            told = [(e.reply, e.attempt, e.fault, e.ended) for e in server.journal.exchanges]
        assert ended[2] == 1
        assert told == [
            (1, 1, "reset", "fault"),
            (1, 2, "reset", "fault"),
            (1, 3, "", "complete"),
            (2, 1, "", "complete"),
        ]

    live.run(test)


def test_a_client_that_gave_up_before_the_first_character_gets_the_same_turn(live: Any, asking: Any) -> None:
    async def test() -> None:
        turns = (ScriptTurn(Turn((Text("one"),)), Stream(hold="gate")), ScriptTurn(Turn((Text("two"),))))
        async with live.serving(Script(turns)) as (server, client):
            _, writer = await live.dial(server)
            writer.write(live.post(asking.body("a", stream=False)))
            await server.wait_for_hold(1)
            ended = asyncio.ensure_future(live.heard(server))
            await asyncio.sleep(0)
            writer.transport.abort()
            assert (await ended).ended == "client-hung-up"
            again = asyncio.ensure_future(client.post(CHAT, json=asking.body("a", stream=False)))
            await server.wait_for_hold(2)
            server.release("gate")
            assert (await again).status_code == 200
            assert [(e.reply, e.attempt) for e in server.journal.exchanges] == [(1, 1), (1, 2)]
            assert server.router.responder.unused == turns[1:]

    live.run(test)


def test_a_client_that_hung_up_in_the_middle_gets_the_next_turn(live: Any, asking: Any) -> None:
    async def test() -> None:
        stream = Stream(chars_per_delta=1, hold="gate", hold_after=2)
        turns = (ScriptTurn(Turn((Text("one"),)), stream), ScriptTurn(Turn((Text("two"),))))
        async with live.serving(Script(turns)) as (server, client):
            _, writer = await live.dial(server)
            writer.write(live.post(asking.body("a")))
            await server.wait_for_hold(1)
            ended = asyncio.ensure_future(live.heard(server))
            await asyncio.sleep(0)
            writer.transport.abort()
            await ended
            again = await client.post(CHAT, json=asking.body("a", stream=False))
            assert said(again) == "two"

    live.run(test)


LANES = """
lane: N-1
lanes:
  title:
    match: {header: {X-Kind: title}}
    model: [{say: A title, stream: {hold_after: 1}}]
model:
  - say: one
  - say: two
invariants: [max_messages: 1]
"""


def test_a_request_of_another_lane_beside_an_open_one_takes_no_turn(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(script_of(LANES)) as (server, client):
            body = asking.body("N-1", stream=False)
            title = asyncio.ensure_future(client.post(CHAT, json=body, headers={"x-kind": "title"}))
            await server.wait_for_hold(1)
            first = await client.post(CHAT, json=body)
            second = await client.post(
                CHAT, json=asking.body(messages=messages("N-1", "one", "go"), stream=False)
            )
            assert server.release("title-1") == 1
            assert [said(first), said(second), said(await title)] == ["one", "two", "A title"]
            told = [(e.lane, e.of_lane, e.reply, e.conversation) for e in server.journal.exchanges]
            assert told == [("side", "title", None, 1), ("main", "", 1, 2), ("main", "", 2, 2)]
            assert server.router.responder.unused == ()

    live.run(test)


def test_a_breach_is_answered_and_is_a_problem_of_the_run(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(script_of(LANES)) as (server, client):
            answer = await client.post(
                CHAT, json=asking.body(messages=messages("N-1", "so", "go"), stream=False)
            )
            assert said(answer) == "one"
            [broken] = server.journal.problems
            assert (broken.problem, broken.ended) == ("", "complete")
            assert broken.complaint == (
                "request 1 breaks the invariant 'max_messages' (s.yaml:10)\n"
                "  POST /v1/chat/completions, 3 messages, last user text 'go'\n"
                "  it has 3 messages, more than 1"
            )

    live.run(test)


@pytest.mark.parametrize(("word", "text"), [("repeat-last", "one"), ("stop", ""), ("{say: over}", "over")])
def test_what_answers_at_the_end_is_noted(live: Any, asking: Any, word: str, text: str) -> None:
    async def test() -> None:
        script = script_of(f"model: [say: one]\nconversations: one\nwhen_exhausted: {word}\n")
        async with live.serving(script) as (server, client):
            answers = [await client.post(CHAT, json=asking.body(ask, stream=False)) for ask in "abc"]
            assert [said(answer) or "" for answer in answers] == ["one", text, text]
            assert ["no turn was left" in e.note for e in server.journal.exchanges] == [False, True, True]
            assert server.journal.problems == []

    live.run(test)


def test_a_pattern_that_runs_away_on_a_request_refuses_it_and_says_where_it_is_written(
    live: Any, asking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mock_llm.patterns.LIMIT_S", 0.02)
    script = parse_script("model:\n  - when: {last_user: {matches: '^(a|a)*$'}}\n    say: one\n", "s.yaml")

    async def test() -> None:
        async with live.serving(script) as (server, client):
            response = await client.post(CHAT, json=asking.body("a" * 40 + "b"))
            (problem,) = [each.problem for each in server.journal.problems]
        assert response.status_code == 400
        assert problem.startswith(
            "request 1 cannot be told from others\n"
            "  s.yaml:2:33: the regular expression /^(a|a)*$/ had no result after 0.02 s of work on 41 char"
        )

    live.run(test)
