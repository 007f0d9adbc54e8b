"""What the tests of the mock model share: requests in every dialect, a full turn, a live server."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, ClassVar

import httpx
import pytest

from mock_llm.dialects import by_name
from mock_llm.journal import Exchange, JournalEvent
from mock_llm.request import ModelRequest
from mock_llm.script import Script, ScriptTurn, Stream
from mock_llm.server import MockServer
from mock_llm.turn import Text, Thinking, ToolCall, Turn, Usage
from tests.mock_llm.wire_samples import PATHS, asked

LIMIT_S = 20


class Asking:
    """Builds request bodies; :meth:`body` suits chat completions and Anthropic messages."""

    paths = PATHS

    @staticmethod
    def body(text: str = "hello", *, stream: bool = True, **more: Any) -> dict[str, Any]:
        messages = [{"role": "user", "content": text}]
        return {"model": "mock-model", "max_tokens": 100, "stream": stream, "messages": messages, **more}

    @staticmethod
    def ask(name: str, text: str = "hello", *, stream: bool = True) -> dict[str, Any]:
        """A request in a dialect, as the arguments of a client's ``post``."""
        path, body = asked(name, text, stream=stream)
        return {"url": path, "json": body}

    @staticmethod
    def request(text: str = "hello", **more: Any) -> ModelRequest:
        headers = more.pop("headers", {})
        body = Asking.body(text, **more)
        return by_name("openai-chat").parse_request(body, PATHS["openai-chat"], headers)


class Live:
    """Runs a test against a server on real sockets."""

    dialled: ClassVar[list[asyncio.StreamWriter]] = []

    @classmethod
    def run(cls, test: Callable[[], Awaitable[None]]) -> None:
        """Run a test on a fresh loop; what the loop complains about fails it."""
        complaints: list[dict[str, Any]] = []

        async def bounded() -> None:
            asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
            try:
                async with asyncio.timeout(LIMIT_S):
                    await test()
            finally:
                await cls.hang_up()

        asyncio.run(bounded())
        assert complaints == []

    @staticmethod
    def script(*texts: str, stream: Stream | None = None, **more: Any) -> Script:
        """One conversation, so that a test may ask what it likes and gets the texts in order."""
        turns = tuple(ScriptTurn(Turn((Text(text),)), stream or Stream()) for text in texts)
        return Script(turns, **{"conversations": "one", **more})

    @staticmethod
    @contextlib.asynccontextmanager
    async def serving(script: Script, **more: Any) -> AsyncIterator[tuple[MockServer, httpx.AsyncClient]]:
        async with (
            MockServer(script, **more) as server,
            httpx.AsyncClient(base_url=server.base_url, trust_env=False) as client,
        ):
            yield server, client

    @staticmethod
    async def heard(server: MockServer) -> Exchange:
        """Wait until an exchange ends; those that ended before the call do not count."""
        found: asyncio.Future[Exchange] = asyncio.get_running_loop().create_future()

        def listen(event: JournalEvent) -> None:
            if event.kind == "ended" and not found.done():
                found.set_result(event.exchange)

        server.journal.listeners.append(listen)
        return await found

    @classmethod
    async def hang_up(cls) -> None:
        """Close what :meth:`dial` opened, so that no test leaves a socket to the next."""
        while cls.dialled:
            writer = cls.dialled.pop()
            writer.transport.abort()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    @classmethod
    async def dial(cls, server: MockServer) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host, port = server.base_url.removeprefix("http://").rsplit(":", 1)
        reader, writer = await asyncio.open_connection(host, int(port))
        cls.dialled.append(writer)
        return reader, writer

    @staticmethod
    def post(body: Any, *, version: str = "1.1", more: str = "") -> bytes:
        """A chat request as bytes."""
        raw = json.dumps(body).encode()
        head = (
            f"POST /v1/chat/completions HTTP/{version}\r\nhost: x\r\ncontent-length: {len(raw)}\r\n{more}\r\n"
        )
        return head.encode() + raw


@pytest.fixture
def live() -> type[Live]:
    return Live


@pytest.fixture
def asking() -> type[Asking]:
    return Asking


@pytest.fixture(params=sorted(PATHS))
def dialect_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def full_turn() -> Turn:
    """Thinking, text, two tool calls and usage."""
    return Turn(
        (
            Thinking("The user wants both files. "),
            Text("I will read “a” and list b.\n"),
            ToolCall("call_read", "read", '{"path": "a.txt"}'),
            ToolCall("call_list", "bash", '{"command": "ls b"}'),
        ),
        Usage(input_tokens=31, output_tokens=27),
        "tool",
    )
