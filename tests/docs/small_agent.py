#!/usr/bin/env python3
"""A small agent CLI that docs/agents.md describes: two dialects, a session, a guard of its own."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

HOME = os.environ.get("SMALL_AGENT_HOME", "")  # without one it keeps no session
MARKER = "[stopped]"
RULE, MECHANISM = "repeated-paragraph", "third-copy"
CORRECTION = f'<correction rule="{RULE}">Do not repeat yourself.</correction>'


def deltas(messages: list[dict[str, str]]) -> Generator[str, None, None]:
    """The text of a streamed reply; closing the iterator hangs up."""
    config = {"url": os.environ.get("SMALL_AGENT_URL", ""), "model": "small-1"}
    if HOME:
        config = json.loads(Path(HOME, "config.json").read_text())
    key = os.environ["SMALL_AGENT_KEY"]
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}", "x-api-key": key}
    body = {"model": config["model"], "stream": True, "max_tokens": 4096, "messages": messages}
    with urlopen(Request(config["url"], json.dumps(body).encode(), headers)) as answer:
        for line in answer:
            data = line.decode().partition("data: ")[2].strip()
            if data.startswith("{"):
                yield text_of(json.loads(data))


def text_of(event: dict[str, Any]) -> str:
    """What one event adds to the answer, in either dialect."""
    if "choices" in event:
        return "".join(choice["delta"].get("content") or "" for choice in event["choices"])
    return event["delta"].get("text", "") if event.get("type") == "content_block_delta" else ""


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def save(**record: Any) -> None:
    """Append one line to the session."""
    if not HOME:
        return
    sessions = Path(HOME, "sessions")
    sessions.mkdir(exist_ok=True)
    with (sessions / "1.jsonl").open("a") as file:
        file.write(json.dumps(record) + "\n")


def save_message(role: str, stop_reason: str, *texts: str) -> None:
    content = [{"type": "text", "text": text} for text in texts]
    save(type="message", message={"role": role, "content": content, "stopReason": stop_reason})


def answer(messages: list[dict[str, str]], *, is_guarded: bool) -> bool:
    """Stream one reply and save it; False when the guard stopped it."""
    text = ""
    stream = deltas(messages)
    for delta in stream:
        for character in delta:
            text += character
            closed = text.split("\n\n")[:-1]
            if is_guarded and closed and Counter(closed)[closed[-1]] == 3 and text.endswith("\n\n"):
                stream.close()
                fired = {"rules": [RULE], "mechanism": MECHANISM, "fired_at": len(text)}
                save(type="custom", customType="rule-activation", data=fired)
                kept = text[: text.index(closed[-1])]
                save_message("assistant", "aborted", kept, MARKER)
                say("stopped: the answer repeats itself")
                return False
    save_message("assistant", "stop", text)
    say(text)
    return True


def main() -> None:
    *options, prompt = sys.argv[1:]
    if prompt == "--version":
        say("small-agent 1.0")
        return
    is_guarded = "--no-guard" not in options and "--without=repeated-paragraph" not in options
    save(type="session", version=3)
    save_message("user", "", prompt)
    asked = [{"role": "user", "content": prompt}]
    if not answer(asked, is_guarded=is_guarded):
        save(type="custom_message", display=False, content=CORRECTION)
        answer([*asked, {"role": "user", "content": CORRECTION}], is_guarded=False)
    if HOME:
        title = "".join(deltas([{"role": "user", "content": "Name this conversation in three words."}]))
        say(f"title: {title}")


if __name__ == "__main__":
    main()
