"""Carries out the commands of one reply on a connection's transport.

Everything that is handed to the socket is counted here, so that a hang-up can be placed: see
:meth:`Player.received_at_least`.
"""

from __future__ import annotations

import asyncio
import struct
from collections import deque
from fcntl import ioctl
from socket import SO_LINGER, SO_SNDBUF, SOL_SOCKET
from termios import TIOCOUTQ
from typing import TYPE_CHECKING

from mock_llm.delivery import Close, Drain, Finish, Hold, Refuse, Reset, Send, Stall, WaitUntil

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from typing import Any

    from mock_llm.journal import Ending, Exchange
    from mock_llm.replies import Reply
    from mock_llm.server import MockServer

# The kernel's part of what was "sent" but not read: small where the count matters (measured: a send buffer of
# 8 KiB keeps the count within 370 characters of what the client read).
WATCHED_SEND_BUFFER = 8 * 1024
# An acknowledgement raises no event, so it is asked for: at once a few times, then less and less often.
EAGER_LOOKS = 8
LONGEST_LOOK_S = 0.01
MOST_MARKS = 1024


class Player:
    """The way out of one connection. One reply at a time."""

    def __init__(self, server: MockServer, transport: asyncio.Transport) -> None:
        # Any unsent byte pauses the reply: memory stays at one write, and "sent" means handed to the kernel.
        transport.set_write_buffer_limits(high=0)
        self.drained: asyncio.Future[None] | None = None
        self._server = server
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._written = 0
        self._in_kernel = 0
        self._marks: deque[tuple[int, int]] = deque()
        self._received = 0

    # The transport's say in when to write.

    def pause(self) -> None:
        self.drained = self._loop.create_future()

    def resume(self) -> None:
        self._in_kernel = self._written
        if self.drained is not None and not self.drained.done():
            self.drained.set_result(None)
        self.drained = None

    def write(self, data: bytes) -> None:
        """Hand bytes to the transport, which keeps what the kernel does not take."""
        if data:
            self._written += len(data)
            self._transport.write(data)
            self._in_kernel = max(self._in_kernel, self._written - self._transport.get_write_buffer_size())

    def received_at_least(self) -> int:
        """Characters of the current reply that the client's kernel has acknowledged.

        A lower bound: a write that was acknowledged in part does not count.
        """
        unread = self._unacknowledged()
        acknowledged = self._in_kernel - unread if unread is not None else 0
        while self._marks and self._marks[0][0] <= acknowledged:
            self._received = self._marks.popleft()[1]
        return self._received

    async def play(self, exchange: Exchange, reply: Reply, framing: Framing) -> None:
        """Send a reply. Cancelled when the client hangs up."""
        await _Play(self, exchange, reply, framing).run()

    def begin(self) -> None:
        """A new reply is counted from nothing."""
        self._marks.clear()
        self._received = 0

    def mark(self, chars: int) -> None:
        """With the bytes written so far, so many characters of the reply were handed over."""
        self._marks.append((self._written, chars))
        if len(self._marks) > MOST_MARKS:
            self.received_at_least()

    async def until_acknowledged(self) -> None:
        """Wait until the client's kernel has every byte; for ever if the client does not read."""
        looks = 0
        while True:
            if self.drained is not None:
                await self.drained
            if not self._unacknowledged():
                return
            looks += 1
            await asyncio.sleep(0 if looks < EAGER_LOOKS else min(0.0002 * looks, LONGEST_LOOK_S))

    def watch(self) -> None:
        """Keep the kernel's buffer small from now on."""
        self._socket().setsockopt(SOL_SOCKET, SO_SNDBUF, WATCHED_SEND_BUFFER)

    def reset(self) -> None:
        """Close with a RST, whatever is still unsent."""
        self._socket().setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    def close(self) -> None:
        """Close with a FIN after what was written."""
        self._transport.close()

    def _socket(self) -> Any:
        return self._transport.get_extra_info("socket")

    def _unacknowledged(self) -> int | None:
        """Bytes that the kernel holds until the client's kernel has them; None when it does not say."""
        try:
            answer = ioctl(self._socket().fileno(), TIOCOUTQ, b"\0\0\0\0")
        except (OSError, ValueError):
            return None
        return int.from_bytes(answer, "little")


class Framing:
    """How a body travels: the bytes of its head, its pieces and its end."""

    def __init__(self, head: bytes, piece: Callable[[bytes], bytes], end: Callable[[], bytes]) -> None:
        self.head = head
        self.piece = piece
        self.end = end


class _Play:
    """One reply under way."""

    def __init__(self, player: Player, exchange: Exchange, reply: Reply, framing: Framing) -> None:
        self._player = player
        self._exchange = exchange
        self._reply = reply
        self._framing = framing
        self._out = framing.head
        self._unsent: Send | None = None
        self._must_yield = False
        self._loop = player._loop  # noqa: SLF001 - two halves of one thing
        self._server = player._server  # noqa: SLF001

    async def run(self) -> None:
        self._start_s = self._loop.time()
        self._player.begin()
        if self._reply.is_watched:
            self._player.watch()
        for command in self._reply.commands:
            if type(command) is Send:
                await self._send(command)
            else:
                await self._PERFORM[type(command)](self, command)

    async def _send(self, command: Send) -> None:
        """Keep it until the next command is known: the end of a reply leaves with its last piece."""
        if self._unsent is not None:
            await self._write()
        self._unsent = command

    async def _write(self, *, is_last: bool = False) -> None:
        """Hand over the head, if it has not left, with the piece that waits, and with the body's end."""
        command, self._unsent = self._unsent, None
        if self._must_yield:
            await self._yield()
        out, self._out = self._out, b""
        if command is None:
            self._player.write(out + self._framing.end() if is_last else out)
            return
        out += self._framing.piece(command.data)
        self._player.write(out + self._framing.end() if is_last else out)
        self._must_yield = True
        if command.chars:
            exchange = self._exchange
            self._server.journal.sent(exchange, command.text, self._server.clock())
            self._player.mark(exchange.chars_sent)

    async def _yield(self) -> None:
        """Between two writes: wait for a slow client, and let the loop see whether a fast one hung up."""
        if self._player.drained is not None:
            await self._player.drained
        else:
            await asyncio.sleep(0)

    async def _flushed(self) -> None:
        """Before a wait: a stream's head leaves at once, a whole reply's head with its body."""
        if self._unsent is not None or (self._out and self._reply.length is None):
            await self._write()
        if self._player.drained is not None:
            await self._player.drained

    async def _wait_until(self, command: WaitUntil) -> None:
        """Wait, unless the deadline has passed; the loop then still owes a turn to others."""
        await self._flushed()
        delay_s = self._start_s + command.at_ms / 1000 - self._loop.time()
        if delay_s > 0:
            await asyncio.sleep(delay_s)
            self._must_yield = False

    async def _drain(self, _: Drain) -> None:
        await self._flushed()
        await self._player.until_acknowledged()

    async def _hold(self, command: Hold) -> None:
        await self._flushed()
        gates, journal, exchange = self._server.gates, self._server.journal, self._exchange
        if gates.lets_through(command.gate):
            return
        held_s = self._loop.time()
        journal.held(exchange, command.gate, self._server.clock())
        await gates.wait(command.gate)
        journal.released(exchange, self._server.clock())
        self._start_s += self._loop.time() - held_s

    async def _stall(self, command: Stall) -> None:
        await self._flushed()
        self._server.journal.stalled(self._exchange, self._server.clock())
        await asyncio.sleep(command.most_ms / 1000)

    async def _finish(self, command: Finish) -> None:
        await self._write(is_last=True)
        if self._player.drained is not None:
            await self._player.drained
        self._end("refused" if self._exchange.problem else command.ended)

    async def _close(self, _: Close) -> None:
        await self._write()
        if self._player.drained is not None:
            await self._player.drained
        self._end("fault")
        self._player.close()

    async def _reset(self, _: Reset) -> None:
        await self._write()
        await self._player.until_acknowledged()
        self._end("fault")
        self._player.reset()

    async def _refuse(self, command: Refuse) -> None:
        self._end("fault")
        self._server.refuse_connections(command.for_ms)
        self._player.reset()

    def _end(self, ended: Ending) -> None:
        self._exchange.received_at_least = self._player.received_at_least()
        self._server.journal.end(self._exchange, ended, self._server.clock())

    _PERFORM: Mapping[type, Callable[[_Play, Any], Awaitable[None]]] = {
        WaitUntil: _wait_until,
        Drain: _drain,
        Hold: _hold,
        Stall: _stall,
        Finish: _finish,
        Close: _close,
        Reset: _reset,
        Refuse: _refuse,
    }
