"""The HTTP server: a listening socket, its connections, and the journal of what happened on them."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Self

from mock_llm.connection import Connection
from mock_llm.gates import Gates
from mock_llm.journal import Journal
from mock_llm.listening import Listener
from mock_llm.routing import Router
from mock_llm.spilling import Spill

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from socket import socket

    from mock_llm.asked import Controlling
    from mock_llm.journal import Exchange, JournalEvent
    from mock_llm.replies import Reply
    from mock_llm.script import Script

MAX_BODY_BYTES = 64 * 1024 * 1024


class MockServer:
    """Play a script to whoever connects, on loopback only.

    Everything runs on the loop that called :meth:`start`. Use it as an async context manager, or call
    :meth:`stop`, after which no task, connection or listening socket is left.

    Args:
        script: What to play.
        clock: Gives the journal's times, in seconds.
        max_body_bytes: Larger request bodies are refused.
        spill: A folder for bodies and replies that are too large to keep.

    ``route`` answers requests and may be replaced; ``control`` answers those for paths under ``/__``.
    """

    def __init__(
        self,
        script: Script,
        *,
        clock: Callable[[], float] = time.monotonic,
        max_body_bytes: int = MAX_BODY_BYTES,
        spill: Path | None = None,
    ) -> None:
        self.journal = Journal()
        self.spill = Spill(spill)
        if spill is not None:
            self.journal.listeners.append(self.spill.hear)
        self.router = Router(script)
        self.route: Callable[[Exchange, bytes], Reply] = self.router.route
        self.control: Controlling | None = None
        self.clock = clock
        self.max_body_bytes = max_body_bytes
        self.connections: set[Connection] = set()
        self.is_stopping = False
        self.gates = Gates()
        self._listener = Listener(self._connection)
        self._is_running = False
        self._origin = ""

    @property
    def base_url(self) -> str:
        """The origin, such as ``http://127.0.0.1:40123``; OpenAI clients add ``/v1`` to it.

        Raises:
            RuntimeError: If the server was not started.
        """
        if not self._origin:
            raise RuntimeError("the mock server is not started")
        return self._origin

    async def start(self, sock: socket | None = None, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen on a socket that is already bound (and may listen already), or bind one.

        Raises:
            ValueError: If the address is not a loopback address.
            OSError: If the port is taken.
        """
        self._origin = await self._listener.open(sock, host, port)
        self._is_running = True

    async def stop(self) -> None:
        """Stop listening and cut every connection; a reply under way ends as ``server-stopped``."""
        if not self._is_running:
            return
        self._is_running, self.is_stopping = False, True
        self._listener.close()
        open_connections = tuple(self.connections)
        for connection in open_connections:
            connection.drop("server-stopped")
        await asyncio.gather(*(connection.finished() for connection in open_connections))
        await self._listener.closed()

    def release(self, gate: str, count: int | None = None) -> int:
        """Let the replies through that wait at a gate: see :meth:`mock_llm.gates.Gates.release`."""
        return self.gates.release(gate, count)

    async def wait_for_request(self, number: int, timeout_s: float | None = None) -> Exchange:
        """Return request ``number`` (of all, from 1) as soon as it is there and its answer is chosen.

        Raises:
            TimeoutError: If it does not come in time.
        """
        return await self._seen(number, timeout_s, lambda _: True)

    async def wait_for_end(self, number: int, timeout_s: float | None = None) -> Exchange:
        """Return request ``number`` when its reply has ended, however it did.

        Raises:
            TimeoutError: If it does not end in time.
        """
        return await self._seen(number, timeout_s, lambda exchange: exchange.ended != "open")

    async def wait_for_hold(self, number: int, timeout_s: float | None = None) -> Exchange:
        """Return request ``number`` when its reply waits at a gate, or stalls.

        Raises:
            TimeoutError: If it does not come to wait in time.
        """
        return await self._seen(number, timeout_s, lambda exchange: bool(exchange.held_at))

    async def _seen(
        self, number: int, timeout_s: float | None, is_met: Callable[[Exchange], bool]
    ) -> Exchange:
        found: asyncio.Future[Exchange] = asyncio.get_running_loop().create_future()

        def look(exchange: Exchange) -> None:
            if exchange.number == number and is_met(exchange) and not found.done():
                found.set_result(exchange)

        def hear(event: JournalEvent) -> None:
            if event.exchange.number == number and event.exchange in self.journal.exchanges:
                look(event.exchange)  # and not one of that number from before a reset

        for exchange in self.journal.exchanges:
            look(exchange)
        self.journal.listeners.append(hear)
        try:
            async with asyncio.timeout(timeout_s):
                return await found
        finally:
            self.journal.listeners.remove(hear)

    def refuse_connections(self, for_ms: float | None = None) -> None:
        """Refuse new connections and cut idle ones, for so long or until :meth:`accept_connections`."""
        self._listener.refuse(None if for_ms is None else for_ms / 1000)
        for connection in tuple(self.connections):
            if connection.is_idle:
                connection.drop("client-hung-up")

    async def accept_connections(self) -> None:
        """Accept connections again, on the same port."""
        await self._listener.accept()

    async def __aenter__(self) -> Self:
        if not self._is_running:
            await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def _connection(self) -> Connection:
        return Connection(self)
