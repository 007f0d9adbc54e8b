"""Writing to a program on its terminal: nothing blocks, and what it has read is known."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Self

import pytest

from harness.terminal.pty import Terminal

# Reads in raw mode; says what came, and stops reading at 's' until a SIGUSR1.
PROGRAM = """
import os, signal, sys, tty
def say(*words):
    os.write(1, " ".join(map(str, words)).encode() + b"\\r\\n")
signal.signal(signal.SIGWINCH, lambda *_: say("size", *os.get_terminal_size()))
tty.setraw(0)
say("ready")
total = 0
while True:
    data = os.read(0, 65536)
    total += len(data)
    if data.endswith(b"q"):
        say("total", total)
        sys.exit(7)
    if data == b"s":
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
        say("stopped")
        signal.sigwait([signal.SIGUSR1])
    if data == b"a":
        say("got a")
"""


class Session:
    """A program on a terminal, and everything that it has written."""

    def __init__(self, folder: Path) -> None:
        self.terminal = Terminal([sys.executable, "-c", PROGRAM], {"TERM": "xterm"}, str(folder))
        self.text = ""
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        self.loop = asyncio.get_running_loop()
        self.terminal.attach(self.loop, self._on_text)
        await self.until(lambda: "ready" in self.text)
        return self

    async def __aexit__(self, *_error: object) -> None:
        self.terminal.detach(self.loop)
        self.terminal.close()

    def _on_text(self, text: str) -> None:
        self.text += text
        self._changed.set()

    def send(self, text: str) -> None:
        self.terminal.send(self.loop, text)

    async def passing(self, holds: Callable[[], bool]) -> None:
        """Give the kernel time to hand over what was sent; nothing tells when it has."""
        async with asyncio.timeout(60):
            while not holds():  # noqa: ASYNC110  there is no event
                await asyncio.sleep(0)

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(60):
            while not holds():
                self._changed.clear()
                await self._changed.wait()


def test_what_the_program_has_not_read_is_counted(tmp_path: Path) -> None:
    async def play() -> None:
        async with Session(tmp_path) as session:
            session.send("a")
            await session.until(lambda: "got a" in session.text)
            assert session.terminal.unread == 0
            session.send("s")
            await session.until(lambda: "stopped" in session.text)
            assert session.terminal.unread == 0
            session.send("xyz")
            await session.passing(lambda: session.terminal.unread == 3)
            session.terminal.signal("USR1")
            session.send("q")
            assert await session.terminal.exited(session.loop) == 7
            assert session.terminal.unread == 0

    asyncio.run(play())


def test_more_than_a_stopped_program_takes_waits_for_it_without_blocking(tmp_path: Path) -> None:
    async def play() -> None:
        async with Session(tmp_path) as session:
            session.send("s")
            await session.until(lambda: "stopped" in session.text)
            # The kernel takes up to 640 KiB itself, more or less of it as its work goes on.
            session.send("x" * 3_000_000)
            session.send("q")
            assert session.terminal.unread > 2_000_000
            session.terminal.signal("USR1")
            await session.until(lambda: "total 3000002" in session.text)

    asyncio.run(play())


def test_another_size_reaches_the_program(tmp_path: Path) -> None:
    async def play() -> None:
        async with Session(tmp_path) as session:
            session.terminal.resize(91, 23)
            await session.until(lambda: "size 91 23" in session.text)

    asyncio.run(play())


def test_a_signal_reaches_the_program_and_none_is_sent_to_an_ended_one(tmp_path: Path) -> None:
    async def play() -> None:
        async with Session(tmp_path) as session:
            session.terminal.signal("TERM")
            assert await session.terminal.exited(session.loop) == -15
            session.terminal.signal("TERM")
            session.send("nobody reads this")

    asyncio.run(play())


def test_a_program_that_cannot_be_started_is_an_error_of_the_system(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    with pytest.raises(OSError, match=f"'{program}' is no program that this user may run"):
        Terminal([str(program)], {"TERM": "xterm"}, str(tmp_path))
