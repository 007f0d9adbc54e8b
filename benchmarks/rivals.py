"""The servers that are compared: how each is installed, told what to say, and started."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
NODE_PACKAGES = ("@copilotkit/aimock@1.43.0",)
PYTHON_PACKAGES = ("mockllm==0.0.8", "llmock==0.2.2")
CHARS = 10  # of a delta


@dataclass(frozen=True)
class Rival:
    """A server. ``argv`` is its command for a port and a text; what it needs is written to a folder.

    ``ready`` tells a running server what to say, where it cannot be told before.
    """

    name: str
    argv: Callable[[int, str, Path], list[str]]
    note: str = ""
    ready: Callable[[int, str], None] | None = None
    can_grow: bool = True


def install(cache: Path) -> None:
    """Put the public servers into the cache folder, once. The versions are pinned."""
    node, python = cache / "node", cache / "python"
    wanted = " ".join((*NODE_PACKAGES, *PYTHON_PACKAGES))
    mark = cache / "installed.txt"
    if mark.exists() and mark.read_text() == wanted:
        return
    print(f"installing {wanted} into {cache} ...", flush=True)
    node.mkdir(parents=True, exist_ok=True)
    npm = ["npm", "install", "--prefix", str(node), "--no-audit", "--no-fund", "--silent", *NODE_PACKAGES]
    subprocess.run(npm, check=True)
    subprocess.run([sys.executable, "-m", "venv", str(python)], check=True)
    pip = [str(python / "bin/pip"), "install", "--quiet", "--disable-pip-version-check", *PYTHON_PACKAGES]
    subprocess.run(pip, check=True)
    mark.write_text(wanted)


def rivals(cache: Path) -> list[Rival]:
    """All servers, this one first, then the limits, then the public ones."""

    def ours(port: int, text: str, folder: Path) -> list[str]:
        script = {"max_requests": 100_000, "model": [{"say": text, "stream": {"chars_per_delta": CHARS}}]}
        return serve(port, script, folder)

    def aimock(port: int, text: str, folder: Path) -> list[str]:
        fixtures = {"fixtures": [{"match": {}, "response": {"content": text}}]}
        file = written(folder / "fixtures.json", json.dumps(fixtures))
        program = str(cache / "node/node_modules/.bin/llmock")
        return [program, "-p", str(port), "-f", file, "-c", str(CHARS), "--log-level", "silent"]

    def mockllm(port: int, text: str, folder: Path) -> list[str]:
        file = written(
            folder / "responses.yml",
            json.dumps({"responses": {"x": "y"}, "defaults": {"unknown_response": text}}),
        )
        return [str(cache / "python/bin/mockllm"), "start", "-r", file, "-h", "127.0.0.1", "-p", str(port)]

    def llmock(port: int, text: str, folder: Path) -> list[str]:
        del text, folder
        program = str(cache / "python/bin/llmock")
        return [program, "serve", "-h", "127.0.0.1", "-p", str(port), "--log-level", "error"]

    return [
        Rival("this server", ours),
        Rival("raw asyncio, coalesced", _raw("once")),
        Rival("raw asyncio, one write an event", _raw("each")),
        Rival("@copilotkit/aimock 1.43.0", aimock),
        Rival("llmock 0.2.2", llmock, ready=_tell_llmock),
        Rival(
            "mockllm 0.0.8", mockllm, note="one character an event, it cannot do otherwise", can_grow=False
        ),
    ]


def serve(port: int, script: dict[str, object], folder: Path, *more: str) -> list[str]:
    """The command of this server for a script."""
    file = written(folder / "script.yaml", json.dumps(script))
    return [
        str(Path(sys.executable).with_name("mock-llm")),
        "serve",
        file,
        "--port",
        str(port),
        "--token",
        "bench",
        *more,
    ]


def written(path: Path, text: str) -> str:
    """Write a file; its path as text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def environ() -> dict[str, str]:
    """The environment of a server; loopback needs no proxy."""
    return {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}


def events(text: str) -> bytes:
    """What this server says for a text, for the limits."""
    from mock_llm.delivery import cut
    from mock_llm.dialects import by_name
    from mock_llm.dialects.dialect import Ids
    from mock_llm.script import Stream
    from mock_llm.turn import Text, Turn

    chat, turn = by_name("openai-chat"), Turn((Text(text),))
    asked = {"model": "gpt-4o", "stream": True, "messages": [{"role": "user", "content": "question 1"}]}
    request = chat.parse_request(asked, "/v1/chat/completions", {})
    deltas = cut(turn, Stream(chars_per_delta=CHARS))
    return b"".join(event.data for event in chat.encode(turn, deltas, request, Ids(1)))


def _raw(mode: str) -> Callable[[int, str, Path], list[str]]:
    def argv(port: int, text: str, folder: Path) -> list[str]:
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / "events.bin"
        file.write_bytes(events(text))
        return [sys.executable, str(HERE / "raw_server.py"), str(port), str(file), mode]

    return argv


def _tell_llmock(port: int, text: str) -> None:
    body = json.dumps({"behaviors": [{"type": "reply", "text": text, "times": None}]}).encode()
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/_llmock/scenario", body, method="POST")
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(asked) as answer:
        answer.read()
