"""The name server of one run: it knows no name, and remembers what it was asked."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from harness.containment.names import parse_question

if TYPE_CHECKING:
    import asyncio
    import socket
    from collections.abc import Callable, Sequence

MOST_NAMES = 200
"""Names after these are answered and not remembered."""

_LONGEST = 65_535
_LENGTH_BYTES = 2
_AT_ONCE = 100


class Resolver:
    """Answers every question with NXDOMAIN, on the loop that serves the model too.

    Args:
        sockets: A datagram and a listening socket, neither of them blocking.
        heard: Is called with the name and the type of record at the first question for both.
    """

    def __init__(self, sockets: Sequence[socket.socket], heard: Callable[[str, str], None]) -> None:
        self._datagrams, self._listening = sockets
        self._heard = heard
        self._asked: dict[tuple[str, str], None] = {}
        self._open: set[socket.socket] = set()

    @property
    def names(self) -> tuple[str, ...]:
        """What was asked for, each name once."""
        return tuple(dict.fromkeys(name for name, _record in self._asked))

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Answer from now on."""
        loop.add_reader(self._datagrams, self._answer_datagrams)
        loop.add_reader(self._listening, self._accept, loop)

    def stop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Hear what is waiting, and answer no more."""
        self._answer_datagrams()
        loop.remove_reader(self._datagrams)
        loop.remove_reader(self._listening)
        for connection in list(self._open):
            self._close(loop, connection)

    def _answer_datagrams(self) -> None:
        for _ in range(_AT_ONCE):
            try:
                packet, sender = self._datagrams.recvfrom(_LONGEST)
            except OSError:
                return
            if answer := self._answer(packet):
                with suppress(OSError):
                    self._datagrams.sendto(answer, sender)

    def _accept(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            connection, _sender = self._listening.accept()
        except OSError:
            return
        connection.setblocking(False)  # noqa: FBT003 - a positional-only argument
        self._open.add(connection)
        loop.add_reader(connection, self._answer_stream, loop, connection, bytearray())

    def _answer_stream(
        self, loop: asyncio.AbstractEventLoop, connection: socket.socket, waiting: bytearray
    ) -> None:
        try:
            data = connection.recv(_LONGEST)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        waiting += data
        while len(waiting) >= _LENGTH_BYTES:
            end = _LENGTH_BYTES + int.from_bytes(waiting[:_LENGTH_BYTES], "big")
            if len(waiting) < end:
                break
            answer = self._answer(bytes(waiting[_LENGTH_BYTES:end]))
            del waiting[:end]
            with suppress(OSError):
                connection.send(len(answer).to_bytes(_LENGTH_BYTES, "big") + answer)
        if not data:
            self._close(loop, connection)

    def _answer(self, packet: bytes) -> bytes:
        question = parse_question(packet)
        if question is None:
            return b""
        key = question.name, question.record
        if key not in self._asked and len(self._asked) < MOST_NAMES:
            self._asked[key] = None
            self._heard(*key)
        return question.answer

    def _close(self, loop: asyncio.AbstractEventLoop, connection: socket.socket) -> None:
        loop.remove_reader(connection)
        connection.close()
        self._open.discard(connection)
