"""One client connection: HTTP in and out over an asyncio transport.

h11 reads requests and writes heads; the chunks of a stream are framed here, as that is the hot path. The
connection always reads, also while it replies, so that a client that hangs up is noticed at once.
"""

from __future__ import annotations

import asyncio
import json
import traceback
from socket import SO_SNDBUF, SOL_SOCKET
from typing import TYPE_CHECKING, cast

import h11

from mock_llm.delivery import Finish, Send, WaitUntil
from mock_llm.routing import refuse

if TYPE_CHECKING:
    from mock_llm.asked import Controlling
    from mock_llm.journal import Ending, Exchange
    from mock_llm.routing import Reply
    from mock_llm.server import MockServer

# The kernel's part of what was "sent" but not read: small where the count matters (measured: a send buffer of
# 8 KiB keeps the count within 370 characters of what the client read).
WATCHED_SEND_BUFFER = 8 * 1024
MAX_HEAD_BYTES = 256 * 1024
MAX_EARLY_BYTES = 64 * 1024


class Connection(asyncio.Protocol):
    """Serve the requests of one connection, one after the other."""

    def __init__(self, server: MockServer) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._request: h11.Request | None = None
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._exchange: Exchange | None = None
        self._task: asyncio.Task[None] | None = None
        self._drained: asyncio.Future[None] | None = None
        self._closed: asyncio.Future[None] = self._loop.create_future()

    # What the transport calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        # Any unsent byte pauses the reply: memory stays at one write, and "sent" means handed to the kernel.
        self._transport.set_write_buffer_limits(high=0)
        self._server.connections.add(self)
        if self._server.is_stopping:
            self.drop("server-stopped")

    def data_received(self, data: bytes) -> None:
        self._http.receive_data(data)
        if self._task is None:
            self._advance()
        elif len(self._http.trailing_data[0]) > MAX_EARLY_BYTES:
            self.drop("client-hung-up")

    def eof_received(self) -> None:
        """A client that closes its side has stopped caring, even if it still reads."""
        self.drop("client-hung-up")

    def connection_lost(self, error: Exception | None) -> None:
        del error
        self._abandon("client-hung-up")
        self._server.connections.discard(self)
        if not self._closed.done():
            self._closed.set_result(None)

    def pause_writing(self) -> None:
        self._drained = self._loop.create_future()

    def resume_writing(self) -> None:
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)
        self._drained = None

    # What the server calls.

    def drop(self, ended: Ending) -> None:
        """Close now; a reply that is under way ends with that word."""
        self._abandon(ended)
        self._transport.abort()

    async def finished(self) -> None:
        """Return when the socket is closed and the reply's task has ended."""
        if self._task is not None:
            await asyncio.wait((self._task,))
        await self._closed

    def _abandon(self, ended: Ending) -> None:
        if self._exchange is not None:
            self._server.journal.end(self._exchange, ended, self._server.clock())
        if self._task is not None:
            self._task.cancel()

    # Requests.

    def _advance(self) -> None:
        """Take in what has arrived, up to the end of one request."""
        try:
            while self._task is None:
                event = self._http.next_event()
                if event is h11.NEED_DATA:
                    self._encourage()
                    return
                if isinstance(event, h11.Request):
                    self._request, self._body, self._body_bytes = event, [], 0
                elif isinstance(event, h11.Data):
                    self._take(bytes(event.data))
                elif isinstance(event, h11.EndOfMessage):
                    self._answer()
                else:
                    return
        except h11.RemoteProtocolError as error:
            self._answer_garbage(error)

    def _encourage(self) -> None:
        if self._http.they_are_waiting_for_100_continue:
            self._write(self._http.send(h11.InformationalResponse(status_code=100, headers=[])))

    def _take(self, data: bytes) -> None:
        """Keep the body up to the cap; the rest is read and dropped, so that the client gets its answer."""
        self._body_bytes += len(data)
        if self._body_bytes <= self._server.max_body_bytes:
            self._body.append(data)

    def _answer(self) -> None:
        assert self._request is not None
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in self._request.headers}
        method, target = self._request.method.decode("latin-1"), self._request.target.decode("latin-1")
        if self._server.control is not None and target.startswith("/__"):
            self._task = self._loop.create_task(
                self._controlled(self._server.control, method, target, headers)
            )
            return
        exchange = self._begin(method, target, headers)
        reply = self._routed(exchange, b"".join(self._body))
        self._body = []
        self._start(exchange, reply)

    def _routed(self, exchange: Exchange, body: bytes) -> Reply:
        limit = self._server.max_body_bytes
        if self._body_bytes > limit:
            size = f"a body of {self._body_bytes} bytes; the limit is {limit} bytes"
            return refuse(exchange, 413, f"request {exchange.number} has {size}")
        try:
            return self._server.route(exchange, body)
        except Exception:  # noqa: BLE001 - the run must fail with it, and the client must hear of it
            return refuse(exchange, 500, _bug())

    def _answer_garbage(self, error: h11.RemoteProtocolError) -> None:
        exchange = self._begin("?", "?", {})
        problem = f"request {exchange.number} is not HTTP: {error}"
        self._start(exchange, refuse(exchange, error.error_status_hint, problem))

    def _begin(self, method: str, path: str, headers: dict[str, str]) -> Exchange:
        return self._server.journal.begin(method, path, headers, self._server.clock())

    def _start(self, exchange: Exchange, reply: Reply) -> None:
        self._exchange = exchange
        self._server.journal.asked(exchange, self._server.clock())
        self._task = self._loop.create_task(self._reply(exchange, reply))

    async def _controlled(
        self, control: Controlling, method: str, target: str, headers: dict[str, str]
    ) -> None:
        from mock_llm.asked import Asked  # here, as a run of qa does not need it

        try:
            status, body = await control.answer(Asked(method, target, headers))
        except Exception:  # noqa: BLE001 - the caller must hear of it
            status, body = 500, json.dumps({"error": _bug()}).encode()
        fields = [("content-type", "application/json"), ("content-length", str(len(body)))]
        head = self._http.send(h11.Response(status_code=status, headers=fields)) or b""
        shown = b"" if method == "HEAD" else (self._http.send(h11.Data(data=body)) or b"")
        self._write(head + shown + (self._http.send(h11.EndOfMessage()) or b""))
        self._task = None
        self._next_request()

    # Replies.

    async def _reply(self, exchange: Exchange, reply: Reply) -> None:
        try:
            await self._deliver(exchange, reply)
        except Exception:  # noqa: BLE001 - whatever it is, the run must fail with it and not hang
            exchange.problem = _bug()
            self.drop("refused")
            return
        self._exchange = self._task = None
        self._next_request()

    async def _deliver(self, exchange: Exchange, reply: Reply) -> None:
        start_s = self._loop.time()
        if reply.is_watched:
            self._transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_SNDBUF, WATCHED_SEND_BUFFER)
        out = self._head(reply)
        must_yield = False
        for command in reply.commands:
            if isinstance(command, Send):
                if must_yield:
                    await self._yield()
                self._write(out + self._framed(command.data, reply))
                out, must_yield = b"", True
                if command.chars:
                    self._server.journal.sent(exchange, command.text, self._server.clock())
            elif isinstance(command, WaitUntil):
                if out and reply.length is None:
                    self._write(out)
                    out = b""
                must_yield = await self._wait_until(start_s + command.at_ms / 1000, must_yield=must_yield)
            else:
                await self._finish(exchange, command, out)

    async def _finish(self, exchange: Exchange, command: Finish, out: bytes) -> None:
        self._write(out + (self._http.send(h11.EndOfMessage()) or b""))
        if self._drained is not None:
            await self._drained
        ended: Ending = "refused" if exchange.problem else command.ended
        self._server.journal.end(exchange, ended, self._server.clock())

    def _head(self, reply: Reply) -> bytes:
        framing = ("transfer-encoding", "chunked")
        if reply.length is not None:
            framing = ("content-length", str(reply.length))
        response = h11.Response(status_code=reply.status, headers=[*reply.headers, framing])
        return self._http.send(response) or b""

    def _framed(self, data: bytes, reply: Reply) -> bytes:
        if reply.length is not None:
            is_head = self._request is not None and self._request.method == b"HEAD"
            return b"" if is_head else (self._http.send(h11.Data(data=data)) or b"")
        if self._http.their_http_version == b"1.0":
            return data
        return b"%x\r\n%b\r\n" % (len(data), data)

    def _write(self, data: bytes) -> None:
        if data:
            self._transport.write(data)

    async def _wait_until(self, deadline_s: float, *, must_yield: bool) -> bool:
        """Wait, unless the deadline has passed; says whether the loop must still be given a turn."""
        if self._drained is not None:
            await self._drained
        delay_s = deadline_s - self._loop.time()
        if delay_s <= 0:
            return must_yield
        await asyncio.sleep(delay_s)
        return False

    async def _yield(self) -> None:
        """Between two writes: wait for a slow client, and let the loop see whether a fast one hung up."""
        if self._drained is not None:
            await self._drained
        else:
            await asyncio.sleep(0)

    def _next_request(self) -> None:
        if self._http.our_state is h11.DONE and self._http.their_state is h11.DONE:
            self._http.start_next_cycle()
            self._advance()
        else:
            self._transport.close()


def _bug() -> str:
    return f"a bug in the mock server, not in what it was asked:\n{traceback.format_exc()}"
