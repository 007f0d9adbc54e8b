"""Runs ``mock-llm`` as a person does, and asks what it serves."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Self

MOCK_LLM = [sys.executable, "-c", "from mock_llm.entry import main; main()"]
LIMIT_S = 30


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A command that ends by itself."""
    return subprocess.run(
        [*MOCK_LLM, *arguments], capture_output=True, text=True, timeout=LIMIT_S, check=False, cwd=cwd
    )


class Running:
    """A command that serves; use it in a ``with``. ``lines`` has what it has printed."""

    def __init__(self, *arguments: str, cwd: Path | None = None) -> None:
        self._process = subprocess.Popen(
            [*MOCK_LLM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=cwd
        )
        self.pid = self._process.pid
        self.lines: list[str] = []

    def until(self, pattern: str) -> re.Match[str]:
        """Read on until a line matches; what it said by then, if it ends before."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip("\n"))
            found = re.search(pattern, line)
            if found:
                return found
        raise AssertionError(f"no line matched {pattern!r} in:\n" + "\n".join(self.lines))

    def url(self) -> str:
        """The origin, as the banner says it."""
        origin = self.until(r"^anthropic-messages +(http://[^/\s]+)")[1]
        self.until(r"^Ctrl-C stops it|Ctrl-C stops it$")
        return origin

    def end(self, number: int = signal.SIGINT) -> int:
        """Send a signal, read the rest, and give the exit code."""
        self._process.send_signal(number)
        assert self._process.stdout is not None
        self.lines += self._process.stdout.read().splitlines()
        return self._process.wait(timeout=LIMIT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(timeout=LIMIT_S)
        if self._process.stdout is not None:
            self._process.stdout.close()


def opened(url: str, body: Any = None, *, key: str = "", headers: dict[str, str] | None = None) -> Any:
    """The response to a request, without any proxy of this machine."""
    data = None if body is None else json.dumps(body).encode()
    fields = {
        "content-type": "application/json",
        **({"authorization": f"Bearer {key}"} if key else {}),
        **(headers or {}),
    }
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return opener.open(urllib.request.Request(url, data, fields), timeout=LIMIT_S)


def ask(url: str, text: str = "hello", *, key: str = "") -> str:
    """What the model says to a text, in one piece."""
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    with opened(f"{url}/v1/chat/completions", body, key=key) as response:
        content: str = json.load(response)["choices"][0]["message"]["content"]
    return content


def control(url: str, path: str, *, key: str = "", method: str = "GET") -> Any:
    """What the control API says."""
    body: dict[str, str] | None = {} if method == "POST" else None
    with opened(f"{url}{path}", body, key=key) as response:
        return json.load(response)
