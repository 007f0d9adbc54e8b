"""The recorder: a reverse proxy that writes down what passes through it.

Bytes go through as they come; what they say is decoded beside that. A client that hangs up ends the request
upstream at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import time
from typing import TYPE_CHECKING, NamedTuple, cast

import h11

from mock_llm.listening import Listener
from mock_llm.record_decode import dialect_of
from mock_llm.record_files import CannotRecord
from mock_llm.record_lines import Lines
from mock_llm.record_upstream import CHUNK_BYTES, Broken, Exchanged, passed_on
from mock_llm.redaction import redacted_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mock_llm.record_files import ExchangeFile, Recording
    from mock_llm.record_lines import Ended, Line
    from mock_llm.record_upstream import Upstream

MAX_HEAD_BYTES = 256 * 1024
_BODILESS = frozenset((204, 304))


class Passed(NamedTuple):
    """A request that has gone through, for whoever watches. ``chars`` is None for what is not recorded."""

    number: int
    method: str
    path: str
    status: int
    chars: int | None
    ended: Ended
    problem: str = ""


class Asked(NamedTuple):
    """A whole request of a client."""

    method: str
    target: str
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes

    @property
    def named(self) -> dict[str, str]:
        """The headers by name."""
        return {name.decode("latin-1"): value.decode("latin-1") for name, value in self.headers}


class Recorder:
    """Pass requests on to ``upstream`` and write the exchanges with its models to ``recording``.

    Args:
        tell: Hears of every request that has gone through.
        clock: Seconds.
    """

    def __init__(
        self,
        upstream: Upstream,
        recording: Recording,
        tell: Callable[[Passed], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.upstream = upstream
        self.recording = recording
        self.tell = tell
        self.clock = clock
        self.base_url = ""
        self.is_stopping = False
        self.attempts = Attempts()
        self._count = 0
        self._listener = Listener(self._protocol)
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen.

        Raises:
            ValueError: If the address is not a loopback address.
            OSError: If the port is taken.
        """
        self.base_url = await self._listener.open(None, host, port)

    async def stop(self) -> None:
        """End every connection; what had arrived is kept."""
        self.is_stopping = True
        self._listener.close()
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._listener.closed()

    def next_number(self) -> int:
        """The number of a request that has arrived."""
        self._count += 1
        return self._count

    def _protocol(self) -> asyncio.StreamReaderProtocol:
        reader = asyncio.StreamReader()
        return asyncio.StreamReaderProtocol(reader, self._connected)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(_Client(self, reader, writer).serve())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class Attempts:
    """Which requests are another attempt at one that failed: the same body at the same path."""

    def __init__(self) -> None:
        self._failed: dict[str, int] = {}

    def find(self, asked: Asked) -> int | None:
        """The place of the turn that this request asks for again."""
        return self._failed.pop(_fingerprint(asked), None)

    def failed(self, asked: Asked, turn: int) -> None:
        """An attempt at that turn has failed."""
        self._failed[_fingerprint(asked)] = turn


def _fingerprint(asked: Asked) -> str:
    return hashlib.sha256(f"{asked.method} {asked.target}\n".encode() + asked.body).hexdigest()


class _Client:
    """One connection of a client: its requests one after the other."""

    def __init__(
        self, recorder: Recorder, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._recorder = recorder
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)

    async def serve(self) -> None:
        """Until the client has gone."""
        try:
            while (asked := await self._request()) is not None:
                if not await self._passed(asked) or not self._is_reusable():
                    break
                self._http.start_next_cycle()
        except (h11.RemoteProtocolError, ConnectionError):
            pass
        finally:
            self._writer.close()
            with contextlib.suppress(ConnectionError):
                await self._writer.wait_closed()

    def _is_reusable(self) -> bool:
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    async def _request(self) -> Asked | None:
        """The next request; None when the client has closed instead."""
        head: h11.Request | None = None
        body: list[bytes] = []
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                if self._http.they_are_waiting_for_100_continue:
                    self._write(h11.InformationalResponse(status_code=100, headers=[]))
                self._http.receive_data(await self._reader.read(CHUNK_BYTES))
            elif isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body.append(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage) and head is not None:
                method, target = head.method.decode("latin-1"), head.target.decode("latin-1")
                return Asked(method, target, tuple(head.headers), b"".join(body))
            else:
                return None

    async def _passed(self, asked: Asked) -> bool:
        """Answer a request; False when the connection is of no more use. Ends early with the client."""
        passing = _Passing(self._recorder, asked, self)
        task = asyncio.ensure_future(passing.run())
        watch = asyncio.ensure_future(self._until_hung_up())
        try:
            await asyncio.wait((task, watch), return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                passing.ended = "client-hung-up"
        finally:
            for each in (task, watch):
                each.cancel()
            try:
                results = await asyncio.gather(task, watch, return_exceptions=True)
            finally:
                passing.close()
        for result in results:
            if isinstance(result, Exception):
                raise result
        return passing.ended in ("complete", "early-end")

    async def _until_hung_up(self) -> None:
        """Read on while a reply is under way, so that the end of the connection is seen at once."""
        with contextlib.suppress(ConnectionError):
            while data := await self._reader.read(CHUNK_BYTES):
                self._http.receive_data(data)

    def _write(self, *events: h11.Event) -> None:
        self._writer.write(b"".join(self._http.send(event) or b"" for event in events))

    async def send(self, *events: h11.Event) -> None:
        """Write to the client, no faster than it reads."""
        self._write(*events)
        await self._writer.drain()

    def cut(self) -> None:
        """End the connection without ending the body."""
        self._writer.transport.abort()


class _Passing:
    """One request on its way upstream, and its answer on the way back."""

    def __init__(self, recorder: Recorder, asked: Asked, client: _Client) -> None:
        self.ended: Ended = "recorder-stopped"
        self._recorder = recorder
        self._asked = asked
        self._client = client
        self._number = recorder.next_number()
        self._status = 0
        self._problem = ""
        self._started_s = recorder.clock()
        dialect = dialect_of(asked.target) if asked.method == "POST" else None
        self._lines = Lines(dialect, asked.method, asked.target, asked.named) if dialect else None
        self._file: ExchangeFile | None = None
        self._is_unrecorded = False

    async def run(self) -> None:
        """Pass the request on, and the answer back as it comes."""
        asked, recorder = self._asked, self._recorder
        if self._lines is not None:
            try:
                self._begin(self._lines)
            except CannotRecord as error:
                self._give_up(error)
        try:
            async with Exchanged(
                recorder.upstream, asked.method, asked.target, asked.headers, asked.body
            ) as exchanged:
                self._started_s = recorder.clock()
                await self._back(exchanged)
        except Broken as error:
            self.ended, self._problem = "upstream-closed", self._problem or str(error)
            if self._status:
                self._client.cut()
            else:
                await self._bad_gateway(str(error))
        except ConnectionError:  # of the client: those of the other side are Broken
            self.ended = "client-hung-up"

    def close(self) -> None:
        """Write how it ended, and tell."""
        if self._lines is not None and self._file is not None:
            self._written(self._lines.end(self._ms(), self.ended))
            if self._lines.is_failed:
                self._recorder.attempts.failed(self._asked, self._file.turn)
            self._file.close()
        chars = self._lines.chars if self._lines is not None else None
        path = redacted_path(self._asked.target)
        self._recorder.tell(
            Passed(self._number, self._asked.method, path, self._status, chars, self.ended, self._problem)
        )

    def _begin(self, lines: Lines) -> None:
        recording, asked = self._recorder.recording, self._asked
        path = redacted_path(asked.target).partition("?")[0]
        comment = f"{self._number} {path}{_model(asked.body)}"
        self._file = recording.begin(comment, self._recorder.attempts.find(asked))
        self._file.write([lines.begin(asked.body)])
        recording.write_script()

    def _written(self, lines: Iterable[Line]) -> None:
        """Write lines, if the exchange is still recorded."""
        if self._file is not None and not self._is_unrecorded:
            try:
                self._file.write(lines)
            except CannotRecord as error:
                self._give_up(error)

    def _give_up(self, error: CannotRecord) -> None:
        """Go on passing the reply through without recording it."""
        self._is_unrecorded, self._problem = True, str(error)

    async def _back(self, exchanged: Exchanged) -> None:
        response = await exchanged.head()
        self._status = response.status_code
        headers = [(name.lower(), value) for name, value in response.headers]
        if self._lines is not None and self._file is not None:
            named = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
            self._written([self._lines.head(self._ms(), self._status, named)])
        await self._client.send(
            h11.Response(
                status_code=self._status, reason=response.reason, headers=_framed(self._status, headers)
            )
        )
        async for data in exchanged.body():
            if self._lines is not None and self._file is not None:
                self._written(self._lines.feed(self._ms(), data))
            await self._client.send(h11.Data(data=data))
        self.ended = "complete"
        await self._client.send(h11.EndOfMessage())

    async def _bad_gateway(self, problem: str) -> None:
        body = json.dumps({"error": {"message": f"mock-llm record: {problem}", "type": "upstream"}}).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(body)))]
        await self._client.send(
            h11.Response(status_code=502, headers=headers), h11.Data(data=body), h11.EndOfMessage()
        )

    def _ms(self) -> float:
        return (self._recorder.clock() - self._started_s) * 1000


def _framed(status: int, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers that go back; a body of unknown length is chunked."""
    if status in _BODILESS:
        return passed_on(headers)
    lengths = [(name, value) for name, value in headers if name == b"content-length"]
    return passed_on(headers) + (lengths or [(b"transfer-encoding", b"chunked")])


def _model(body: bytes) -> str:
    """What the request says of the model, for the script's comments."""
    try:
        asked = cast("object", json.loads(body))
    except (ValueError, RecursionError):
        return ""
    model = asked.get("model") if isinstance(asked, dict) else None
    return f", model {model}" if isinstance(model, str) else ""
