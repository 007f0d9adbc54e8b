"""The one client of the benchmark: it reads streams as fast as it can and judges them afterwards."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from itertools import count
from typing import cast

BODY_END = b"0\r\n\r\n"
LIMIT_S = 30
_numbers = count(1)


@dataclass
class Answer:
    """What came back, and when. Times are seconds of ``time.monotonic``."""

    chunks: list[tuple[float, bytes]] = field(default_factory=list)
    error: str = ""

    @property
    def first_s(self) -> float:
        return self.chunks[0][0]

    def body(self) -> bytes:
        """The body without its chunked framing."""
        head, _, rest = b"".join(data for _, data in self.chunks).partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200"):
            raise ValueError(f"not an answer: {head[:200]!r} {rest[:200]!r}")
        pieces, start = [], 0
        while start < len(rest):
            line_end = rest.index(b"\r\n", start)
            length, start = int(rest[start:line_end], 16), line_end + 2
            end = start + length
            pieces.append(rest[start:end])
            start = end + 2
        return b"".join(pieces)

    def deltas(self) -> list[str]:
        """The content of each event that has some."""
        lines = (line[5:] for line in self.body().split(b"\n") if line.startswith(b"data:"))
        events = (json.loads(line) for line in lines if line.strip() != b"[DONE]")
        said = (e["choices"][0]["delta"].get("content") for e in events if e["choices"])
        return [text for text in said if text]


class _Reader(asyncio.Protocol):
    """One request on one connection; ``done`` gets the answer when the body has ended."""

    def __init__(self, request: bytes) -> None:
        self.answer = Answer()
        self.done: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._request = request
        self._tail = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self.answer.chunks.append((time.monotonic(), data))
        self._tail = (self._tail + data)[-5:] if len(data) < 5 else data[-5:]
        is_refused = not self.answer.chunks[0][1].startswith(b"HTTP/1.1 200")
        if self._tail == BODY_END or is_refused:
            self._end()

    def connection_lost(self, error: Exception | None) -> None:
        self.answer.error = f"the connection ended early ({error})"
        self._end()

    def _end(self) -> None:
        if not self.done.done():
            self.done.set_result(self.answer)


def request(prompt: str | None = None) -> bytes:
    """A streamed chat completion; without a prompt one that was not asked before."""
    asked = prompt or f"question {next(_numbers)}"
    messages = [{"role": "user", "content": asked}]
    body = json.dumps({"model": "gpt-4o", "stream": True, "messages": messages}).encode()
    head = (
        "POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer bench\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def open_stream(port: int, prompt: str | None = None) -> _Reader:
    """Ask, and return while the answer comes."""
    loop = asyncio.get_running_loop()
    _, reader = await loop.create_connection(lambda: _Reader(request(prompt)), "127.0.0.1", port)
    return reader


async def ask(port: int) -> Answer:
    """Ask on a new connection and read the whole answer."""
    reader = await open_stream(port)
    try:
        async with asyncio.timeout(LIMIT_S):
            return await reader.done
    finally:
        reader.transport.abort()


async def together(port: int, streams: int) -> tuple[float, list[Answer]]:
    """So many requests at a time, each on its own connection; seconds for all, and the answers."""
    started_s = time.perf_counter()
    answers = await asyncio.gather(*(ask(port) for _ in range(streams)))
    return time.perf_counter() - started_s, answers


def faults_of(answers: list[Answer], text: str) -> list[str]:
    """What is wrong with the answers; every one has to carry the text, whole."""
    found = []
    for answer in answers:
        try:
            said = "".join(answer.deltas())
        except (ValueError, KeyError, IndexError) as error:
            found.append(answer.error or repr(error))
            continue
        if said != text:
            found.append(answer.error or f"{len(said)} characters instead of {len(text)}")
    return found
