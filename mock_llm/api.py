"""The mock model for Python programs: ``serve`` for ordinary code, ``serve_async`` for an event loop.

with serve("Let me check.", {"call": {"read": {"path": "a.txt"}}}, "All done.") as mock:
    client = OpenAI(base_url=mock.openai_url, api_key=mock.key)
    ...
    mock.wait_for_request(3)
    assert mock.journal[0].request.last_user_text == "hello"
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, Self, TypeVar

from mock_llm.given import scripts_of
from mock_llm.standalone import NONCE, Standalone

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from mock_llm.journal import Exchange

TIMEOUT_S = 30.0
DEFAULT_KEY = "sk-mock"

_T = TypeVar("_T")


class _Mock:
    """What both kinds of mock have: where it is, and what has happened so far."""

    def __init__(self, given: Sequence[Any], port: int, token: str, nonce: str) -> None:
        self._standalone = Standalone(scripts_of(given), token=token, nonce=nonce)
        self._server = self._standalone.server
        self._port = port
        self.key = token or DEFAULT_KEY

    @property
    def base_url(self) -> str:
        """The origin: what Anthropic and Gemini clients take as their base URL.

        Raises:
            RuntimeError: If the server was not started.
        """
        return self._server.base_url

    @property
    def openai_url(self) -> str:
        """What OpenAI clients take as their base URL."""
        return f"{self.base_url}/v1"

    @property
    def env(self) -> dict[str, str]:
        """The variables that aim the common clients at this mock, for the environment of a program."""
        return {
            "OPENAI_BASE_URL": self.openai_url,
            "OPENAI_API_KEY": self.key,
            "ANTHROPIC_BASE_URL": self.base_url,
            "ANTHROPIC_API_KEY": self.key,
            "GOOGLE_GEMINI_BASE_URL": self.base_url,
            "GEMINI_API_KEY": self.key,
        }

    @property
    def journal(self) -> list[Exchange]:
        """Every request so far with what answered it, in order: see :class:`mock_llm.journal.Exchange`."""
        return list(self._server.journal.exchanges)

    @property
    def problems(self) -> list[str]:
        """Why requests were refused or broke an invariant, in full sentences."""
        return [exchange.complaint for exchange in self._server.journal.problems]

    @property
    def unused(self) -> list[str]:
        """The places of the turns that no request has reached."""
        return [turn.place for turn in self._standalone.scripts.unused]


class AsyncMock(_Mock):
    """A mock model on the running event loop. Use it as an async context manager."""

    async def start(self) -> None:
        """Listen.

        Raises:
            OSError: If the port is taken.
        """
        await self._server.start(port=self._port)

    async def stop(self) -> None:
        """Cut every connection and close the port. May be called twice."""
        await self._server.stop()

    async def wait_for_request(self, number: int, timeout_s: float = TIMEOUT_S) -> Exchange:
        """Return request ``number``, from 1, as soon as it is there and its answer is chosen.

        Raises:
            TimeoutError: If it does not come in time.
        """
        return await self._server.wait_for_request(number, timeout_s)

    async def wait_for_end(self, number: int, timeout_s: float = TIMEOUT_S) -> Exchange:
        """Return request ``number`` when its reply has ended; its ``ended`` says how.

        Raises:
            TimeoutError: If it does not end in time.
        """
        return await self._server.wait_for_end(number, timeout_s)

    async def wait_for_hold(self, number: int, timeout_s: float = TIMEOUT_S) -> Exchange:
        """Return request ``number`` when its reply waits at a gate; ``held_at`` names it.

        Raises:
            TimeoutError: If it does not come to wait in time.
        """
        return await self._server.wait_for_hold(number, timeout_s)

    def release(self, gate: str, count: int | None = None) -> int:
        """Let replies through at a gate: all from now on, or the next ``count``. How many were waiting."""
        return self._server.release(gate, count)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()


class Mock(_Mock):
    """A mock model that serves from a thread of its own until :meth:`stop`. Use it as a context manager.

    What it gives out (exchanges) belongs to that thread: read it, and wait for what is still to come.
    """

    def __init__(self, given: Sequence[Any], port: int, token: str, nonce: str) -> None:
        super().__init__(given, port, token, nonce)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="mock-llm", daemon=True)
        self._thread.start()
        try:
            self._do(self._server.start(port=port))
        except BaseException:
            self._end_thread()
            raise

    def stop(self) -> None:
        """Cut every connection, close the port and end the thread. May be called twice."""
        if self._loop.is_closed():
            return
        self._do(self._server.stop())
        self._end_thread()

    def wait_for_request(self, number: int, timeout_s: float = TIMEOUT_S) -> Exchange:
        """Return request ``number``, from 1, as soon as it is there and its answer is chosen.

        Raises:
            TimeoutError: If it does not come in time.
        """
        return self._do(self._server.wait_for_request(number, timeout_s))

    def wait_for_end(self, number: int, timeout_s: float = TIMEOUT_S) -> Exchange:
        """Return request ``number`` when its reply has ended; its ``ended`` says how.

        Raises:
            TimeoutError: If it does not end in time.
        """
        return self._do(self._server.wait_for_end(number, timeout_s))

    def wait_for_hold(self, number: int, timeout_s: float = TIMEOUT_S) -> Exchange:
        """Return request ``number`` when its reply waits at a gate; ``held_at`` names it.

        Raises:
            TimeoutError: If it does not come to wait in time.
        """
        return self._do(self._server.wait_for_hold(number, timeout_s))

    def release(self, gate: str, count: int | None = None) -> int:
        """Let replies through at a gate: all from now on, or the next ``count``. How many were waiting."""

        async def released() -> int:
            return self._server.release(gate, count)

        return self._do(released())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _do(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _end_thread(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def serve(*given: Any, port: int = 0, token: str = "", nonce: str = NONCE) -> Mock:
    """A mock model that is serving already; stop it, or use it in a ``with``.

    Args:
        given: What to play. Turns, which answer in their order: a text, a mapping as in YAML
            (``{"say": "...", "stream": {"hold_after": 40}}``) or a :class:`mock_llm.turn.Turn`. Or paths of
            scripts, scenarios and folders. Or one :class:`mock_llm.script.Script`.
        port: 0 takes any free one.
        token: What requests have to carry as their key; empty lets every program of this machine ask.
        nonce: What ``{nonce}`` stands for in a script without a ``lane``.

    Raises:
        TypeError: If ``given`` cannot be played.
        ScriptError: With the picture of a mistake in a mapping.
        CannotServe: With the pictures of all mistakes in files.
        OSError: If the port is taken.
    """
    return Mock(given, port, token, nonce)


def serve_async(*given: Any, port: int = 0, token: str = "", nonce: str = NONCE) -> AsyncMock:
    """The same for the running event loop, as an async context manager: it listens from its start on.

    >>> async def answer() -> str:
    ...     async with serve_async("Hello") as mock:
    ...         return mock.openai_url
    """
    return AsyncMock(given, port, token, nonce)
