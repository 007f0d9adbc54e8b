"""Replies and refusals over real sockets, and what the journal says of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mock_llm.dialects import NAMES
from mock_llm.script import SideRequest, Stream
from mock_llm.turn import Text, Turn

HOUR_MS = 3_600_000.0
TEXT = "The parser reads the header first. " * 20


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", ["streamed", "whole"])
def test_a_reply_arrives_whole_and_the_journal_has_it(live: Any, asking: Any, name: str, mode: str) -> None:
    stream = mode == "streamed"

    async def test() -> None:
        async with live.serving(live.script(TEXT, stream=Stream(chars_per_delta=10))) as (server, client):
            response = await client.post(**asking.ask(name, stream=stream))

            exchange = server.journal.exchanges[0]
            assert response.status_code == 200
            assert response.headers["content-type"].startswith(
                "text/event-stream" if stream else "application/json"
            )
            assert (exchange.lane, exchange.reply, exchange.ended) == ("main", 1, "complete")
            assert exchange.text_sent == TEXT
            assert (exchange.chars_sent, exchange.chars_total, exchange.exact) == (
                len(TEXT),
                len(TEXT),
                False,
            )
            assert exchange.request is not None
            assert exchange.request.dialect == name
            assert server.journal.main == [exchange]
            assert server.journal.problems == []

    live.run(test)


def test_events_are_told_in_order_as_they_happen(live: Any, asking: Any) -> None:
    async def test() -> None:
        stream = Stream(deltas=3, every_ms=0.1)
        async with live.serving(live.script("abcdef", stream=stream)) as (server, client):
            told: list[tuple[str, Any]] = []
            server.journal.listeners.append(lambda e: told.append((e.kind, e.data.get("text"))))

            await client.post("/v1/chat/completions", json=asking.body())

            assert told == [
                ("request", None),
                ("delta", "ab"),
                ("delta", "cd"),
                ("delta", "ef"),
                ("ended", None),
            ]

    live.run(test)


def test_times_come_from_the_clock_that_was_given(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("x"), clock=lambda: 42.0) as (server, client):
            await client.post("/v1/messages", json=asking.body())

            assert (server.journal.exchanges[0].started_s, server.journal.exchanges[0].ended_s) == (
                42.0,
                42.0,
            )

    live.run(test)


def test_an_unexpected_request_gets_an_error_and_is_a_problem(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one", lane="N-42")) as (server, client):
            response = await client.post("/v1/messages", json=asking.body("who is it?"))

            exchange = server.journal.problems[0]
            assert response.status_code == 400
            assert response.json()["error"]["type"] == "invalid_request_error"
            assert response.json()["error"]["message"] == exchange.problem
            assert "wants a user message that contains 'N-42'" in exchange.problem
            assert (exchange.lane, exchange.ended, exchange.reply) == ("none", "refused", None)

    live.run(test)


def test_an_exhausted_script_is_an_error_in_the_clients_own_shape(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (server, client):
            statuses = [
                (await client.post("/v1/chat/completions", json=asking.body(str(n)))).status_code
                for n in range(3)
            ]

            assert statuses == [200, 400, 400]
            assert [e.number for e in server.journal.problems] == [2, 3]
            assert "no turn left" in server.journal.problems[0].problem

    live.run(test)


def test_the_cap_of_requests_holds(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script(*"abcd", max_requests=2)) as (server, client):
            for _ in range(3):
                await client.post("/v1/messages", json=asking.body())

            assert [e.number for e in server.journal.problems] == [3]
            assert "over the cap of 2 requests" in server.journal.problems[0].problem

    live.run(test)


def test_the_clients_own_retry_gets_the_same_turn_and_counts_once(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one", "two")) as (server, client):
            body = asking.body("a", stream=False)
            await client.post("/v1/chat/completions", json=body)
            again = await client.post(
                "/v1/chat/completions", json=body, headers={"x-stainless-retry-count": "1"}
            )
            await client.post("/v1/chat/completions", json=asking.body("b"))

            assert again.json()["choices"][0]["message"]["content"] == "one"
            assert [e.number for e in server.journal.main] == [2, 3]
            assert [e.reply for e in server.journal.main] == [1, 2]

    live.run(test)


def test_a_side_request_is_answered_and_counted_apart(live: Any, asking: Any) -> None:
    async def test() -> None:
        side = SideRequest("title", "Generate a title", Turn((Text("Greeting"),)))
        async with live.serving(live.script("one", sides=(side,))) as (server, client):
            title = await client.post("/v1/messages", json=asking.body("Generate a title", stream=False))
            await client.post("/v1/messages", json=asking.body("hello"))

            assert title.json()["content"][0]["text"] == "Greeting"
            assert [e.lane for e in server.journal.exchanges] == ["side", "main"]
            assert [e.text_sent for e in server.journal.main] == ["one"]

    live.run(test)


def test_concurrent_requests_each_get_a_turn_of_their_own(live: Any, asking: Any) -> None:
    async def test() -> None:
        texts = [f"answer {n}" for n in range(30)]
        async with live.serving(live.script(*texts, stream=Stream(deltas=5, every_ms=0.5))) as (
            server,
            client,
        ):
            bodies = [asking.body(str(n)) for n in range(30)]
            await asyncio.gather(*(client.post("/v1/chat/completions", json=body) for body in bodies))

            assert [e.number for e in server.journal.exchanges] == list(range(1, 31))
            assert [e.text_sent for e in server.journal.main] == texts
            assert {e.ended for e in server.journal.exchanges} == {"complete"}

    live.run(test)


def test_a_body_that_is_not_json_is_refused_and_a_problem(live: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (server, client):
            response = await client.post("/v1/chat/completions", content=b"hello")

            assert response.status_code == 400
            assert "'hello'" in response.json()["error"]["message"]
            assert server.journal.problems[0].request is None
            assert server.router.responder.unused

    live.run(test)
