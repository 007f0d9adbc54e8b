"""A tiny model server with its own idea of the wire formats, and the agent as a program."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from tests.refagent import fake_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LOOP = [
    "The configuration file is the next thing that I will look at, and after it the tests of the parser.\n\n",
    "Once the parser has been understood, the renderer follows, because both of them share one table.\n\n",
]


@dataclass
class Reply:
    """Bytes in pieces, and how the connection ends."""

    pieces: list[bytes]
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    ending: str = "close"  # or "reset", or "hold": stay silent until the client hangs up


class FakeModel:
    """Plays replies in order; keeps the requests."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.replies: deque[Reply] = deque()
        self.streaming = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def base_url(self) -> str:
        """What the agent is given."""
        origin = f"http://127.0.0.1:{self._server.server_port}"
        return origin + "/v1" if self.dialect.startswith("openai-") else origin

    def say(
        self,
        *deltas: str,
        thinking: tuple[str, ...] = (),
        calls: tuple[tuple[str, dict[str, Any]], ...] = (),
        ending: str = "close",
        deltas_sent: int | None = None,
    ) -> None:
        """Queue a streamed reply; ``deltas_sent`` cuts a reply of nothing but text after so many pieces."""
        pieces = fake_events.events(self.dialect, list(deltas), list(thinking), list(calls))
        if deltas_sent is not None:
            pieces = pieces[: fake_events.OPENING[self.dialect] + deltas_sent]
        self.replies.append(Reply(pieces, ending=ending))

    def say_whole(self, text: str) -> None:
        """Queue a reply that is one JSON object."""
        body = json.dumps(fake_events.whole(self.dialect, text)).encode()
        self.replies.append(Reply([body], headers={"content-type": "application/json"}))

    def refuse(self, status: int, body: str = "", **headers: str) -> None:
        """Queue an error answer."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.replies.append(Reply([body.encode()], status, {"content-type": "application/json", **named}))

    def user_texts(self, request: int) -> list[str]:
        """The texts of a request's user messages."""
        return fake_events.user_texts(self.dialect, self.requests[request])

    def messages(self, request: int) -> list[dict[str, Any]]:
        """A request's messages, as its dialect has them."""
        found: list[dict[str, Any]] = self.requests[request][fake_events.MESSAGES[self.dialect]]
        return found

    def was_streamed(self, request: int) -> bool:
        """Whether a request asked for a stream."""
        asked = self.requests[request]
        return bool(asked.get("stream", ":streamGenerateContent" in asked["path"]))

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                model.requests.append({"path": self.path, **json.loads(body)})
                model.headers.append({name.lower(): value for name, value in self.headers.items()})
                model.play(self, model.replies.popleft() if model.replies else Reply([b"no more"], 404, {}))

            def log_message(self, *_: Any) -> None:
                pass

        return Handler

    def play(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        """Send one reply."""
        handler.send_response(reply.status)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        try:
            for piece in reply.pieces:
                handler.wfile.write(piece)
            self.streaming.set()
            if reply.ending == "reset":
                linger = struct.pack("ii", 1, 0)
                handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                handler.connection.close()
            elif reply.ending == "hold":
                handler.connection.recv(1)
        except OSError:
            pass  # the agent hung up, which some replies are there for


@pytest.fixture(params=fake_events.DIALECTS)
def dialect(request: pytest.FixtureRequest) -> str:
    """Each dialect in turn."""
    return str(request.param)


@pytest.fixture
def model(dialect: str) -> Iterator[FakeModel]:
    """A model server that speaks the dialect."""
    server = FakeModel(dialect)
    yield server
    server.close()


@dataclass
class Agent:
    """The agent as a program, with a home of its own."""

    home: Path
    cwd: Path
    model: FakeModel

    @property
    def command(self) -> list[str]:
        """The program with what aims it at the server."""
        program = [sys.executable, "-m", "harness.refagent"]
        return [*program, "--base-url", self.model.base_url, "--dialect", self.model.dialect]

    @property
    def environment(self) -> dict[str, str]:
        """A small environment with a made-up key."""
        kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
        own = {"TTSR_REFAGENT_HOME": str(self.home), "TTSR_REFAGENT_API_KEY": "made-up", "TERM": "dumb"}
        return {**kept, **own, "HOME": str(self.home), "LANG": "C.UTF-8"}

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run it to its end."""
        return subprocess.run(
            [*self.command, *arguments],
            cwd=self.cwd,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def start(self, *arguments: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
        """Start it and come back at once."""
        return subprocess.Popen(
            [*self.command, *arguments],
            cwd=self.cwd,
            env=self.environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def session(self) -> Path:
        """The newest session file."""
        return max((self.home / "sessions").glob("*.jsonl"))

    @property
    def records(self) -> list[dict[str, Any]]:
        """What the newest session file holds."""
        return [json.loads(line) for line in self.session.read_text().splitlines()]

    @property
    def shape(self) -> list[str]:
        """One word a record: its type, or what makes it special."""
        return [
            record.get("customType") or record.get("message", {}).get("role") or record["type"]
            for record in self.records
        ]


@pytest.fixture
def agent(tmp_path: Path, model: FakeModel) -> Agent:
    """The agent, aimed at the model."""
    work = tmp_path / "work"
    work.mkdir()
    return Agent(tmp_path / "home", work, model)


@pytest.fixture
def loop_deltas() -> list[str]:
    """Two paragraphs in turn, three times: the first one's third copy is a finding."""
    return LOOP * 3


@pytest.fixture
def stream_bytes() -> Callable[..., bytes]:
    """A whole stream as bytes: ``stream_bytes(dialect, deltas, thinking, calls)``."""

    def make(
        dialect: str, deltas: list[str], thinking: list[str], calls: list[tuple[str, dict[str, Any]]]
    ) -> bytes:
        return b"".join(fake_events.events(dialect, deltas, thinking, calls))

    return make
