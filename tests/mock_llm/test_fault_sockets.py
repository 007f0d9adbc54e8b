"""Every fault at the socket, in every dialect: what a client reads, how it ends, what the journal says."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any, NamedTuple

import pytest

from mock_llm.faults import KINDS, Fault
from mock_llm.journal import Exchange
from mock_llm.script import Script, ScriptTurn, Stream
from mock_llm.turn import Text, Turn

TEXT = "abcdefghij" * 5
CUT = 23  # within a delta
STREAM = Stream(chars_per_delta=10)
ENDS = {
    "openai-chat": "[DONE]",
    "openai-responses": "response.completed",
    "anthropic-messages": "message_stop",
    "gemini": '"finishReason"',
}
BREAKS = ("reset", "close", "early-end", "half-event", "no-blank-line", "error-event")
LASTS = ("duplicate-event", "unknown-event", "oversized-event", "trickle")
LINES = ("bom", "crlf", "comments", "ids", "retry-lines", "no-space")


class Heard(NamedTuple):
    """What a client got: the head, the body without its chunks, whether the body and the connection ended."""

    head: str
    body: bytes
    is_whole: bool
    ending: str

    def said(self, name: str) -> str:
        return "".join(said(name, line) for line in self.body.decode("utf-8-sig").splitlines())


def said(name: str, line: str) -> str:
    """The content that a line of a stream carries; nothing for a line that is no JSON."""
    if not line.startswith("data:"):
        return ""
    try:
        event = json.loads(line[5:])
    except ValueError:
        return ""
    if name == "openai-chat":
        return str(event.get("choices", [{}])[0].get("delta", {}).get("content") or "")
    if name == "openai-responses":
        return str(event["delta"]) if event["type"] == "response.output_text.delta" else ""
    if name == "anthropic-messages":
        return str(event["delta"].get("text", "")) if event["type"] == "content_block_delta" else ""
    parts = event.get("candidates", [{}])[0].get("content", {}).get("parts", [])
    return "".join(part["text"] for part in parts)


def asked(asking: Any, name: str, *, stream: bool = True) -> bytes:
    post = asking.ask(name, stream=stream)
    body = json.dumps(post["json"]).encode()
    return f"POST {post['url']} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


def unframed(rest: bytes) -> tuple[bytes, bool]:
    body = b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size, 16)
        if not length:
            return body, True
        body, rest = body + rest[:length], rest[length + 2 :]
    return body, False


async def heard(reader: asyncio.StreamReader) -> Heard:
    """Read to the end of the body or of the connection, whichever comes first."""
    came, ending = b"", "open"
    try:
        while not came.endswith(b"\r\n0\r\n\r\n"):
            data = await reader.read(2**16)
            if not data:
                ending = "closed"
                break
            came += data
    except ConnectionResetError:
        ending = "reset"
    head, _, rest = came.partition(b"\r\n\r\n")
    return Heard(head.decode(), *unframed(rest), ending)


def play(fault: Fault, text: str = TEXT) -> Script:
    turn = ScriptTurn(Turn((Text(text),)), Stream(chars_per_delta=10, fault=fault))
    return Script((turn, ScriptTurn(Turn((Text("again"),)))), conversations="one")


def one(live: Any, asking: Any, name: str, fault: Fault, text: str = TEXT) -> tuple[Heard, Exchange]:
    """What a client hears of a reply with the fault, and the exchange when it has ended."""
    found: list[Any] = []

    async def test() -> None:
        async with live.serving(play(fault, text)) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(asked(asking, name))
            found.append(await heard(reader))
            found.append(await server.wait_for_end(1, 5))

    live.run(test)
    return found[0], found[1]


@pytest.mark.parametrize("kind", BREAKS)
def test_exactly_so_many_characters_arrive_before_what_breaks_the_reply(
    live: Any, asking: Any, dialect_name: str, kind: str
) -> None:
    got, exchange = one(live, asking, dialect_name, Fault(kind, CUT))

    whole = got.said(dialect_name)
    # The event without its blank line carries the content that follows; a client may or may not use it.
    assert whole == (TEXT[:30] if kind == "no-blank-line" else TEXT[:CUT])
    assert ENDS[dialect_name] not in got.body.decode()
    assert got.is_whole == (kind not in ("reset", "close"))
    assert got.ending == {"reset": "reset", "close": "closed"}.get(kind, "open")
    assert (exchange.ended, exchange.fault, exchange.chars_sent) == ("fault", kind, CUT)
    assert exchange.text_sent == TEXT[:CUT]


@pytest.mark.parametrize("kind", ["half-event", "no-blank-line"])
def test_a_torn_event_may_end_with_the_connection(
    live: Any, asking: Any, dialect_name: str, kind: str
) -> None:
    got, _ = one(live, asking, dialect_name, Fault(kind, CUT, ending="close"))

    assert (got.is_whole, got.ending) == (False, "closed")
    assert not got.body.endswith(b"\n\n")


def test_an_error_in_mid_stream_has_the_providers_form(live: Any, asking: Any, dialect_name: str) -> None:
    got, _ = one(
        live, asking, dialect_name, Fault("error-event", CUT, message="busy", error_type="overloaded")
    )

    *before, last = got.body.decode().strip().split("\n\n")
    error = json.loads(last.rpartition("data: ")[2])
    if dialect_name == "openai-responses":
        assert error == {
            "type": "error",
            "code": "overloaded",
            "message": "busy",
            "param": None,
            "sequence_number": len(before),
        }
    else:
        assert error["error"]["message"] == "busy"
        word = error["error"]["status" if dialect_name == "gemini" else "type"]
        assert word == "overloaded"
    assert last.startswith("event: error\n") == (dialect_name in ("openai-responses", "anthropic-messages"))


@pytest.mark.parametrize("kind", LASTS)
def test_what_does_not_break_the_reply_leaves_it_whole(
    live: Any, asking: Any, dialect_name: str, kind: str
) -> None:
    fault = Fault(kind, CUT, megabytes=0.5, bytes=200, every_ms=0.1)
    got, exchange = one(live, asking, dialect_name, fault)

    twice = TEXT[CUT:30] if kind == "duplicate-event" else ""
    assert got.said(dialect_name) == TEXT[:30] + twice + TEXT[30:]
    assert ENDS[dialect_name] in got.body.decode()
    assert got.is_whole
    assert (b"mock_unknown" in got.body) == (kind == "unknown-event")
    assert (len(got.body) > 2**19) == (kind == "oversized-event")
    assert (exchange.ended, exchange.chars_sent) == ("complete", len(TEXT))


def test_an_unknown_event_has_the_form_of_its_stream(live: Any, asking: Any) -> None:
    gemini, _ = one(live, asking, "gemini", Fault("unknown-event", CUT))
    anthropic, _ = one(live, asking, "anthropic-messages", Fault("unknown-event", CUT))

    assert all(line.startswith(b"data: ") for line in gemini.body.split(b"\n\n") if line)
    assert b"event: mock_unknown\ndata: {" in anthropic.body


def test_bad_json_comes_before_the_event_that_it_is_half_of(
    live: Any, asking: Any, dialect_name: str
) -> None:
    got, exchange = one(live, asking, dialect_name, Fault("bad-json", CUT))

    broken = 0
    for line in got.body.decode().splitlines():
        if line.startswith("data: ") and line != "data: [DONE]":
            try:
                json.loads(line[6:])
            except ValueError:
                broken += 1
    halves = got.body.decode().split("\n\n")
    assert broken == 1 or sum("data: " not in half for half in halves if half) == 1
    assert got.said(dialect_name) == TEXT
    assert exchange.ended == "complete"


@pytest.mark.parametrize("kind", LINES)
def test_other_lines_carry_the_same_content(live: Any, asking: Any, dialect_name: str, kind: str) -> None:
    got, _ = one(live, asking, dialect_name, Fault(kind))

    plain = {
        "bom": got.body.startswith(b"\xef\xbb\xbf"),
        "crlf": b"\r\n\r\n" in got.body and got.body.count(b"\n") == got.body.count(b"\r\n"),
        "comments": got.body.startswith(b": keep-alive\n\n"),
        "ids": got.body.startswith(b"id: 1\n"),
        "retry-lines": got.body.startswith(b"retry: 1000\n"),
        "no-space": b"data: " not in got.body,
    }
    assert plain[kind]
    assert got.said(dialect_name) == TEXT


def test_characters_arrive_cut_within_their_bytes(live: Any, asking: Any, dialect_name: str) -> None:
    pieces: list[bytes] = []

    async def test() -> None:
        async with live.serving(play(Fault("split-utf8"), "é😀")) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(asked(asking, dialect_name))
            while not b"".join(pieces).endswith(b"\r\n0\r\n\r\n"):
                pieces.append(await reader.read(2**16))

    live.run(test)
    body, is_whole = unframed(b"".join(pieces).partition(b"\r\n\r\n")[2])

    assert is_whole
    assert "".join(said(dialect_name, line) for line in body.decode().splitlines()) == "é😀"
    assert any(piece.rstrip(b"\r\n").endswith((b"\xc3", b"\xf0")) for piece in pieces)


@pytest.mark.parametrize("kind", ["wrong-content-type", "no-content-type"])
def test_the_head_may_say_another_type_or_none(live: Any, asking: Any, dialect_name: str, kind: str) -> None:
    got, _ = one(live, asking, dialect_name, Fault(kind, content_type="image/png"))

    assert ("content-type: image/png" in got.head) == (kind == "wrong-content-type")
    assert ("content-type" in got.head) == (kind == "wrong-content-type")
    assert got.said(dialect_name) == TEXT


def test_a_status_has_the_providers_body_and_the_headers_that_clients_obey(
    live: Any, asking: Any, dialect_name: str
) -> None:
    fault = Fault(
        "status", status=429, message="slow down", retry_after="0.5", retry_after_ms=500, attempts=2
    )

    async def test() -> None:
        retry = {"x-stainless-retry-count": "1"}
        async with live.serving(play(fault._replace(should_retry=True))) as (server, client):
            first = await client.post(**asking.ask(dialect_name))
            second = await client.post(**asking.ask(dialect_name), headers=retry)
            third = await client.post(**asking.ask(dialect_name), headers={"x-stainless-retry-count": "2"})

            assert [first.status_code, second.status_code, third.status_code] == [429, 429, 200]
            assert first.json()["error"]["message"] == "slow down"
            assert {k: first.headers[k] for k in ("retry-after", "retry-after-ms", "x-should-retry")} == {
                "retry-after": "0.5",
                "retry-after-ms": "500",
                "x-should-retry": "true",
            }
            kind = {"gemini": "RESOURCE_EXHAUSTED", "anthropic-messages": "rate_limit_error"}
            word = first.json()["error"]["status" if dialect_name == "gemini" else "type"]
            assert word == kind.get(dialect_name, word)
            assert [e.attempt for e in server.journal.exchanges] == [1, 2, 3]
            assert [e.fault for e in server.journal.exchanges] == ["status", "status", ""]

    live.run(test)


def test_a_slow_first_token_is_late_by_the_clock_of_the_loop(
    live: Any, asking: Any, dialect_name: str
) -> None:
    async def test() -> None:
        async with live.serving(play(Fault("slow-first-token", for_ms=60))) as (server, _):
            reader, writer = await live.dial(server)
            loop = asyncio.get_running_loop()
            writer.write(asked(asking, dialect_name))
            await reader.readuntil(b"\r\n\r\n")
            begun_s = loop.time()
            await reader.readuntil(b"abcdefghij")

            assert loop.time() - begun_s > 0.05
            assert (await server.wait_for_end(1, 5)).ended == "complete"

    live.run(test)


def test_a_stall_stands_still_until_the_client_hangs_up(live: Any, asking: Any, dialect_name: str) -> None:
    async def test() -> None:
        async with live.serving(play(Fault("stall", CUT))) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(asked(asking, dialect_name))
            waiting = await server.wait_for_hold(1, 5)
            assert (waiting.held_at, waiting.chars_sent, waiting.ended) == ("stall", CUT, "open")
            await reader.readuntil(b'"abc"')
            writer.transport.abort()

            ended = await server.wait_for_end(1, 5)
            assert (ended.ended, ended.chars_sent, ended.received_at_least) == ("client-hung-up", CUT, CUT)

    live.run(test)


def test_a_stall_may_end_by_itself_with_the_connection(live: Any, asking: Any, dialect_name: str) -> None:
    got, exchange = one(live, asking, dialect_name, Fault("stall", CUT, for_ms=1))

    assert (got.said(dialect_name), got.ending, exchange.ended) == (TEXT[:CUT], "closed", "fault")


@pytest.mark.parametrize("kind", ["close-before-headers", "reset-before-headers"])
def test_a_connection_may_end_before_any_byte(live: Any, asking: Any, dialect_name: str, kind: str) -> None:
    got, exchange = one(live, asking, dialect_name, Fault(kind))

    assert (got.head, got.body) == ("", b"")
    assert got.ending == kind.partition("-before")[0].replace("close", "closed")
    assert (exchange.ended, exchange.chars_sent) == ("fault", 0)


def test_connections_are_refused_until_the_server_accepts_again(
    live: Any, asking: Any, dialect_name: str
) -> None:
    async def test() -> None:
        async with live.serving(play(Fault("refused-connection", for_ms=3_600_000))) as (server, client):
            reader, writer = await live.dial(server)
            writer.write(asked(asking, dialect_name))
            assert (await heard(reader)).ending == "reset"
            for _ in range(2):
                with pytest.raises(ConnectionRefusedError):
                    await live.dial(server)
            await server.accept_connections()

            post = asking.ask(dialect_name, stream=False)
            again = await client.post(**post, headers={"x-stainless-retry-count": "1"})
            assert again.status_code == 200
            assert [e.ended for e in server.journal.exchanges] == ["fault", "complete"]

    live.run(test)


def test_a_reset_delivers_every_character_even_of_a_long_reply(
    live: Any, asking: Any, dialect_name: str
) -> None:
    long = TEXT * 400
    got, exchange = one(live, asking, dialect_name, Fault("reset", len(long) - 7), long)

    assert got.said(dialect_name) == long[:-7]
    assert got.ending == "reset"
    assert exchange.received_at_least == exchange.chars_sent == len(long) - 7


@pytest.mark.parametrize("kind", ["stall", "trickle", "reset", "close", "bad-json", "bom"])
def test_a_whole_reply_can_break_too_and_the_place_counts_bytes(
    live: Any, asking: Any, dialect_name: str, kind: str
) -> None:
    fault = Fault(kind, 11 if "at" in KINDS[kind] else 0, for_ms=1 if kind == "stall" else None, bytes=200)

    async def test() -> None:
        async with live.serving(play(fault)) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(asked(asking, dialect_name, stream=False))
            head = await reader.readuntil(b"\r\n\r\n")
            size = int(head.lower().partition(b"content-length: ")[2].split()[0])
            body = b""
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while len(body) < size and (more := await reader.read(2**16)):
                    body += more

            if kind in ("stall", "reset", "close"):
                assert len(body) == 11
            elif kind == "bad-json":
                with pytest.raises(ValueError, match=r"char|column"):
                    json.loads(body)
            else:
                assert TEXT in json.dumps(json.loads(body.decode("utf-8-sig")))
            assert body.startswith(b"\xef\xbb\xbf") == (kind == "bom")
            ended = await server.wait_for_end(1, 5)
            assert ended.ended == ("complete" if kind in ("trickle", "bom") else "fault")

    live.run(test)


def test_every_kind_of_fault_is_tried_here_at_the_socket() -> None:
    here = {
        *BREAKS,
        *LASTS,
        *LINES,
        "bad-json",
        "split-utf8",
        "wrong-content-type",
        "no-content-type",
        "status",
        "slow-first-token",
        "stall",
        "close-before-headers",
        "reset-before-headers",
        "refused-connection",
    }

    assert here == set(KINDS)
