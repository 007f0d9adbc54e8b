"""One client connection: HTTP in and out over an asyncio transport.

The usual request, in one piece or several, and the chunks of a stream are read and framed here, as that is
the hot path; all else is left to h11, which is loaded when it is needed, so that the start is fast. The
connection always reads, also while it replies, so that a client that hangs up is noticed at once.
"""

from __future__ import annotations

import asyncio
import json
import traceback
from typing import TYPE_CHECKING, cast

from mock_llm.packed_body import PackedError, unpacked
from mock_llm.plain_request import PlainRequest, plain_request
from mock_llm.playing import Framing, Player
from mock_llm.routing import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    import h11

    from mock_llm.asked import Controlling
    from mock_llm.journal import Ending, Exchange
    from mock_llm.replies import Reply
    from mock_llm.server import MockServer

MAX_HEAD_BYTES = 256 * 1024
MAX_EARLY_BYTES = 64 * 1024


class Connection(asyncio.Protocol):
    """Serve the requests of one connection, one after the other."""

    def __init__(self, server: MockServer) -> None:
        self._server = server
        self._loop = asyncio.get_running_loop()
        self._rules: h11.Connection | None = None
        self._request: h11.Request | None = None
        # The bytes of a request that h11 has not seen, while it is answered.
        self._plain = b""
        # A usual request that has not arrived whole, and its pieces.
        self._coming: PlainRequest | None = None
        self._pieces: list[bytes] = []
        self._missing = 0
        # What arrives while a request is answered waits for the next one.
        self._early = bytearray()
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._exchange: Exchange | None = None
        self._task: asyncio.Task[None] | None = None
        self._closed: asyncio.Future[None] = self._loop.create_future()

    # What the transport calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._player = Player(self._server, self._transport)
        self._server.connections.add(self)
        if self._server.is_stopping:
            self.drop("server-stopped")

    def data_received(self, data: bytes) -> None:
        if self._task is not None:
            self._early += data
            if len(self._early) > MAX_EARLY_BYTES:
                self.drop("client-hung-up")
        elif self._coming is not None:
            self._pieces.append(data)
            self._missing -= len(data)
            self._go_on(self._coming)
        elif not (self._is_fresh and self._begin_plain(data)):
            self._by_the_rules(data)

    def eof_received(self) -> None:
        """A client that closes its side has stopped caring, even if it still reads."""
        self.drop("client-hung-up")

    def connection_lost(self, error: Exception | None) -> None:
        del error
        self._server.connections.discard(self)
        if not self._closed.done():
            self._closed.set_result(None)
        self._abandon("client-hung-up")

    def pause_writing(self) -> None:
        self._player.pause()

    def resume_writing(self) -> None:
        self._player.resume()

    # What the server calls.

    def drop(self, ended: Ending) -> None:
        """Close now; a reply that is under way ends with that word."""
        self._abandon(ended)
        self._transport.abort()

    @property
    def is_idle(self) -> bool:
        """Whether no reply is under way."""
        return self._task is None

    async def finished(self) -> None:
        """Return when the socket is closed and the reply's task has ended."""
        if self._task is not None:
            await asyncio.wait((self._task,))
        await self._closed

    def _abandon(self, ended: Ending) -> None:
        self._settle()
        if self._exchange is not None:
            self._server.journal.end(self._exchange, ended, self._server.clock())
        if self._task is not None:
            self._task.cancel()

    def _settle(self) -> None:
        """What is known of how much of the last reply has arrived."""
        if self._exchange is not None:
            self._exchange.received_at_least = self._player.received_at_least()

    # Requests.

    @property
    def _is_fresh(self) -> bool:
        """Whether h11 has seen nothing of the next request."""
        if self._rules is None:
            return True
        import h11

        return self._rules.their_state is h11.IDLE and not self._rules.trailing_data[0]

    @property
    def _http(self) -> h11.Connection:
        """The full rules of HTTP, loaded when a request is not a usual one."""
        if self._rules is None:
            import h11

            self._rules = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        return self._rules

    def _by_the_rules(self, data: bytes) -> None:
        self._http.receive_data(data)
        self._advance()

    def _begin_plain(self, data: bytes) -> bool:
        """Take a usual request without h11, if it is one: many clients send head and body one by one."""
        plain = plain_request(data)
        if plain is None or plain.target.startswith("/__"):
            return False
        self._body_bytes = len(plain.body) + plain.missing
        if plain.missing and self._body_bytes > self._server.max_body_bytes:
            return False
        self._pieces, self._missing = [data], plain.missing
        self._go_on(plain)
        return True

    def _go_on(self, plain: PlainRequest) -> None:
        """Answer the request when it is here whole; what is longer than it said is more than one."""
        self._coming = plain if self._missing > 0 else None
        if self._missing > 0:
            return
        data = b"".join(self._pieces)
        self._pieces = []
        if self._missing < 0:
            self._by_the_rules(data)
            return
        self._plain = data
        self._answer_model("POST", plain.target, plain.headers, data[len(data) - self._body_bytes :])

    def _tell_h11(self) -> None:
        """The request that it has not seen is answered by its rules after all."""
        import h11

        self._http.receive_data(self._plain)
        while not isinstance(event := self._http.next_event(), h11.EndOfMessage):
            if isinstance(event, h11.Request):
                self._request = event
        self._plain = b""

    def _advance(self) -> None:
        """Take in what has arrived, up to the end of one request."""
        import h11

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
        import h11

        if self._http.they_are_waiting_for_100_continue:
            self._player.write(self._http.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")

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
        body, self._body = b"".join(self._body), []
        self._answer_model(method, target, headers, body)

    def _answer_model(self, method: str, target: str, headers: dict[str, str], body: bytes) -> None:
        exchange = self._begin(method, target, headers)
        body, reply = self._routed(exchange, body)
        self._server.spill.body(exchange, body)
        self._start(exchange, reply)
        self._server.spill.forget(exchange, len(body))

    def _routed(self, exchange: Exchange, body: bytes) -> tuple[bytes, Reply]:
        """The body, unpacked, and the reply to it."""
        limit = self._server.max_body_bytes
        if self._body_bytes > limit:
            size = f"a body of {self._body_bytes} bytes; the limit is {limit} bytes"
            return body, refuse(exchange, 413, f"request {exchange.number} has {size}")
        try:
            body = unpacked(body, exchange.headers.get("content-encoding", ""), limit)
            return body, self._server.route(exchange, body)
        except PackedError as error:
            return body, refuse(exchange, error.status, f"request {exchange.number} has {error}")
        except Exception:  # noqa: BLE001 - the run must fail with it, and the client must hear of it
            return body, refuse(exchange, 500, _bug())

    def _answer_garbage(self, error: h11.RemoteProtocolError) -> None:
        exchange = self._begin("?", "?", {})
        problem = f"request {exchange.number} is not HTTP: {error}"
        self._start(exchange, refuse(exchange, error.error_status_hint, problem))

    def _begin(self, method: str, path: str, headers: dict[str, str]) -> Exchange:
        return self._server.journal.begin(method, path, headers, self._server.clock())

    def _start(self, exchange: Exchange, reply: Reply) -> None:
        self._settle()
        self._exchange = exchange
        self._server.journal.asked(exchange, self._server.clock())
        self._task = self._loop.create_task(self._reply(exchange, reply))

    async def _controlled(
        self, control: Controlling, method: str, target: str, headers: dict[str, str]
    ) -> None:
        import h11

        from mock_llm.asked import Asked  # here, as a run of qa does not need it

        try:
            status, body = await control.answer(Asked(method, target, headers))
        except Exception:  # noqa: BLE001 - the caller must hear of it
            status, body = 500, json.dumps({"error": _bug()}).encode()
        fields = [("content-type", "application/json"), ("content-length", str(len(body)))]
        head = self._http.send(h11.Response(status_code=status, headers=fields)) or b""
        shown = b"" if method == "HEAD" else (self._http.send(h11.Data(data=body)) or b"")
        self._player.write(head + shown + (self._http.send(h11.EndOfMessage()) or b""))
        self._task = None
        self._next_request()

    # Replies.

    async def _reply(self, exchange: Exchange, reply: Reply) -> None:
        try:
            await self._player.play(exchange, reply, self._framing(exchange, reply))
        except Exception:  # noqa: BLE001 - whatever it is, the run must fail with it and not hang
            exchange.problem = _bug()
            self.drop("refused")
            return
        self._task = None
        self._next_request()

    def _framing(self, exchange: Exchange, reply: Reply) -> Framing:
        import h11

        if reply.status == 0:
            return Framing(b"", bytes, bytes)
        if self._plain:
            if reply.length is None and not exchange.fault:
                return Framing(_stream_head(reply), _chunk, lambda: b"0\r\n\r\n")
            self._tell_h11()
        http = self._http
        framing = ("transfer-encoding", "chunked")
        if reply.length is not None:
            framing = ("content-length", str(reply.length))
        response = h11.Response(status_code=reply.status, headers=[*reply.headers, framing])
        head = http.send(response) or b""
        piece: Callable[[bytes], bytes] = self._whole_piece if reply.length is not None else _chunk
        if reply.length is None and http.their_http_version == b"1.0":
            piece = bytes
        return Framing(head, piece, lambda: http.send(h11.EndOfMessage()) or b"")

    def _whole_piece(self, data: bytes) -> bytes:
        import h11

        is_head = self._request is not None and self._request.method == b"HEAD"
        return b"" if is_head else (self._http.send(h11.Data(data=data)) or b"")

    def _may_go_on(self) -> bool:
        import h11

        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    def _next_request(self) -> None:
        if self._plain:
            self._plain = b""
        elif self._may_go_on():
            self._http.start_next_cycle()
        else:
            self._transport.close()
            return
        if self._early:
            self._http.receive_data(bytes(self._early))
            self._early.clear()
        self._advance()


def _stream_head(reply: Reply) -> bytes:
    """The head of a stream. Its values are ours, so that none needs to be checked."""
    fields = "".join(f"{name}: {value}\r\n" for name, value in reply.headers)
    return f"HTTP/1.1 {reply.status} \r\n{fields}Transfer-Encoding: chunked\r\n\r\n".encode("latin-1")


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _bug() -> str:
    return f"a bug in the mock server, not in what it was asked:\n{traceback.format_exc()}"
