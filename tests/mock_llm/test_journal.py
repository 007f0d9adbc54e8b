"""The journal: what is counted, in which order, and what is kept of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from mock_llm import journal as journal_module
from mock_llm import spilling
from mock_llm.journal import KEPT_ASIDE, KEPT_REFUSED, Exchange, Journal, JournalEvent
from mock_llm.journal_json import exchange_summary
from mock_llm.script import Stream

HOUR_MS = 3_600_000.0
TEXT = "abcdefghij" * 5


def test_requests_that_are_refused_do_not_grow_the_journal_without_bound(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (server, client):
            for _ in range(KEPT_REFUSED + 30):
                assert (await client.post("/v1/nothing", json={})).status_code == 404
            await client.post("/v1/messages", json=asking.body())

            numbers = [exchange.number for exchange in server.journal.exchanges]
            assert numbers == [*range(1, KEPT_REFUSED + 1), KEPT_REFUSED + 31]
            assert server.journal.dropped == 30
            assert server.journal.main[0].text_sent == "one"

    live.run(test)


def test_what_is_asked_beside_the_script_does_not_grow_the_journal_without_bound(
    live: Any, asking: Any
) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (server, client):
            for _ in range(KEPT_ASIDE + 30):
                assert (await client.get("/v1/models")).status_code == 200
            await client.post("/v1/chat/completions", json=asking.body())

            numbers = [exchange.number for exchange in server.journal.exchanges]
            assert numbers == [*range(1, KEPT_ASIDE + 1), KEPT_ASIDE + 31]
            assert server.journal.dropped == 30
            assert server.journal.main[0].text_sent == "one"

    live.run(test)


def test_a_dropped_request_is_still_heard_of() -> None:
    journal, heard = Journal(), list[JournalEvent]()
    journal.listeners.append(heard.append)
    for _ in range(KEPT_REFUSED + 2):
        exchange = journal.begin("POST", "/", {}, 0)
        exchange.problem = "no"
        journal.asked(exchange, 0)
        journal.end(exchange, "refused", 0)

    assert heard[-1].exchange.number == KEPT_REFUSED + 2
    assert len(journal.exchanges) == KEPT_REFUSED
    journal.clear()
    assert (journal.exchanges, journal.dropped) == ([], 0)
    assert journal.begin("POST", "/", {}, 0).number == 1


def test_of_a_long_reply_the_beginning_is_kept_and_all_of_it_is_in_a_file(
    live: Any, asking: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (journal_module, spilling):
        monkeypatch.setattr(module, "KEPT_CHARS", 33)

    async def test() -> None:
        stream = Stream(chars_per_delta=10, every_ms=0.01)
        async with live.serving(live.script(TEXT, stream=stream), spill=tmp_path) as (server, client):
            await client.post("/v1/messages", json=asking.body())

            exchange = await server.wait_for_end(1, 5)
            assert (exchange.text_sent, exchange.chars_sent) == (TEXT[:33], 50)
            assert exchange_summary(exchange)["reply_file"] == str(tmp_path / "reply-1.txt")

    live.run(test)
    assert (tmp_path / "reply-1.txt").read_text() == TEXT


def test_a_large_body_is_in_a_file_without_the_key(
    live: Any, asking: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spilling, "KEPT_BODY_BYTES", 500)

    async def test() -> None:
        async with live.serving(live.script("one", "two"), spill=tmp_path) as (server, client):
            key = {"x-api-key": "sk-secret-42"}
            await client.post("/v1/messages", json=asking.body("small"), headers=key)
            await client.post("/v1/messages", json=asking.body("sk-secret-42 " * 60), headers=key)

            small, large = server.journal.exchanges
            assert (small.body_file, small.request.body["stream"]) == ("", True)
            assert (large.request.body, large.request.last_user_text) == ({}, "sk-secret-42 " * 60)
            assert large.body_file == str(tmp_path / "request-2.json")

    live.run(test)
    written = (tmp_path / "request-2.json").read_text()
    assert "sk-secret-42" not in written
    assert written.count("[redacted]") == 60


def test_each_stage_of_a_paced_reply_is_counted_and_the_client_has_what_was_sent(
    live: Any, asking: Any, dialect_name: str
) -> None:
    async def test() -> None:
        stream = Stream(chars_per_delta=10, every_ms=HOUR_MS)
        async with live.serving(live.script(TEXT, stream=stream)) as (server, client):
            async with client.stream("POST", **asking.ask(dialect_name)) as response:
                read = ""
                async for line in response.aiter_lines():
                    read += line
                    if "abcdefghij" in read:
                        break
            exchange = await server.wait_for_end(1, 5)

            assert exchange.exact
            assert (exchange.chars_sent, exchange.received_at_least, exchange.chars_total) == (10, 10, 50)
            assert exchange.chars_sent <= exchange.chars_encoded <= exchange.chars_generated <= 20
            assert exchange.ended == "client-hung-up"

    live.run(test)


def test_an_unpaced_reply_that_nobody_reads_has_bounds_only(live: Any, asking: Any) -> None:
    async def test() -> None:
        stream = Stream(chars_per_delta=10, until_hang_up=True, cap_chars=10**9)
        async with live.serving(live.script("round and round ", stream=stream)) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(live.post(asking.body()))
            got = await reader.readuntil(b"round and ")
            while got.count(b"round") < 100:
                got += await reader.read(1000)
            writer.transport.abort()
            exchange = await server.wait_for_end(1, 5)

            assert not exchange.exact
            assert exchange.received_at_least <= exchange.chars_sent <= exchange.chars_generated
            assert exchange.chars_sent > 500

    live.run(test)


def test_concurrent_requests_are_ordered_on_one_clock(live: Any, asking: Any) -> None:
    async def test() -> None:
        stream = Stream(chars_per_delta=1, every_ms=0.2)
        texts = ["abcdef"] * 20
        async with live.serving(live.script(*texts, stream=stream)) as (server, client):
            heard: list[tuple[float, int]] = []
            server.journal.listeners.append(lambda e: heard.append((e.at_s, e.exchange.number)))
            posts = (client.post("/v1/messages", json=asking.body(str(n))) for n in range(20))
            await asyncio.gather(*posts)

            times = [at_s for at_s, _ in heard]
            assert times == sorted(times)
            assert [e.number for e in server.journal.exchanges] == list(range(1, 21))
            begun = [e.started_s for e in server.journal.exchanges]
            assert begun == sorted(begun)
            # They really ran at the same time: the first had not ended when the last began.
            ends = [e.ended_s for e in server.journal.exchanges]
            assert min(filter(None, ends)) > begun[-1]

    live.run(test)


def test_only_the_first_ending_counts() -> None:
    journal = Journal()
    exchange: Exchange = journal.begin("POST", "/", {}, 1.0)
    journal.end(exchange, "complete", 2.0)
    journal.end(exchange, "client-hung-up", 3.0)

    assert (exchange.ended, exchange.ended_s) == ("complete", 2.0)
