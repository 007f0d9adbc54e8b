"""The HTTP around the replies: connections, sockets, limits, and stopping."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mock_llm.plain_request import plain_request
from mock_llm.script import Stream
from mock_llm.server import MockServer

HOUR_MS = 3_600_000.0


def open_files() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def test_an_unknown_path_is_a_problem_in_the_shape_the_client_expects(live: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (server, client):
            openai = await client.post("/v1/audio/speech", json={})
            anthropic = await client.get("/v1/files", headers={"anthropic-version": "2023-06-01"})
            method = await client.get("/v1/messages")

            assert (openai.status_code, openai.json()["error"]["code"]) == (404, None)
            assert (anthropic.status_code, anthropic.json()["error"]["type"]) == (404, "not_found_error")
            assert (method.status_code, method.json()["type"]) == (405, "error")
            assert [e.path for e in server.journal.problems] == [
                "/v1/audio/speech",
                "/v1/files",
                "/v1/messages",
            ]
            assert "POST /v1/audio/speech" in server.journal.problems[0].problem

    live.run(test)


def test_clients_may_ask_who_is_there_and_which_models(live: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (server, client):
            head, root, models = await client.head("/"), await client.get("/"), await client.get("/v1/models")
            anthropic = await client.get("/v1/models", headers={"x-api-key": "k"})
            google = [
                await client.get("/v1beta/models?pageSize=50"),
                await client.get("/v1/models", headers={"x-goog-api-key": "k"}),
                await client.get("/models?key=k"),
            ]

            assert (head.status_code, head.content) == (200, b"")
            assert (root.status_code, root.text) == (200, "mock-llm\n")
            assert models.json()["object"] == "list"
            assert anthropic.json()["data"][0]["type"] == "model"
            assert [answer.json()["models"][0]["name"] for answer in google] == ["models/mock-model"] * 3
            assert server.journal.problems == []
            assert server.journal.main == []

    live.run(test)


@pytest.mark.parametrize(
    ("path", "name", "counted"),
    [
        ("/v1/responses/input_tokens", "openai-responses", "input_tokens"),
        ("/v1/messages/count_tokens?beta=true", "anthropic-messages", "input_tokens"),
        ("/v1beta/models/mock-model:countTokens", "gemini", "totalTokens"),
    ],
)
def test_counting_tokens_is_no_turn_of_the_conversation(
    live: Any, asking: Any, path: str, name: str, counted: str
) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (server, client):
            body = asking.ask(name, "x" * 40)["json"]
            body.pop("max_tokens", None)
            answer, broken = await client.post(path, json=body), await client.post(path, json=[])

            assert (answer.status_code, answer.json()[counted]) == (200, 10)
            assert (broken.status_code, "not a JSON object" in broken.text) == (400, True)
            assert [exchange.lane for exchange in server.journal.exchanges] == ["side", "none"]
            assert server.router.responder.unused

    live.run(test)


def test_an_error_says_its_request_id_where_the_clients_of_its_dialect_look(
    live: Any, asking: Any, dialect_name: str
) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (_, client):
            answer = await client.post(asking.ask(dialect_name)["url"], content=b"{}")
            body = answer.json()

            anthropic = dialect_name == "anthropic-messages"
            header = answer.headers["request-id" if anthropic else "x-request-id"]
            assert (answer.status_code, header) == (400, "req_000000000001")
            assert body.get("request_id") == (header if anthropic else None)
            kind = body["error"]["status" if dialect_name == "gemini" else "type"]
            assert kind == ("INVALID_ARGUMENT" if dialect_name == "gemini" else "invalid_request_error")

    live.run(test)


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
@pytest.mark.parametrize("stream", [True, False])
def test_what_a_client_accepts_never_decides_whether_it_gets_a_stream(
    live: Any, asking: Any, dialect_name: str, accept: str, *, stream: bool
) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (_, client):
            answer = await client.post(**asking.ask(dialect_name, stream=stream), headers={"accept": accept})

            assert answer.headers["content-type"].startswith("text/event-stream") == stream
            assert answer.content.startswith(b"{") != stream

    live.run(test)


def test_a_connection_serves_several_requests_even_when_they_arrive_together(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one", "two")) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(live.post(asking.body("a")) + live.post(asking.body("b")))

            await reader.readuntil(b"[DONE]\n\n\r\n0\r\n\r\n")
            await reader.readuntil(b"[DONE]\n\n\r\n0\r\n\r\n")

            assert [e.text_sent for e in server.journal.main] == ["one", "two"]
            assert len(server.connections) == 1
            writer.close()

    live.run(test)


def test_a_client_that_asks_before_it_sends_is_told_to_go_on(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (server, _):
            reader, writer = await live.dial(server)
            head, _, body = live.post(asking.body(), more="expect: 100-continue\r\n").partition(b"\r\n\r\n")
            writer.write(head + b"\r\n\r\n")
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
            writer.write(body)

            assert (await reader.readuntil(b"[DONE]")).startswith(b"HTTP/1.1 200 ")
            writer.close()

    live.run(test)


def test_a_body_over_the_limit_is_refused_with_both_numbers(live: Any, asking: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one"), max_body_bytes=1000) as (server, client):
            response = await client.post("/v1/messages", json=asking.body("x" * 300_000))

            assert (response.status_code, response.json()["error"]["type"]) == (413, "request_too_large")
            assert "the limit is 1000 bytes" in server.journal.problems[0].problem
            assert (await client.post("/v1/messages", json=asking.body())).status_code == 200

    live.run(test)


def test_what_is_not_http_is_refused_and_a_problem(live: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (server, _):
            reader, writer = await live.dial(server)
            writer.write(b"\x16\x03\x01 hello\r\n\r\n")

            assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
            assert "is not HTTP" in server.journal.problems[0].problem
            writer.close()

    live.run(test)


def test_a_bug_of_the_server_is_a_problem_and_not_a_hanging_client(
    live: Any, asking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    async def test() -> None:
        async with live.serving(live.script("one", "two")) as (server, client):
            monkeypatch.setattr("mock_llm.delivery.cut", broken)
            assert (await client.post("/v1/messages", json=asking.body())).status_code == 500
            monkeypatch.undo()
            monkeypatch.setattr("mock_llm.dialects.anthropic_messages._event", broken)
            with pytest.raises(httpx.RemoteProtocolError):
                await client.post("/v1/messages", json=asking.body())
            monkeypatch.undo()

            assert ["ZeroDivisionError" in e.problem for e in server.journal.problems] == [True, True]

    live.run(test)


def test_a_request_that_came_before_the_start_is_served(live: Any, asking: Any) -> None:
    async def test() -> None:
        listening = socket.create_server(("127.0.0.1", 0))
        early = socket.create_connection(listening.getsockname())
        early.sendall(live.post(asking.body()))
        server = MockServer(live.script("one"))
        await server.start(listening)

        assert server.base_url == f"http://127.0.0.1:{early.getpeername()[1]}"
        reader, writer = await asyncio.open_connection(sock=early)
        await reader.readuntil(b"[DONE]")
        writer.close()
        await server.stop()

    live.run(test)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org", "localhost"])
def test_only_loopback_addresses_are_listened_on(live: Any, host: str) -> None:
    async def test() -> None:
        with pytest.raises(ValueError, match=f"'{host}' is not one"):
            await MockServer(live.script("one")).start(host=host)

    live.run(test)


def test_a_socket_bound_to_every_address_is_refused(live: Any) -> None:
    async def test() -> None:
        with socket.socket() as everywhere:
            everywhere.bind(("", 0))
            with pytest.raises(ValueError, match=r"loopback addresses only, and '0.0.0.0' is not one"):
                await MockServer(live.script("one")).start(everywhere)

    live.run(test)


def test_a_server_that_was_not_started_has_no_address(live: Any) -> None:
    with pytest.raises(RuntimeError, match="not started"):
        MockServer(live.script("one")).base_url  # noqa: B018


def test_stop_leaves_no_task_and_no_socket_and_says_what_it_cut(live: Any, asking: Any) -> None:
    async def test() -> None:
        before = open_files()
        server = MockServer(live.script("never", stream=Stream(first_after_ms=HOUR_MS)))
        await server.start()
        reader, writer = await live.dial(server)
        idle_reader, idle_writer = await live.dial(server)
        writer.write(live.post(asking.body()))
        await reader.readuntil(b'"role":"assistant"')

        await server.stop()

        assert server.journal.exchanges[0].ended == "server-stopped"
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert server.connections == set()
        with contextlib.suppress(ConnectionError):
            await idle_reader.read()
        for each in (writer, idle_writer):
            each.close()
            with contextlib.suppress(ConnectionError):
                await each.wait_closed()
        assert open_files() == before
        await server.stop()

    live.run(test)


@pytest.mark.parametrize(
    "change",
    [
        (b"POST ", b"GET "),
        (b"HTTP/1.1", b"HTTP/1.0"),
        (b"host: x\r\n", b""),
        (b"host: x", b"host: x\r\nhost: x"),
        (b"host: x", b"host: x\r\nexpect: 100-continue"),
        (b"host: x", b"host: x\r\ntransfer-encoding: chunked"),
        (b"host: x", b"host: x\r\nconnection: close"),
        (b"host: x", b"host: x\r\n folded: y"),
        (b"host: x", b"host: x\r\nnote: \xe9"),
        (b"content-length: ", b"content-length: +"),
        (b"\r\n\r\n", b"\n\n"),
    ],
)
def test_a_request_with_something_special_about_it_is_left_to_the_full_rules(
    live: Any, asking: Any, change: tuple[bytes, bytes]
) -> None:
    usual = live.post(asking.body())
    plain = plain_request(usual)

    assert plain is not None
    assert plain.missing == 0
    assert plain_request(usual.replace(*change, 1)) is None


def test_a_usual_request_whose_body_is_still_coming_says_how_much_is_missing(live: Any, asking: Any) -> None:
    usual = live.post(asking.body())
    length = len(usual.partition(b"\r\n\r\n")[2])

    for here in (0, 1, length - 1):
        plain = plain_request(usual[: len(usual) - length + here])
        assert plain is not None
        assert (len(plain.body), plain.missing) == (here, length - here)
    assert plain_request(usual + b"P") is None


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.sets(st.integers(1, 400), min_size=1, max_size=5))
def test_where_a_request_was_cut_changes_nothing(live: Any, asking: Any, cuts: set[int]) -> None:
    async def test() -> None:
        async with live.serving(live.script("one", "two")) as (server, _):
            reader, _ = await live.dial(server)
            both = live.post(asking.body("a")) + live.post(asking.body("b"))
            for start, end in pairwise((0, *sorted(cuts), len(both))):
                while not server.connections:  # noqa: ASYNC110 - the other side has to be there
                    await asyncio.sleep(0)
                [connection] = server.connections
                connection.data_received(both[start:end])
            await reader.readuntil(b"[DONE]\n\n\r\n0\r\n\r\n")
            await reader.readuntil(b"[DONE]\n\n\r\n0\r\n\r\n")

            assert [e.text_sent for e in server.journal.main] == ["one", "two"]

    live.run(test)


def test_both_ways_of_reading_say_the_same(live: Any, asking: Any) -> None:
    heads: list[bytes] = []

    async def test() -> None:
        async with live.serving(live.script("one", "two")) as (server, _):
            reader, writer = await live.dial(server)
            for more in ("", "connection: keep-alive, x\r\n"):
                raw = live.post(asking.body(), more=more)
                assert (plain_request(raw) is None) == bool(more)
                writer.write(raw)
                heads.append(await reader.readuntil(b"\r\n\r\n"))
                await reader.readuntil(b"\r\n0\r\n\r\n")

            first, second = (e.headers for e in server.journal.exchanges)
            assert first == {k: v for k, v in second.items() if k != "connection"}

    live.run(test)
    assert heads[0].replace(b"01\r\n", b"02\r\n") == heads[1]
