"""A request sent on to the recorded server, and its answer as it comes."""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING, NamedTuple, Self
from urllib.parse import urlsplit

import h11

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from pathlib import Path

    Headers = Iterable[tuple[bytes, bytes]]

CHUNK_BYTES = 64 * 1024
MAX_HEAD_BYTES = 256 * 1024
CONNECT_TIMEOUT_S = 20
# What one hop says to the next, and no further (RFC 9110, 7.6.1); the length and the host are said anew.
_HOP = frozenset(
    (
        b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection",
        b"te", b"trailer", b"transfer-encoding", b"upgrade", b"host", b"content-length", b"expect",
        b"accept-encoding",
    )
)  # fmt: skip


class Broken(Exception):
    """The upstream server cannot be reached, or broke off; the message says how."""


class Upstream(NamedTuple):
    """Where requests go. ``prefix`` stands before each path; ``context`` is None for plain HTTP."""

    host: str
    port: int
    prefix: str
    context: ssl.SSLContext | None

    @property
    def authority(self) -> str:
        """The host as a request names it."""
        default = 443 if self.context else 80
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == default else f"{host}:{self.port}"


def parse_upstream(url: str, ca_file: Path | None = None) -> Upstream:
    """The server of a URL, which may have a path. ``ca_file`` replaces the system's certificates.

    Raises:
        ValueError: If it is no http or https URL.
        OSError: If the certificates cannot be read.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"'{url}' is no URL of a server; it begins with http:// or https://")
    if parts.username or parts.query or parts.fragment:
        raise ValueError(f"'{parts.hostname}' comes with more than a path; keys are taken from the requests")
    context = ssl.create_default_context(cafile=ca_file) if parts.scheme == "https" else None
    port = parts.port or (443 if context else 80)
    return Upstream(parts.hostname, port, parts.path.rstrip("/"), context)


def passed_on(headers: Headers) -> list[tuple[bytes, bytes]]:
    """The headers that go through, names in lower case; what a Connection header names does not."""
    rows = [(name.lower(), value) for name, value in headers]
    named = {
        word.strip().lower() for name, value in rows if name == b"connection" for word in value.split(b",")
    }
    return [(name, value) for name, value in rows if name not in _HOP and name not in named]


class Exchanged:
    """One request upstream. ``async with`` it, then :meth:`head`, then :meth:`body`."""

    def __init__(self, upstream: Upstream, method: str, target: str, headers: Headers, body: bytes) -> None:
        self._upstream = upstream
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._is_silent = True
        rows = [
            (b"host", upstream.authority.encode()),
            *passed_on(headers),
            (b"accept-encoding", b"identity"),
            (b"connection", b"close"),
        ]
        if body or method not in ("GET", "HEAD"):
            rows.append((b"content-length", str(len(body)).encode()))
        request = h11.Request(method=method, target=upstream.prefix + target, headers=rows)
        sent = [self._http.send(event) for event in (request, h11.Data(data=body), h11.EndOfMessage())]
        self._sent = b"".join(part for part in sent if part)
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Self:
        """Connect and send the request.

        Raises:
            Broken: If that fails.
        """
        upstream = self._upstream
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                self._reader, self._writer = await asyncio.open_connection(
                    upstream.host, upstream.port, ssl=upstream.context
                )
            self._writer.write(self._sent)
            await self._writer.drain()
        except TimeoutError:
            raise Broken(f"no connection to {upstream.authority} within {CONNECT_TIMEOUT_S} s") from None
        except OSError as error:
            raise Broken(f"no connection to {upstream.authority}: {error}") from None
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.transport.abort()

    async def head(self) -> h11.Response:
        """The answer's status and headers.

        Raises:
            Broken: If the connection ends before them.
        """
        while True:
            event = await self._event()
            if isinstance(event, h11.Response):
                return event
            if not isinstance(event, h11.InformationalResponse):
                raise Broken("the connection ended before an answer")

    async def body(self) -> AsyncIterator[bytes]:
        """The body's bytes as they come.

        Raises:
            Broken: If the connection ends in the middle.
        """
        while True:
            event = await self._event()
            if isinstance(event, h11.Data):
                yield bytes(event.data)
            else:
                return

    async def _event(self) -> object:
        assert self._reader is not None
        try:
            while True:
                event = self._http.next_event()
                if event is not h11.NEED_DATA:
                    return event
                data = await self._reader.read(CHUNK_BYTES)
                self._is_silent = self._is_silent and not data
                self._http.receive_data(data)
        except (h11.RemoteProtocolError, OSError) as error:
            if self._is_silent:
                raise Broken("the connection ended before an answer") from None
            raise Broken(f"the connection broke: {error}") from None
