"""An agent for 'qa doctor': right in everything, but for what the variable BREAK names."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit

BREAK = os.environ.get("BREAK", "")
PROMPT = sys.argv[-1]


def ask(messages: list[dict[str, Any]], path: str = "/v1/chat/completions") -> dict[str, Any]:
    name = "shell" if BREAK == "tool" else "sh"
    tools = [{"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}]
    model = "other-model" if BREAK == "model" else "demo-1"
    body = {"model": model, "stream": False, "messages": messages, "tools": tools}
    request = urllib.request.Request(os.environ["URL"] + path, json.dumps(body).encode())
    with urllib.request.urlopen(request) as response:
        answer: dict[str, Any] = json.load(response)["choices"][0]["message"]
    return answer


def main() -> int:
    if "--version" in sys.argv:
        if BREAK.startswith("daemon "):
            left = subprocess.Popen(["tail", "-f", os.devnull], start_new_session=True)
            Path(BREAK.removeprefix("daemon ")).write_text(str(left.pid))
        urlsplit(os.environ["URL"]).port  # noqa: B018 - raises when it is no address, as real programs do
        sys.stdout.write("demo 9.9.9\n" if BREAK == "version" else "demo 1.2.0\n")
        return 0
    if BREAK.startswith("wait "):
        Path(BREAK.removeprefix("wait ")).write_text("here\n")
        signal.pause()
    if "--chat" in sys.argv:
        sys.stdout.write("Welcome\r\nhello> ")
        sys.stdout.flush()
        Path(BREAK.removeprefix("until ")).read_text()  # a pipe: waits for the test
        return 0
    if BREAK == "switch" and "--no-guard" in sys.argv:
        sys.stderr.write("unknown option --no-guard\n")
        return 2
    if BREAK == "title":
        with suppress(HTTPError):
            ask([{"role": "system", "content": "Give a title."}, {"role": "user", "content": PROMPT}])
    if BREAK == "dialect":
        ask([{"role": "user", "content": PROMPT}], "/v2/chat")
    if BREAK == "sides":
        with suppress(HTTPError):
            ask([{"role": "system", "content": "Summarise."}, {"role": "user", "content": "Anything new?"}])
    messages: list[dict[str, Any]] = [{"role": "user", "content": PROMPT}]
    answer = ask(messages)
    records: list[dict[str, object]] = [{"role": "user", "content": PROMPT}]
    while answer.get("tool_calls"):
        (call,) = answer["tool_calls"]
        line = json.loads(call["function"]["arguments"])["line"]
        result = subprocess.run(line, shell=True, capture_output=True, text=True, check=False).stdout
        messages += [answer, {"role": "tool", "tool_call_id": call["id"], "content": result}]
        records.append({"role": "assistant", "content": []})
        answer = ask(messages)
    records.append(
        {"role": "assistant", "content": "something else" if BREAK == "reader" else answer["content"]}
    )
    folder = Path.home() / (".other" if BREAK == "glob" else ".demo")
    folder.mkdir()
    lines = [json.dumps({"type": "message", "message": record}) for record in records]
    (folder / "a.jsonl").write_text("\n".join(lines))
    sys.stdout.write("" if BREAK == "output" else answer["content"] + "\n")
    return 4 if BREAK == "exit" else 0


sys.exit(main())
