"""The control API under ``/__``: what it says, what it waits for, and whom it refuses."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from mock_llm.script import Script, Stream
from mock_llm.standalone import Standalone

HELD = Stream(hold_after=3, hold="three")
CHAT = "/v1/chat/completions"


@contextlib.asynccontextmanager
async def serving(script: Script, token: str = "") -> AsyncIterator[tuple[Standalone, httpx.AsyncClient]]:
    standalone = Standalone({"s": script}, token=token)
    await standalone.server.start()
    try:
        async with httpx.AsyncClient(base_url=standalone.server.base_url, trust_env=False) as client:
            yield standalone, client
    finally:
        await standalone.server.stop()


def test_the_journal_lists_every_request_in_short_and_one_in_full(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with serving(live.script("one", "two", "three")) as (_, client):
            headers = {"authorization": "Bearer sk-secret-1"}
            for text in ("a", "b"):
                await client.post(CHAT, json=asking.body(text), headers=headers)

            short = (await client.get("/__journal")).json()
            later = (await client.get("/__journal?after=1&full=1")).json()
            one = (await client.get("/__journal/1")).json()

            assert [each["number"] for each in short["exchanges"]] == [1, 2]
            assert [each["ended"] for each in short["exchanges"]] == ["complete", "complete"]
            assert "body" not in short["exchanges"][0]
            assert len(short["unused"]) == 1
            assert [each["text_sent"] for each in later["exchanges"]] == ["two"]
            assert (one["last_user_text"], one["text_sent"], one["dialect"]) == ("a", "one", "openai-chat")
            assert one["headers"]["authorization"] == "[redacted]"
            assert one["body"]["messages"] == [{"role": "user", "content": "a"}]

    live.run(test)


def test_waiting_ends_with_what_is_waited_for(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with serving(live.script("abcdef", stream=HELD)) as (_, client):
            begun = asyncio.create_task(client.get("/__wait?request=1"))
            held = asyncio.create_task(client.get("/__wait?request=1&until=held"))
            ended = asyncio.create_task(client.get("/__wait?request=1&until=ended"))
            asked = asyncio.create_task(client.post(CHAT, json=asking.body()))

            assert (await begun).json()["number"] == 1
            assert (await held).json()["held_at"] == "three"
            assert (await client.get("/__health")).json() == {"ok": True, "requests": 1, "held": {"three": 1}}
            assert not ended.done()
            released = await client.post("/__release?gate=three")

            assert released.json() == {"gate": "three", "released": 1}
            assert (await ended).json()["text_sent"] == "abcdef"
            assert (await asked).status_code == 200

    live.run(test)


def test_a_gate_may_be_released_before_the_reply_comes_to_it(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with serving(live.script("abcdef", stream=HELD)) as (_, client):
            released = await client.post("/__release?gate=three&count=1")
            asked = await client.post(CHAT, json=asking.body())

            assert released.json()["released"] == 0
            assert asked.status_code == 200

    live.run(test)


def test_waiting_in_vain_says_how_far_it_came(live: Any) -> None:
    async def test() -> None:
        async with serving(live.script("one")) as (_, client):
            response = await client.get("/__wait?request=2&until=held&timeout_s=0.01")

            assert response.status_code == 504
            assert response.json()["error"] == (
                "request 2 has not come to a gate within 0.01 s; there were 0 requests"
            )

    live.run(test)


def test_a_caller_that_gives_up_waiting_leaves_nothing_behind(live: Any) -> None:
    async def test() -> None:
        async with serving(live.script("one")) as (standalone, client):
            listeners = standalone.server.journal.listeners
            waiting = asyncio.create_task(client.get("/__wait?request=1"))
            while not listeners:  # noqa: ASYNC110 - bounded by the test's own limit
                await asyncio.sleep(0)
            waiting.cancel()
            while listeners:  # noqa: ASYNC110 - the same
                await asyncio.sleep(0)

            assert waiting.cancelled()

    live.run(test)


def test_a_reset_starts_the_script_and_the_numbers_again(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with serving(live.script("one", "two")) as (_, client):
            body = asking.body(stream=False)
            first = await client.post(CHAT, json=body)
            reset = await client.post("/__reset")
            again = await client.post(CHAT, json=body)

            assert reset.json() == {"dropped": 1}
            assert first.json()["choices"] == again.json()["choices"]
            assert [e["number"] for e in (await client.get("/__journal")).json()["exchanges"]] == [1]

    live.run(test)


def test_a_reset_shuts_the_gates_that_were_released(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with serving(live.script("abcdef", stream=HELD)) as (standalone, client):
            await client.post("/__release?gate=three")
            await client.post(CHAT, json=asking.body())
            await client.post("/__reset")
            asked = asyncio.create_task(client.post(CHAT, json=asking.body()))

            assert (await client.get("/__wait?request=1&until=held")).json()["held_at"] == "three"
            standalone.server.release("three")
            await asked

    live.run(test)


def test_it_is_no_part_of_the_journal(live: Any) -> None:
    async def test() -> None:
        async with serving(live.script("one")) as (standalone, client):
            for _ in range(3):
                await client.get("/__journal")

            assert standalone.server.journal.exchanges == []

    live.run(test)


@pytest.mark.parametrize(
    ("method", "path", "status", "message"),
    [
        ("GET", "/__nothing", 404, "no '/__nothing' here; there are GET /__health"),
        ("GET", "/__journal/7", 404, "no request 7; there were 0"),
        ("GET", "/__journal/x", 400, "'number' is a number of a request, from 1, not 'x'"),
        ("POST", "/__journal", 405, "'/__journal' wants GET, not POST"),
        ("GET", "/__release?gate=a", 405, "'/__release' wants POST, not GET"),
        ("GET", "/__reset", 405, "'/__reset' wants POST, not GET"),
        ("POST", "/__release", 400, "say which gate: POST /__release?gate=NAME"),
        ("GET", "/__wait", 400, "'request' is a number of a request, from 1, not ''"),
        ("GET", "/__wait?request=1&until=over", 400, "'until' is one of begun, held, ended, not 'over'"),
        (
            "GET",
            "/__wait?request=1&timeout_s=soon",
            400,
            "'timeout_s' is a time from 0 to 3600 s, not 'soon'",
        ),
        ("GET", "/__wait?request=1&timeout_s=nan", 400, "'timeout_s' is a time from 0 to 3600 s, not 'nan'"),
    ],
)
def test_what_cannot_be_done_is_said(live: Any, method: str, path: str, status: int, message: str) -> None:
    async def test() -> None:
        async with serving(live.script("one")) as (_, client):
            response = await client.request(method, path)

            assert response.status_code == status
            assert response.json()["error"].startswith(message)

    live.run(test)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "localhost:80"}, 200),
        ({"host": "127.0.0.1"}, 200),
        ({"host": "[::1]:8080"}, 200),
        ({"host": "evil.example"}, 403),
        ({"host": "localhost.evil.example"}, 403),
        ({"origin": "http://localhost:3000"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_only_this_machine_may_ask(live: Any, headers: dict[str, str], status: int) -> None:
    async def test() -> None:
        async with serving(live.script("one")) as (_, client):
            assert (await client.get("/__journal", headers=headers)).status_code == status
            assert (await client.post("/__reset", headers=headers)).status_code == status

    live.run(test)


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/__health", {}, 401),
        ("/__health", {"authorization": "Bearer wrong"}, 401),
        ("/__health", {"authorization": "Bearer token-1"}, 200),
        ("/__health", {"x-api-key": "token-1"}, 200),
        ("/__health?key=token-1", {}, 200),
        ("/__health?key=wrong", {}, 401),
    ],
)
def test_with_a_token_only_those_that_carry_it_may_ask(
    live: Any, path: str, headers: dict[str, str], status: int
) -> None:
    async def test() -> None:
        async with serving(live.script("one"), token="token-1") as (_, client):
            response = await client.get(path, headers=headers)
            asked = await client.get(path.replace("/__health", "/v1/models"), headers=headers)

            assert (response.status_code, asked.status_code) == (status, status)
            assert "token-1" not in response.text
            assert "wrong" not in response.text

    live.run(test)
