"""A tiny model server with its own idea of both wire formats, and the agent as a program."""

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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DIALECTS = ("openai-chat", "anthropic-messages")
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


def _sse(data: object, name: str = "") -> bytes:
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def chat_events(
    deltas: list[str], thinking: list[str], calls: list[tuple[str, dict[str, Any]]]
) -> list[bytes]:
    """A whole chat completions stream."""

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _sse({"id": "c1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    events = [chunk({"role": "assistant"})]
    events += [chunk({"reasoning_content": text}) for text in thinking]
    events += [chunk({"content": text}) for text in deltas]
    for index, (name, arguments) in enumerate(calls):
        head = {"index": index, "id": f"id-{name}-{index}", "type": "function"}
        events.append(chunk({"tool_calls": [{**head, "function": {"name": name, "arguments": ""}}]}))
        text = json.dumps(arguments)
        for piece in (text[:3], text[3:]):
            events.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
    events.append(chunk({}, "tool_calls" if calls else "stop"))
    events.append(_sse({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 9}}))
    return [*events, _sse("[DONE]")]


def message_events(
    deltas: list[str], thinking: list[str], calls: list[tuple[str, dict[str, Any]]]
) -> list[bytes]:
    """A whole messages stream."""
    usage = {"input_tokens": 7, "output_tokens": 1}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"content": [], "usage": usage}}]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if thinking:
        pieces = [{"type": "thinking_delta", "thinking": text} for text in thinking]
        signature = {"type": "signature_delta", "signature": "signed"}
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, [*pieces, signature]))
    if deltas:
        blocks.append(
            ({"type": "text", "text": ""}, [{"type": "text_delta", "text": text} for text in deltas])
        )
    for index, (name, arguments) in enumerate(calls):
        text = json.dumps(arguments)
        parts = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", text[:3], text[3:])]
        blocks.append(({"type": "tool_use", "id": f"id-{name}-{index}", "name": name, "input": {}}, parts))
    for index, (start, parts) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        events += [{"type": "content_block_delta", "index": index, "delta": part} for part in parts]
        events.append({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 9}})
    events.append({"type": "message_stop"})
    return [_sse(event, event["type"]) for event in events]


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
        return origin + "/v1" if self.dialect == "openai-chat" else origin

    def say(
        self,
        *deltas: str,
        thinking: tuple[str, ...] = (),
        calls: tuple[tuple[str, dict[str, Any]], ...] = (),
        ending: str = "close",
        events: int | None = None,
    ) -> None:
        """Queue a streamed reply; ``events`` cuts it after so many."""
        make = chat_events if self.dialect == "openai-chat" else message_events
        pieces = make(list(deltas), list(thinking), list(calls))
        self.replies.append(Reply(pieces[:events], ending=ending))

    def say_whole(self, text: str) -> None:
        """Queue a reply that is one JSON object."""
        body: dict[str, Any] = {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
        if self.dialect == "openai-chat":
            body = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
        self.replies.append(Reply([json.dumps(body).encode()], headers={"content-type": "application/json"}))

    def refuse(self, status: int, body: str = "", **headers: str) -> None:
        """Queue an error answer."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.replies.append(Reply([body.encode()], status, {"content-type": "application/json", **named}))

    def user_texts(self, request: int) -> list[str]:
        """The texts of a request's user messages."""
        users = [m["content"] for m in self.requests[request]["messages"] if m["role"] == "user"]
        return [c if isinstance(c, str) else "".join(block.get("text", "") for block in c) for c in users]

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


@pytest.fixture(params=DIALECTS)
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
        return b"".join(
            (chat_events if dialect == "openai-chat" else message_events)(deltas, thinking, calls)
        )

    return make
