"""A detector that is another program: started, talked to over its pipes, and ended, whatever it does."""

from __future__ import annotations

import os
import selectors
import shlex
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from harness.lab.foreign import (
    Claim,
    Hello,
    ProtocolError,
    check_done,
    lines_of,
    opening,
    parse_claim,
    parse_hello,
    parse_line,
)
from harness.problems import CannotRun, UserError
from mock_llm.problems import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Self

    from harness.lab.capture import Message

_CHUNK = 1 << 16
_LONGEST_LINE = 1 << 20
_MOST_FINDINGS = 1_000
_STDERR_KEPT = 4_096
_STDERR_SHOWN = (8, 3)  # of its first and of its last lines
_MOST_FAILURES = 3
_GRACE_S = 2.0
_EXAMPLE = "give a command that works in your shell, such as --detector 'node shim.mjs detector.mjs'"


class ForeignFailure(Exception):
    """The program gave no verdict; the text says what it did instead."""


class ForeignDetector:
    """A detector program, started when it is asked first and again after a failure.

    Use it as a context manager: at the end the program and all that it started in its group are gone.

    Args:
        command: The command line, split as a shell would; it is not run by a shell.
        timeout_s: Seconds in which it neither reads nor answers, after which it counts as hung.
        chars_per_delta: Code points in each delta.

    Raises:
        UserError: If the command line cannot be split, or is empty.
        CannotRun: If there is no such program.
    """

    def __init__(self, command: str, timeout_s: float = 10.0, chars_per_delta: int = 1) -> None:
        try:
            self._argv = shlex.split(command)
        except ValueError as error:
            why = str(error)[:1].lower() + str(error)[1:]
            raise UserError(
                f"the detector command {quoted(command, 80)} cannot be split: {why}\n  {_EXAMPLE}"
            ) from error
        if not self._argv:
            raise UserError(f"the detector command is empty\n  {_EXAMPLE}")
        if not shutil.which(self._argv[0]):
            raise CannotRun(
                f"the detector cannot start: no program {quoted(self._argv[0], 80)} on PATH\n  {_EXAMPLE}"
            )
        self._timeout_s = timeout_s
        self._chars_per_delta = chars_per_delta
        self._process: subprocess.Popen[bytes] | None = None
        self._hello = Hello(command, is_utf16=False)
        self._failures = 0
        self._asked = 0
        self._pending = b""
        self._stderr = b""

    @property
    def name(self) -> str:
        """What the program calls itself, once it has said so."""
        return self._hello.name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def judge(self, message: Message, *, is_first: bool) -> Claim | None:
        """The program's first finding in a message; None when it stays silent.

        Args:
            message: What it reads.
            is_first: Whether a conversation begins with it.

        Raises:
            ForeignFailure: If it crashed, hung, or wrote what is no message. The next message is shown to a
                new process; after three failures none is started any more.
        """
        if self._failures >= _MOST_FAILURES:
            raise ForeignFailure(f"not asked: it has failed {self._failures} times")
        try:
            started = self._process is None
            if started:
                self._start()
            return self._judged(message, is_first=is_first or started)
        except ProtocolError as error:
            raise self._failed(str(error)) from error
        except OSError as error:
            raise self._failed(f"it cannot be talked to: {error.strerror or error}") from error

    def close(self) -> None:
        """End the program: its input is closed, and what still runs then is killed with its group."""
        process, self._process = self._process, None
        if process is None:
            return
        stdin, stdout, stderr = _pipes(process)
        with suppress(OSError):
            stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_S if self._failures == 0 else 0)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        stdout.close()
        stderr.close()

    def _start(self) -> None:
        self._pending = self._stderr = b""
        self._process = subprocess.Popen(  # noqa: S603 - the user's own command
            self._argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        for pipe in _pipes(self._process):
            os.set_blocking(pipe.fileno(), False)
        self._hello = parse_hello(next(self._talk([opening()])))

    def _judged(self, message: Message, *, is_first: bool) -> Claim | None:
        first: Claim | None = None
        self._asked += 1
        lines = lines_of(message, self._asked, self._chars_per_delta, is_first=is_first)
        for count, answer in enumerate(self._talk(lines), 1):
            if answer["type"] == "done":
                check_done(answer, self._asked)
                return first
            if answer["type"] != "finding":
                raise ProtocolError(
                    f"it wrote a message of the type {quoted(answer['type'])}; valid: finding, done, error"
                )
            if count > _MOST_FINDINGS:
                raise ProtocolError(f"it wrote more than {_MOST_FINDINGS:,} findings about one message")
            claim = parse_claim(answer, message, self._hello)
            first = first or claim
        raise AssertionError("the talk ends with an answer or an error")

    def _talk(self, outgoing: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        """Write lines and give the answers, as they come."""
        stdin, stdout, stderr = _pipes(self._process)
        chunks = _chunked(outgoing)
        unsent = next(chunks, b"")
        deadline = time.monotonic() + self._timeout_s
        with selectors.DefaultSelector() as selector:
            selector.register(stdin, selectors.EVENT_WRITE)
            selector.register(stdout, selectors.EVENT_READ)
            selector.register(stderr, selectors.EVENT_READ)
            while True:
                ready = {key.fileobj for key, _ in selector.select(max(0.0, deadline - time.monotonic()))}
                if stderr in ready and not self._keep_stderr():
                    selector.unregister(stderr)
                if stdin in ready:
                    sent = _written(stdin.fileno(), unsent)
                    unsent = unsent[sent:] or next(chunks, b"") if sent is not None else b""
                    if not unsent:
                        selector.unregister(stdin)
                    if sent:
                        deadline = time.monotonic() + self._timeout_s
                if stdout in ready:
                    for line in self._read_lines():
                        yield parse_line(line)
                        deadline = time.monotonic() + self._timeout_s
                if time.monotonic() >= deadline:
                    waits = "reads nothing more" if unsent else "gives no answer"
                    raise ProtocolError(f"it hangs: for {self._timeout_s:g} s it {waits}")

    def _read_lines(self) -> list[bytes]:
        """The lines that are whole by now.

        Raises:
            ProtocolError: If the program has closed its output, or writes a line without an end.
        """
        _, stdout, _ = _pipes(self._process)
        read = os.read(stdout.fileno(), _CHUNK)
        if not read:
            raise ProtocolError(self._how_it_ended())
        *lines, self._pending = (self._pending + read).split(b"\n")
        if len(self._pending) > _LONGEST_LINE:
            raise ProtocolError(f"it wrote a line of more than {_LONGEST_LINE:,} bytes")
        return [line for line in lines if line.strip()]

    def _keep_stderr(self) -> bool:
        _, _, stderr = _pipes(self._process)
        read = os.read(stderr.fileno(), _CHUNK)
        self._stderr += read
        if len(self._stderr) > 2 * _STDERR_KEPT:
            self._stderr = self._stderr[:_STDERR_KEPT] + b"\n" + self._stderr[-_STDERR_KEPT:]
        return bool(read)

    def _how_it_ended(self) -> str:
        assert self._process
        try:
            code = self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            return "it closed its standard output and runs on"
        with suppress(BlockingIOError):
            while self._keep_stderr():
                pass
        torn = f" after {quoted(self._pending.decode('utf-8', 'replace'), 60)}" if self._pending else ""
        if code < 0:
            return f"it was ended by {_signal_name(-code)}{torn}"
        return f"it ended with exit code {code}{torn} and gave no answer"

    def _failed(self, what: str) -> ForeignFailure:
        self._failures += 1
        with suppress(OSError):
            if self._process:
                self._keep_stderr()
        self.close()
        return ForeignFailure("\n".join([what, *_said(self._stderr)]))


def _said(stderr: bytes) -> list[str]:
    """The standard error as lines to show: how it begins and how it ends."""
    lines = [line for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    first, last = _STDERR_SHOWN
    if len(lines) > first + last + 1:
        lines = [*lines[:first], "...", *lines[-last:]]
    return ["  its standard error:", *(f"  | {line}" for line in lines)] if lines else []


def _pipes(process: subprocess.Popen[bytes] | None) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert process is not None
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdin, process.stdout, process.stderr


def _chunked(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines in pieces that a pipe takes in one go."""
    held: list[bytes] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= _CHUNK:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def _written(descriptor: int, data: bytes) -> int | None:
    """How much a pipe took; None when nobody reads it any more."""
    try:
        return os.write(descriptor, data)
    except BlockingIOError:
        return 0
    except BrokenPipeError:
        return None


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
