"""Gates: a reply waits where it is told to, and tests wait for it without sleeping."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mock_llm.gates import Gates
from mock_llm.script import Stream

TEXT = "abcdefghij" * 5


def test_a_reply_stops_after_exactly_so_many_characters(live: Any, asking: Any, dialect_name: str) -> None:
    async def test() -> None:
        stream = Stream(chars_per_delta=10, hold_after=23)
        async with live.serving(live.script(TEXT, stream=stream)) as (server, client):
            told: list[tuple[str, Any]] = []
            server.journal.listeners.append(
                lambda e: told.append((e.kind, e.data.get("gate"))) if e.kind != "delta" else None
            )
            asked = asyncio.create_task(client.post(**asking.ask(dialect_name)))
            held = await server.wait_for_hold(1, 5)
            assert (held.held_at, held.chars_sent, held.text_sent) == ("reply-1", 23, TEXT[:23])
            assert server.gates.held == {"reply-1": 1}

            assert server.release("reply-1") == 1

            assert "hij" in (await asked).text
            ended = await server.wait_for_end(1, 5)
            assert (ended.held_at, ended.ended, ended.text_sent) == ("", "complete", TEXT)
            gate = "reply-1"
            assert told == [("request", None), ("held", gate), ("released", gate), ("ended", None)]

    live.run(test)


def test_a_gate_before_the_first_character_leaves_the_reply_open(
    live: Any, asking: Any, dialect_name: str
) -> None:
    async def test() -> None:
        stream = Stream(chars_per_delta=10, hold="here")
        async with live.serving(live.script(TEXT, stream=stream)) as (server, _):
            reader, writer = await live.dial(server)
            post = asking.ask(dialect_name)
            body = str(post["json"]).replace("'", '"').replace("True", "true").encode()
            head = f"POST {post['url']} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
            assert (await server.wait_for_hold(1, 5)).chars_sent == 0
            server.release("here")

            assert TEXT[:10].encode() in await reader.readuntil(b"\r\n0\r\n\r\n")

    live.run(test)


def test_a_whole_reply_is_held_whole(live: Any, asking: Any, dialect_name: str) -> None:
    async def test() -> None:
        async with live.serving(live.script(TEXT, stream=Stream(hold="g"))) as (server, client):
            asked = asyncio.create_task(client.post(**asking.ask(dialect_name, stream=False)))
            await server.wait_for_hold(1, 5)
            assert not asked.done()
            server.release("g")

            assert TEXT in (await asked).text

    live.run(test)


def test_a_hang_up_at_a_gate_is_noticed_and_leaves_the_queue(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one", "two", stream=Stream(hold="g"))) as (server, client):
            _, writer = await live.dial(server)
            writer.write(live.post(asking.body("a")))
            await server.wait_for_hold(1, 5)
            writer.transport.abort()
            assert (await server.wait_for_end(1, 5)).ended == "client-hung-up"
            assert server.gates.held == {}

            asked = asyncio.create_task(client.post("/v1/chat/completions", json=asking.body("b")))
            await server.wait_for_hold(2, 5)
            assert server.release("g", 1) == 1
            assert "two" in (await asked).text

    live.run(test)


def test_the_time_at_a_gate_does_not_count_for_the_pace(live: Any, asking: Any) -> None:
    async def test() -> None:
        stream = Stream(chars_per_delta=10, every_ms=40, hold_after=20)
        async with live.serving(live.script(TEXT, stream=stream)) as (server, client):
            times: list[float] = []
            loop = asyncio.get_running_loop()
            server.journal.listeners.append(
                lambda e: times.append(loop.time()) if e.kind in ("delta", "released") else None
            )
            asked = asyncio.create_task(client.post("/v1/chat/completions", json=asking.body()))
            held = await server.wait_for_hold(1, 5)
            # An hour at the gate, as the clock of the reply sees it, would make every later delta due at once.
            while loop.time() - times[-1] < 0.1:  # noqa: ASYNC110 - it is time itself that has to pass
                await asyncio.sleep(0)
            server.release(held.held_at)
            await asked

            first, second, released, *after = times
            assert second - first > 0.03
            assert len(after) == 3
            assert after[-1] - released > 0.07

    live.run(test)


def test_waiting_for_a_request_that_does_not_come_ends_in_time(live: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (server, _):
            with pytest.raises(TimeoutError):
                await server.wait_for_request(1, 0.01)
            assert server.journal.listeners == []

    live.run(test)


def test_a_request_is_there_as_soon_as_its_answer_is_chosen(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one", "two", stream=Stream(hold="g"))) as (server, client):
            second = asyncio.create_task(server.wait_for_request(2, 5))
            posts = [
                asyncio.create_task(client.post("/v1/messages", json=asking.body(text)))
                for text in ("a", "b")
            ]
            found = await second
            assert (found.number, found.reply, found.ended) == (2, 2, "open")
            assert await server.wait_for_request(1, 5) is server.journal.exchanges[0]
            server.release("g")
            await asyncio.gather(*posts)

    live.run(test)


def test_an_impossible_gate_is_refused_with_both_numbers(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("short", stream=Stream(hold_after=6))) as (server, client):
            answer = await client.post("/v1/messages", json=asking.body())

            assert answer.status_code == 400
            assert "is at 6 characters, and the reply has 5" in server.journal.problems[0].problem

    live.run(test)


def gates(test: Any) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(5):
            await test(Gates())

    asyncio.run(bounded())


async def waiting(found: Gates, name: str, count: int) -> list[asyncio.Task[None]]:
    tasks = [asyncio.create_task(found.wait(name)) for _ in range(count)]
    while found.held.get(name, 0) < count:  # noqa: ASYNC110 - the tasks only have to begin
        await asyncio.sleep(0)
    return tasks


def test_a_release_goes_to_the_longest_waiting_and_what_is_left_is_kept() -> None:
    async def test(found: Gates) -> None:
        first, second = await waiting(found, "g", 2)
        assert found.release("g", 1) == 1
        await first
        assert not second.done()

        assert found.release("g", 3) == 1
        await second
        assert [found.lets_through("g") for _ in range(3)] == [True, True, False]

    gates(test)


def test_an_open_gate_lets_everyone_through_until_it_is_shut() -> None:
    async def test(found: Gates) -> None:
        assert found.release("g") == 0
        assert [found.lets_through("g") for _ in range(5)] == [True] * 5
        found.shut("g")
        assert not found.lets_through("g")
        assert not found.lets_through("other")

    gates(test)


def test_a_reply_that_gives_up_takes_no_release_with_it() -> None:
    async def test(found: Gates) -> None:
        first, second = await waiting(found, "g", 2)
        first.cancel()
        assert found.held == {"g": 1}
        assert found.release("g", 1) == 1
        await asyncio.wait((first,))
        await second
        assert found.held == {}

    gates(test)


def test_a_pass_of_a_client_that_hangs_up_in_the_same_moment_is_another_s(live: Any) -> None:
    async def test() -> None:
        gates = Gates()
        first, second = (asyncio.create_task(gates.wait("gate")) for _ in range(2))
        await asyncio.sleep(0)

        assert gates.release("gate", 1) == 1
        first.cancel()

        await second
        assert first.cancelled()
        assert gates.held == {}
        assert not gates.lets_through("gate")

    live.run(test)


def test_a_gate_that_was_opened_gives_no_pass_back(live: Any) -> None:
    async def test() -> None:
        gates = Gates()
        waiting = asyncio.create_task(gates.wait("gate"))
        await asyncio.sleep(0)
        gates.release("gate")
        waiting.cancel()
        await asyncio.wait((waiting,))
        gates.shut("gate")

        assert not gates.lets_through("gate")

    live.run(test)
