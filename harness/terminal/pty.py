"""A program on a pseudo-terminal, read by the event loop; pexpect is the transport."""

from __future__ import annotations

import codecs
import fcntl
import os
import select
import signal
import struct
import sys
import termios
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pexpect

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping, Sequence

COLUMNS, ROWS = 120, 40
_READ = 65_536
_TIOCGPTN = 0x80045430  # Linux's question for the number of a terminal
_MOST_WAITING = 1_000_000


class Terminal:
    """One program on its own terminal.

    It may be started before there is an event loop; output waits in the kernel until
    ``attach``. Nothing here waits or sleeps. The new process calls ``before`` and then becomes the program.

    Raises:
        OSError: If the program cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        cwd: str,
        before: Callable[[], None] | None = None,
    ) -> None:
        try:
            self._child = pexpect.spawn(
                command[0],
                list(command[1:]),
                env=dict(env),
                cwd=cwd,
                dimensions=(ROWS, COLUMNS),
                maxread=_READ,
                echo=True,
                preexec_fn=before,
            )
        except pexpect.ExceptionPexpect as error:
            raise OSError(f"'{command[0]}' is no program that this user may run") from error
        # pexpect's own pauses cost 50 ms a send and 120 ms a close.
        self._child.delaybeforesend = None
        self._child.delayafterread = None
        self._child.delayafterclose = 0
        process: Any = self._child.ptyproc  # type: ignore[attr-defined]  # missing in the stubs
        process.delayafterclose = process.delayafterterminate = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._unsent = bytearray()
        self._device: str | None = None
        self.pid = int(self._child.pid or 0)

    def attach(self, loop: asyncio.AbstractEventLoop, on_text: Callable[[str], None]) -> None:
        """Call ``on_text`` with each piece of output from now on."""

        def readable() -> None:
            text = self._read()
            if text is None:
                loop.remove_reader(self._child.child_fd)
            elif text:
                on_text(text)

        loop.add_reader(self._child.child_fd, readable)

    def send(self, loop: asyncio.AbstractEventLoop, text: str) -> None:
        """Write to the program in one piece, or what it does not take at once as soon as it can."""
        was_waiting = bool(self._unsent)
        self._unsent += text.encode("utf-8", "replace")
        if not was_waiting and self._write():
            loop.add_writer(self._child.child_fd, self._write_on, loop)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size; the program gets a SIGWINCH."""
        self._child.setwinsize(rows, columns)

    def signal(self, name: str) -> None:
        """Send a signal to the program, by its name without SIG."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.Signals[f"SIG{name}"])

    @property
    def unread(self) -> int:
        """How many bytes were sent and are still waiting for the program to read them."""
        if self._device is None:
            self._device = _device_of(self._child.child_fd) or _terminal_of(self.pid)
        try:
            slave = os.open(self._device, os.O_RDWR | os.O_NOCTTY)
        except OSError:  # the program has ended
            return 0
        try:
            (waiting,) = struct.unpack("i", fcntl.ioctl(slave, termios.FIONREAD, b"\0" * 4))
        except OSError:
            waiting = 0
        finally:
            os.close(slave)
        return len(self._unsent) + int(waiting)

    def detach(self, loop: asyncio.AbstractEventLoop) -> str:
        """Stop reading; give what was already waiting.

        Should some process still write, only the first million characters are given.
        """
        rest: list[str] = []
        if not self._child.closed:
            loop.remove_reader(self._child.child_fd)
            loop.remove_writer(self._child.child_fd)
            while sum(map(len, rest)) < _MOST_WAITING and self._is_readable():
                text = self._read()
                if text is None:
                    break
                rest.append(text)
        rest.append(self._decoder.decode(b"", final=True))
        return "".join(rest)

    async def exited(self, loop: asyncio.AbstractEventLoop) -> int:
        """Wait for the program to end; give its exit code, negative for a signal."""
        future: asyncio.Future[None] = loop.create_future()

        def ended() -> None:
            if not future.done():
                future.set_result(None)

        with _ExitWatch(loop, self.pid, ended, self._child.isalive):
            await future
        return self.exit_code

    @property
    def exit_code(self) -> int:
        """The exit code of an ended program."""
        self._child.isalive()
        if self._child.signalstatus is not None:
            return -int(self._child.signalstatus)
        return int(self._child.exitstatus or 0)

    def close(self) -> None:
        """Kill the program if it still runs and close the terminal."""
        with suppress(ProcessLookupError, PermissionError):
            if self._child.isalive():
                os.killpg(self.pid, signal.SIGKILL)
                self._child.wait()
        with suppress(pexpect.ExceptionPexpect, OSError, ChildProcessError):
            self._child.close(force=True)

    def _write_on(self, loop: asyncio.AbstractEventLoop) -> None:
        if not self._write():
            loop.remove_writer(self._child.child_fd)

    def _write(self) -> bool:
        """Write what the terminal takes; whether something is left."""
        fd = self._child.child_fd
        try:
            os.set_blocking(fd, False)
            del self._unsent[: os.write(fd, self._unsent)]
        except BlockingIOError:
            return True
        except OSError:  # nobody is there to read it
            self._unsent.clear()
        finally:
            os.set_blocking(fd, True)
        return bool(self._unsent)

    def _is_readable(self) -> bool:
        # Not select.select, which cannot take a descriptor above 1023.
        poll = select.poll()
        poll.register(self._child.child_fd, select.POLLIN)
        return bool(poll.poll(0))

    def _read(self) -> str | None:
        try:
            data = os.read(self._child.child_fd, _READ)
        except OSError:
            return None
        return self._decoder.decode(data) if data else None


def _device_of(controller: int) -> str:
    """The device at the program's end of a terminal, as the kernel says it; empty where it does not."""
    if sys.platform != "linux":
        return ""
    try:
        (number,) = struct.unpack("I", fcntl.ioctl(controller, _TIOCGPTN, b"\0" * 4))
    except OSError:
        return ""
    return f"/dev/pts/{number}"


def _terminal_of(pid: int) -> str:
    """The device of a program's terminal; empty when it has none any more."""
    import psutil

    try:
        return str(psutil.Process(pid).terminal() or "")
    except psutil.Error:
        return ""


class _ExitWatch:
    """Call ``ended`` when the process exits: by a process descriptor, elsewhere by SIGCHLD."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        pid: int,
        ended: Callable[[], None],
        is_alive: Callable[[], bool],
    ) -> None:
        self._loop, self._pid, self._ended, self._is_alive = loop, pid, ended, is_alive
        self._fd: int | None = None

    def __enter__(self) -> None:
        if not self._is_alive():
            self._ended()
        elif hasattr(os, "pidfd_open"):
            self._fd = os.pidfd_open(self._pid)
            self._loop.add_reader(self._fd, self._ended)
        else:
            self._loop.add_signal_handler(signal.SIGCHLD, self._look)
            self._look()

    def __exit__(self, *_error: object) -> None:
        if self._fd is not None:
            self._loop.remove_reader(self._fd)
            os.close(self._fd)
        elif not hasattr(os, "pidfd_open"):
            self._loop.remove_signal_handler(signal.SIGCHLD)

    def _look(self) -> None:
        if not self._is_alive():
            self._ended()
