"""The tools: read and write files, run bash. A tool never raises; its trouble is its output."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.refagent.events import ToolFinished
from harness.refagent.wire import parse_object

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from harness.refagent.conversation import ToolCallBlock
    from harness.refagent.interrupts import Interrupts

OUTPUT_LIMIT = 30_000  # bytes of a result that the model sees
DEFAULT_TIMEOUT_S = 120.0
_LOOK_AGAIN_S = 0.05  # a command has ended, but something it started still holds its output
SECRET = "TTSR_REFAGENT_API_KEY"  # noqa: S105 - the name of a variable, which commands do not inherit


class ToolError(Exception):
    """A tool could not do what was asked; the message is for the model."""


class Tools:
    """Runs tool calls in a working folder.

    Args:
        cwd: Where relative paths and commands start.
        interrupts: A running command can be broken off by these.
        timeout_s: How long a command may take.
    """

    def __init__(self, cwd: Path, interrupts: Interrupts, timeout_s: float = DEFAULT_TIMEOUT_S) -> None:
        self._cwd = cwd
        self._interrupts = interrupts
        self._timeout_s = timeout_s
        self._tools: dict[str, Callable[[dict[str, Any]], str]] = {
            "read": self._read,
            "write": self._write,
            "bash": self._bash,
        }

    def run(self, call: ToolCallBlock) -> ToolFinished:
        """Run one call.

        Raises:
            KeyboardInterrupt: On Ctrl-C, once the command and everything in its process group are dead.
        """
        try:
            return ToolFinished(call.id, shortened(self._run(call)))
        except (ToolError, OSError, ValueError) as error:
            return ToolFinished(call.id, shortened(f"error: {error}"), is_error=True)

    def _run(self, call: ToolCallBlock) -> str:
        tool = self._tools.get(call.name)
        if tool is None:
            raise ToolError(f"no tool '{call.name}'; there are {', '.join(self._tools)}")
        arguments = parse_object(call.arguments or "{}")
        if arguments is None:
            raise ToolError("the arguments are not a JSON object")
        return tool(arguments)

    def _read(self, arguments: dict[str, Any]) -> str:
        with self._path(arguments).open("rb") as file:
            data = file.read(OUTPUT_LIMIT + 1)
            rest = os.fstat(file.fileno()).st_size - OUTPUT_LIMIT
        text = data[:OUTPUT_LIMIT].decode("utf-8", "replace")
        return text if rest <= 0 else f"{text}\n[{rest:,} more bytes left out]"

    def _write(self, arguments: dict[str, Any]) -> str:
        path, content = self._path(arguments), _argument(arguments, "content")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="")
        return f"wrote {len(content):,} characters to {path}"

    def _path(self, arguments: dict[str, Any]) -> Path:
        path = self._cwd / _argument(arguments, "path")
        # A pipe or a device could block or never end, and no Ctrl-C would be looked at meanwhile.
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise ToolError(f"{path} is neither a file nor a folder")
        return path

    def _bash(self, arguments: dict[str, Any]) -> str:
        environment = {name: value for name, value in os.environ.items() if name != SECRET}
        with subprocess.Popen(  # noqa: S603 - running the model's commands is what this tool is for
            ["/bin/bash", "-c", _argument(arguments, "command")],
            cwd=self._cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a group of its own to kill, and no terminal to ask for passwords on
        ) as process:
            try:
                return self._watch(process)
            finally:
                # Also after a clean end: what the command left in the background must not outlive it.
                _kill_group(process)

    def _watch(self, process: subprocess.Popen[bytes]) -> str:
        output = _Output()
        assert process.stdout is not None
        deadline_s = time.monotonic() + self._timeout_s
        with self._interrupts.breakable(), selectors.DefaultSelector() as selector:
            os.set_blocking(process.stdout.fileno(), False)
            selector.register(process.stdout, selectors.EVENT_READ)
            is_open = True
            while is_open and time.monotonic() < deadline_s:
                ready = selector.select(_LOOK_AGAIN_S)
                if ready:
                    is_open = output.read(process.stdout.fileno())
                elif process.poll() is not None:
                    break
            ended = _wait(process, deadline_s)
        if not ended:
            return f"{output.text}\n[stopped after {self._timeout_s:g} s]"
        return f"{output.text}\n[exit code {process.returncode}]"


def _wait(process: subprocess.Popen[bytes], deadline_s: float) -> bool:
    """Whether the command ended before the deadline."""
    try:
        process.wait(max(0.0, deadline_s - time.monotonic()))
    except subprocess.TimeoutExpired:
        return False
    return True


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@dataclass(slots=True)
class _Output:
    """What a command prints: the beginning and the end of it, in bounded memory."""

    head: bytes = b""
    tail: bytes = b""
    total: int = 0

    def read(self, descriptor: int) -> bool:
        """Take in what is there; False at the end."""
        data = os.read(descriptor, 65536)
        self.total += len(data)
        room = OUTPUT_LIMIT // 2 - len(self.head)
        self.head += data[:room]
        self.tail = (self.tail + data[room:])[-OUTPUT_LIMIT // 2 :]
        return bool(data)

    @property
    def text(self) -> str:
        """The output, with a note where its middle was left out."""
        left_out = self.total - len(self.head) - len(self.tail)
        note = f"\n[{left_out:,} bytes left out]\n".encode() if left_out else b""
        return (self.head + note + self.tail).decode("utf-8", "replace").rstrip("\n")


def _argument(arguments: dict[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str):
        raise ToolError(f"the argument '{name}' is missing or not a string")
    return value


def shortened(text: str) -> str:
    """A result that is a little over the limit through its notes is fine; a longer one loses its end."""
    return text if len(text) <= OUTPUT_LIMIT + 200 else text[:OUTPUT_LIMIT] + "\n[more left out]"
