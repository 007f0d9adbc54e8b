"""The listening socket of a server: it can refuse connections for a while and come back on the same port."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

BACKLOG = 1024
_INTERNET = (socket.AF_INET, socket.AF_INET6)


class Listener:
    """Accept connections on one loopback address."""

    def __init__(self, protocol: Callable[[], asyncio.BaseProtocol]) -> None:
        self._protocol = protocol
        self._server: asyncio.Server | None = None
        self._placeholder: socket.socket | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._reopening: asyncio.Task[None] | None = None

    async def open(self, sock: socket.socket | None, host: str, port: int) -> str:
        """Listen on a socket that is already bound (and may listen already), or bind one.

        Returns:
            The origin, such as ``http://127.0.0.1:40123``.

        Raises:
            ValueError: If the address is not a loopback address.
            OSError: If the port is taken.
        """
        loop = asyncio.get_running_loop()
        if sock is not None:
            _require_loopback(sock.getsockname()[0] if sock.family in _INTERNET else "a local socket")
            self._server = await loop.create_server(self._protocol, sock=sock, backlog=BACKLOG)
        else:
            _require_loopback(host)
            self._server = await loop.create_server(self._protocol, host, port, backlog=BACKLOG)
        bound_host, bound_port = self._server.sockets[0].getsockname()[:2]
        return f"http://{_bracketed(bound_host)}:{bound_port}"

    def refuse(self, for_s: float | None) -> None:
        """Refuse connections for so long, or until :meth:`accept`. The port stays ours."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._server is not None and self._placeholder is None:
            listening = self._server.sockets[0]
            family, address = listening.family, listening.getsockname()
            self._server.close()
            # Bound and not listening: the kernel answers a connection attempt with a RST.
            self._placeholder = socket.socket(family, socket.SOCK_STREAM)
            self._placeholder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._placeholder.bind(address)
        if for_s is not None:
            self._timer = asyncio.get_running_loop().call_later(for_s, self._reopen)

    async def accept(self) -> None:
        """Accept connections again. Does nothing when they are accepted."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._placeholder is not None:
            placeholder, self._placeholder = self._placeholder, None
            loop = asyncio.get_running_loop()
            self._server = await loop.create_server(self._protocol, sock=placeholder, backlog=BACKLOG)

    def close(self) -> None:
        """Listen no more."""
        for waiting in (self._timer, self._reopening):
            if waiting is not None:
                waiting.cancel()
        if self._placeholder is not None:
            self._placeholder.close()
            self._placeholder = None
        if self._server is not None:
            self._server.close()

    async def closed(self) -> None:
        """Return when the socket is closed."""
        if self._reopening is not None:
            await asyncio.wait((self._reopening,))
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()

    def _reopen(self) -> None:
        self._reopening = asyncio.get_running_loop().create_task(self.accept())


def _require_loopback(host: str) -> None:
    try:
        is_loopback = ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise ValueError(f"the mock server listens on loopback addresses only, and '{host}' is not one")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
