"""Clients that hang up, stall or read slowly: what the server notices and what it counts."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from typing import Any

from mock_llm.script import Stream

HOUR_MS = 3_600_000.0
TEXT = "The parser reads the header first. " * 20


def test_a_hang_up_during_a_wait_is_noticed_at_once(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("never", stream=Stream(first_after_ms=HOUR_MS))) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(live.post(asking.body()))
            await reader.readuntil(b'"role":"assistant"')

            waiting = asyncio.create_task(live.heard(server))
            await asyncio.sleep(0)
            writer.close()

            exchange = await waiting
            assert (exchange.ended, exchange.chars_sent, exchange.text_sent) == ("client-hung-up", 0, "")

    live.run(test)


def test_the_count_of_a_paced_stream_is_exact_to_the_delta(live: Any, asking: Any) -> None:
    async def test() -> None:
        stream = Stream(chars_per_delta=10, every_ms=1)
        async with live.serving(live.script(TEXT * 100, stream=stream)) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(live.post(asking.body()))
            waiting = asyncio.create_task(live.heard(server))
            counts: list[int] = []
            server.journal.listeners.append(lambda e: counts.append(e.exchange.chars_sent))
            await reader.readuntil(b" header fi")
            seen = counts[-1]
            writer.transport.abort()

            exchange = await waiting
            assert exchange.ended == "client-hung-up"
            assert exchange.exact
            assert seen <= exchange.chars_sent <= seen + 20
            assert exchange.chars_sent == len(exchange.text_sent) == 10 * len(exchange.sent)
            assert (TEXT * 100).startswith(exchange.text_sent)
            assert exchange.chars_total == len(TEXT) * 100

    live.run(test)


def test_nothing_is_counted_before_its_deadline(live: Any, asking: Any) -> None:
    async def test() -> None:
        stream = Stream(chars_per_delta=7, every_ms=HOUR_MS)
        async with live.serving(live.script(TEXT, stream=stream)) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(live.post(asking.body()))
            await reader.readuntil(b'"The par"')
            waiting = asyncio.create_task(live.heard(server))
            await asyncio.sleep(0)
            writer.close()

            assert (await waiting).text_sent == "The par"

    live.run(test)


def test_a_client_that_closes_its_side_has_hung_up_even_if_it_reads(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("never", stream=Stream(first_after_ms=HOUR_MS))) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(live.post(asking.body()))
            await reader.readuntil(b'"role":"assistant"')
            waiting = asyncio.create_task(live.heard(server))
            await asyncio.sleep(0)
            writer.write_eof()

            assert (await waiting).ended == "client-hung-up"
            await reader.read()
            writer.close()

    live.run(test)


def test_a_reset_is_a_hang_up(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("never", stream=Stream(first_after_ms=HOUR_MS))) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(live.post(asking.body()))
            await reader.readuntil(b'"role":"assistant"')
            waiting = asyncio.create_task(live.heard(server))
            await asyncio.sleep(0)
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            writer.transport.abort()

            assert (await waiting).ended == "client-hung-up"

    live.run(test)


def test_a_runaway_reply_goes_on_until_the_client_hangs_up(live: Any, asking: Any) -> None:
    async def test() -> None:
        stream = Stream(chars_per_delta=10, until_hang_up=True, cap_chars=10**9)
        async with live.serving(live.script("round and round ", stream=stream)) as (server, client):
            waiting = asyncio.create_task(live.heard(server))
            async with client.stream("POST", "/v1/messages", json=asking.body()) as response:
                read = 0
                async for line in response.aiter_lines():
                    read += "delta" in line
                    if read > 200:
                        break

            exchange = await waiting
            assert exchange.ended == "client-hung-up"
            assert exchange.chars_sent > 600
            assert ("round and round " * 10**5).startswith(exchange.text_sent)

    live.run(test)


def test_a_runaway_reply_ends_properly_at_its_cap(live: Any, asking: Any) -> None:
    async def test() -> None:
        stream = Stream(chars_per_delta=10, until_hang_up=True, cap_chars=95)
        async with live.serving(live.script("round and round ", stream=stream)) as (server, client):
            response = await client.post("/v1/chat/completions", json=asking.body())

            exchange = server.journal.exchanges[0]
            assert '"finish_reason":"length"' in response.text
            assert response.text.endswith("data: [DONE]\n\n")
            assert (exchange.ended, exchange.chars_sent, exchange.chars_total) == ("cap", 95, 95)

    live.run(test)


def test_a_client_that_does_not_read_stops_the_reply_and_costs_no_memory(live: Any, asking: Any) -> None:
    async def test() -> None:
        stream = Stream(chars_per_delta=10, until_hang_up=True, cap_chars=10**12)
        async with live.serving(live.script("round and round ", stream=stream)) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(live.post(asking.body()))
            await reader.readuntil(b"round")
            writer.transport.pause_reading()
            exchange = server.journal.exchanges[0]
            turns_without_progress = 0
            while turns_without_progress < 300:
                before = exchange.chars_sent
                await asyncio.sleep(0)
                turns_without_progress = turns_without_progress + 1 if exchange.chars_sent == before else 0

            connection = next(iter(server.connections))
            assert connection._player.drained is not None
            assert connection._transport.get_write_buffer_size() < 8 * 1024
            assert exchange.chars_sent < 10**7
            writer.transport.abort()

    live.run(test)


def test_a_slow_reader_gets_every_byte_of_a_long_reply(live: Any, asking: Any) -> None:
    async def test() -> None:
        long = TEXT * 2000
        async with live.serving(live.script(long, stream=Stream(chars_per_delta=100))) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(live.post(asking.body(), version="1.0"))
            chunks = []
            while chunk := await reader.read(5000):
                chunks.append(chunk)
            writer.close()

            body = b"".join(chunks).partition(b"\r\n\r\n")[2].decode()
            lines = [json.loads(line[6:]) for line in body.split("\n\n")[:-2]]
            deltas = (line["choices"][0]["delta"].get("content", "") for line in lines)
            assert "".join(deltas) == long
            assert server.journal.exchanges[0].ended == "complete"

    live.run(test)
