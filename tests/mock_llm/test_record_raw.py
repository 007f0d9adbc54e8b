"""The recorder before servers that are no mock: over TLS, and of a few raw bytes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from mock_llm.record_files import Recording
from mock_llm.record_proxy import Passed, Recorder
from mock_llm.record_upstream import parse_upstream
from mock_llm.recorded import read_recorded
from mock_llm.turn import Text
from tests.mock_llm.recorders import CHAT_HEAD, dialled

TLS = Path(__file__).parent / "tls"


@contextlib.asynccontextmanager
async def over_tls(answer: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """A server that gives one answer to everything, and the heads of what it was asked."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(TLS / "certificate.pem", TLS / "key.pem")
    asked: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context) as server:
        yield f"https://localhost:{server.sockets[0].getsockname()[1]}/base", asked


def through_tls(asking: Any, script: Path, ca_file: Path | None) -> Callable[[], Awaitable[None]]:
    async def test() -> None:
        reply = b'{"choices":[{"message":{"content":"over TLS"},"finish_reason":"stop"}]}'
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(reply)
        async with over_tls(head + reply) as (url, asked):
            recorder = Recorder(parse_upstream(url, ca_file), Recording(script, url))
            await recorder.start()
            async with httpx.AsyncClient(base_url=recorder.base_url, trust_env=False) as client:
                response = await client.post("/v1/chat/completions", json=asking.body(stream=False))
            await recorder.stop()
            if ca_file is None:
                assert response.status_code == 502
                assert "certificate verify failed" in response.json()["error"]["message"]
                assert asked == []
            else:
                assert response.content == reply
                assert asked[0].startswith(b"POST /base/v1/chat/completions HTTP/1.1\r\nhost: localhost:")
                text = script.with_suffix("").joinpath("001.jsonl").read_text(encoding="utf-8")
                assert read_recorded([text]).turn.parts == (Text("over TLS"),)

    return test


def test_a_server_behind_tls_is_recorded(live: Any, asking: Any, tmp_path: Path) -> None:
    live.run(through_tls(asking, tmp_path / "r.yaml", TLS / "certificate.pem"))


def test_a_certificate_that_nobody_vouches_for_is_refused(live: Any, asking: Any, tmp_path: Path) -> None:
    async def test() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)  # the server's side of the refusal
        await through_tls(asking, tmp_path / "r.yaml", None)()

    live.run(test)


@contextlib.asynccontextmanager
async def before_raw(answer: bytes, script: Path) -> AsyncIterator[tuple[Recorder, list[Passed]]]:
    """The recorder before a server that sends these bytes to everything and closes."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    told: list[Passed] = []
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        recorder = Recorder(parse_upstream(url), Recording(script, url), told.append)
        await recorder.start()
        try:
            yield recorder, told
        finally:
            await recorder.stop()


REPLY = b'{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}'
OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"


@pytest.mark.parametrize(
    ("answer", "status", "ended"),
    [
        (b"", 502, "upstream-closed"),
        (b"garbage\r\n\r\n", 502, "upstream-closed"),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" + OK + b"\r\n" + REPLY, 200, "complete"),
        (
            OK + b"connection: x-hop\r\nx-hop: 1\r\ncontent-length: %d\r\n\r\n" % len(REPLY) + REPLY,
            200,
            "complete",
        ),
    ],
    ids=["nothing", "garbage", "hints-and-close", "hop-by-hop"],
)
def test_whatever_the_server_answers_is_an_answer(
    live: Any, asking: Any, tmp_path: Path, answer: bytes, status: int, ended: str
) -> None:
    async def test() -> None:
        async with before_raw(answer, tmp_path / "r.yaml") as (recorder, told):
            async with httpx.AsyncClient(base_url=recorder.base_url, trust_env=False) as client:
                response = await client.post("/v1/chat/completions", json=asking.body(stream=False))
            assert response.status_code == status
            assert "x-hop" not in response.headers
            if status == 200:
                assert response.content == REPLY
            await recorder.stop()
            assert [each.ended for each in told] == [ended]

    live.run(test)


def test_a_client_that_waits_for_leave_to_send_its_body_gets_it(live: Any, tmp_path: Path) -> None:
    async def test() -> None:
        async with before_raw(
            OK + b"content-length: %d\r\n\r\n" % len(REPLY) + REPLY, tmp_path / "r.yaml"
        ) as (
            recorder,
            _,
        ):
            reader, writer = await dialled(recorder)
            writer.write(CHAT_HEAD + b"expect: 100-continue\r\ncontent-length: 9\r\n\r\n")
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100 ")
            writer.write(b"[no JSON]")
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 ")
            assert await reader.readexactly(len(REPLY)) == REPLY
            writer.close()
            await recorder.stop()
            text = (tmp_path / "r" / "001.jsonl").read_text(encoding="utf-8")
            assert json.loads(text.splitlines()[0])["asked"] == "[no JSON]"

    live.run(test)


def test_a_client_that_speaks_no_http_is_left_alone(live: Any, tmp_path: Path) -> None:
    async def test() -> None:
        async with before_raw(b"", tmp_path / "r.yaml") as (recorder, told):
            reader, writer = await dialled(recorder)
            writer.write(b"\x16\x03\x01 hello\r\n\r\n")
            assert await reader.read() == b""
            writer.close()
            assert told == []

    live.run(test)
