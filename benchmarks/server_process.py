"""A server as a process of its own: started, ready, measured, stopped."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import psutil
from rivals import environ
from stream_client import request

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

START_LIMIT_S = 60


class Running:
    """A started server; a context manager that stops it. ``argv`` gets the port and a private folder."""

    def __init__(self, argv: Callable[[int, Path], Sequence[str]]) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        self.port = _free_port()
        command = list(argv(self.port, self.folder))
        self._log = (self.folder / "log.txt").open("wb")
        self.started_s = time.monotonic()
        self._process = subprocess.Popen(
            command, env=environ(), cwd=self.folder, stdout=self._log, stderr=subprocess.STDOUT
        )

    def until_ready(self) -> socket.socket:
        """Return the first connection that it accepts."""
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port))
            except OSError:
                if self._process.poll() is not None or time.monotonic() - self.started_s > START_LIMIT_S:
                    log = (self.folder / "log.txt").read_text(errors="replace")
                    raise SystemExit(f"{self._process.args!r} does not serve:\n{log}") from None
                time.sleep(0.001)  # a foreign program says by nothing else that it listens

    def first_byte_ms(self) -> float:
        """From the start of the process to the first byte of an answer."""
        with self.until_ready() as connection:
            connection.sendall(request())
            connection.recv(1)
            return (time.monotonic() - self.started_s) * 1000

    def peak_mb(self) -> float:
        """The most memory that the process and its children have used at a time, resident."""
        root = psutil.Process(self._process.pid)
        kilobytes = 0
        for process in (root, *root.children(recursive=True)):
            status = Path(f"/proc/{process.pid}/status").read_text()
            kilobytes += int(status.partition("VmHWM:")[2].split()[0])
        return kilobytes / 1024

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            root = psutil.Process(self._process.pid)
            for process in (*root.children(recursive=True), root):
                process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        self._folder.cleanup()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port
