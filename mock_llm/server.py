"""The HTTP server: a listening socket, its connections, and the journal of what happened on them."""

from __future__ import annotations

import asyncio
import time
from ipaddress import ip_address
from socket import AF_INET, AF_INET6
from typing import TYPE_CHECKING, Self

from mock_llm.connection import Connection
from mock_llm.journal import Journal
from mock_llm.routing import Router

if TYPE_CHECKING:
    from collections.abc import Callable
    from socket import socket

    from mock_llm.asked import Controlling
    from mock_llm.journal import Exchange
    from mock_llm.routing import Reply
    from mock_llm.script import Script

MAX_BODY_BYTES = 64 * 1024 * 1024
BACKLOG = 1024
_INTERNET = (AF_INET, AF_INET6)


class MockServer:
    """Play a script to whoever connects, on loopback only.

    Everything runs on the loop that called :meth:`start`. Use it as an async context manager, or call
    :meth:`stop`, after which no task, connection or listening socket is left.

    Args:
        script: What to play.
        clock: Gives the journal's times, in seconds.
        max_body_bytes: Larger request bodies are refused.

    ``route`` answers requests and may be replaced; ``control`` answers those for paths under ``/__``.
    """

    def __init__(
        self,
        script: Script,
        *,
        clock: Callable[[], float] = time.monotonic,
        max_body_bytes: int = MAX_BODY_BYTES,
    ) -> None:
        self.journal = Journal()
        self.router = Router(script)
        self.route: Callable[[Exchange, bytes], Reply] = self.router.route
        self.control: Controlling | None = None
        self.clock = clock
        self.max_body_bytes = max_body_bytes
        self.connections: set[Connection] = set()
        self.is_stopping = False
        self._server: asyncio.Server | None = None
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
        loop = asyncio.get_running_loop()
        if sock is not None:
            _require_loopback(sock.getsockname()[0] if sock.family in _INTERNET else "a local socket")
            self._server = await loop.create_server(self._connection, sock=sock, backlog=BACKLOG)
        else:
            _require_loopback(host)
            self._server = await loop.create_server(self._connection, host, port, backlog=BACKLOG)
        bound_host, bound_port = self._server.sockets[0].getsockname()[:2]
        self._origin = f"http://{_bracketed(bound_host)}:{bound_port}"

    async def stop(self) -> None:
        """Stop listening and cut every connection; a reply under way ends as ``server-stopped``."""
        if self._server is None:
            return
        server, self._server, self.is_stopping = self._server, None, True
        server.close()
        open_connections = tuple(self.connections)
        for connection in open_connections:
            connection.drop("server-stopped")
        await asyncio.gather(*(connection.finished() for connection in open_connections))
        await server.wait_closed()

    async def __aenter__(self) -> Self:
        if self._server is None:
            await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def _connection(self) -> Connection:
        return Connection(self)


def _require_loopback(host: str) -> None:
    try:
        is_loopback = ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise ValueError(f"the mock server listens on loopback addresses only, and '{host}' is not one")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
