"""An agent that asks beside its conversation, in the form that its first argument names."""

from __future__ import annotations

import http.client
import json
import os
import sys
from typing import Any

FORM, PROMPT = sys.argv[1], sys.argv[2]
HOST = os.environ["URL"].removeprefix("http://")
SYSTEM = "You are a careful agent."
TOOLS = [
    {"type": "function", "function": {"name": f"tool_{n}", "parameters": {"type": "object"}}}
    for n in range(6)
]


class Asked:
    """A request that is under way."""

    def __init__(
        self, system: str, messages: list[dict[str, Any]], *, stream: bool = True, tools: bool = False
    ) -> None:
        body = {
            "model": "m",
            "stream": stream,
            "messages": [{"role": "system", "content": system}, *messages],
        }
        if tools:
            body["tools"] = TOOLS
        self._stream = stream
        self._connection = http.client.HTTPConnection(HOST)
        self._connection.request("POST", "/v1/chat/completions", json.dumps(body))

    def begin(self) -> None:
        """Wait for the first event of the reply."""
        self._response = self._connection.getresponse()
        assert self._response.status == 200, self._response.read()
        self._first = self._response.readline()

    def text(self) -> str:
        """The whole reply."""
        if not hasattr(self, "_response"):
            self.begin()
        whole = (self._first + self._response.read()).decode()
        self._connection.close()
        if not self._stream:
            return str(json.loads(whole)["choices"][0]["message"]["content"])
        events = [line[6:] for line in whole.splitlines() if line.startswith("data: {")]
        deltas = [choice["delta"] for event in events for choice in json.loads(event)["choices"]]
        return "".join(delta.get("content") or "" for delta in deltas)


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def title(**options: bool) -> Asked:
    """As most agents ask: another system text, the user's words quoted."""
    return Asked("You are a title generator.", [user(f"Name this conversation: {PROMPT}")], **options)


def suggestion(history: list[dict[str, Any]]) -> Asked:
    """As qwen asks: the same system text, all tools, the whole history; only the last words differ."""
    return Asked(SYSTEM, [*history, user("Suggest what the user may type next.")], tools=True)


def main() -> None:
    """Two rounds of a conversation, and what is asked beside them.

    In the form ``guard`` the second is the agent's own, and lacks what was said before.
    """
    history = [user(PROMPT)]
    aside = []
    if FORM == "before":
        aside.append(title().text())
    if FORM == "not-streamed":
        aside.append(title(stream=False).text())
    first = Asked(SYSTEM, history, tools=True)
    if FORM == "concurrent":
        both = [title(), title(stream=False)]
        aside += [asked.text() for asked in both]
    if FORM == "during":
        first.begin()
        aside.append(title().text())
    history.append({"role": "assistant", "content": first.text()})
    if FORM == "with-tools":
        aside.append(suggestion(history).text())
    if FORM == "guard":
        history = []
    history.append(user("System: a loop was found. Go on." if FORM == "guard" else "Go on."))
    history.append({"role": "assistant", "content": Asked(SYSTEM, history, tools=True).text()})
    if FORM == "after":
        aside.append(title().text())
    lines = [f"{message['role']}: {message['content']}" for message in history]
    sys.stdout.write("\n".join([*lines, *(f"aside: {text}" for text in aside), ""]))


main()
