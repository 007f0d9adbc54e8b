"""What every client program shares: cases come in as JSON lines, what was understood goes out as such.

A program runs in its library's own environment, so this file uses the standard library only.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any, SupportsIndex

MODEL = "mock-model"
ASKED = "Please read a.txt and list b."
KEY = "sk-test"
SCHEMAS: dict[str, dict[str, Any]] = {
    "read": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    "bash": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
}


@dataclass
class Asked:
    """One case: which way to ask, and whom.

    ``timeout_s`` bounds what the library calls a timeout, and ``extras`` belong to the way.
    """

    name: str
    way: str
    origin: str
    timeout_s: float = 30
    extras: dict[str, Any] = field(default_factory=dict)


@dataclass
class Heard:
    """What the library made of the reply; each part counts as far as it came before an error.

    ``refused`` is what came in a channel of its own for refusals, and ``listed`` the models that there are.
    ``calls`` are id, name and arguments as a value; ``usage`` is input and output tokens. ``waits_s`` is
    what the library meant to wait between its own tries; it did not wait.
    """

    text: str = ""
    thinking: str = ""
    refused: str = ""
    listed: list[str] = field(default_factory=list)
    calls: list[tuple[str, str, Any]] = field(default_factory=list)
    usage: tuple[int, int] | None = None
    stop: str | None = None
    error: str = ""
    status: int | None = None
    request_id: str | None = None
    message: str = ""
    waits_s: list[float] = field(default_factory=list)

    def call(self, id_: str | None, name: str, arguments: str | Mapping[str, Any]) -> None:
        value = json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
        self.calls.append((id_ or "", name, value))

    def counted(self, input_tokens: int | None, output_tokens: int | None) -> None:
        self.usage = (input_tokens or 0, output_tokens or 0)

    def failed(self, error: Exception) -> None:
        self.error = type(error).__name__
        self.message = str(error)[:500]
        status = getattr(error, "status_code", None) or getattr(error, "code", None)
        self.status = status if isinstance(status, int) else None
        self.request_id = getattr(error, "request_id", None)


Way = Callable[[Heard, Asked], None]


class _Waits(threading.local):
    """What the case of this thread would have waited."""

    def __init__(self) -> None:
        self.s: list[float] = []


def serve(ways: Mapping[str, Way], at_once: int = 1) -> None:
    """Answer every case on standard input; what libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    waits = _Waits()

    def wait(seconds: float | SupportsIndex) -> None:
        waits.s.append(float(seconds))

    time.sleep = wait

    def answer(line: str) -> str:
        asked, heard = Asked(**json.loads(line)), Heard()
        waits.s = heard.waits_s
        try:
            ways[asked.way](heard, asked)
        except Exception as error:  # noqa: BLE001 - which one it is, is what the test wants to know
            heard.failed(error)
        return json.dumps({"name": asked.name, "heard": asdict(heard)})

    with ThreadPoolExecutor(at_once) as threads:
        for answered in threads.map(answer, sys.stdin):
            print(answered, file=answers, flush=True)
