"""Plays a script to a made-up client, in the little language of docs/scripts.md."""

from __future__ import annotations

import json
import re
from typing import Any

from mock_llm.dialects import by_name
from mock_llm.filling import fill_script
from mock_llm.request import ModelRequest
from mock_llm.responder import Play, Refuse, Responder
from mock_llm.script import Script
from mock_llm.turn import Refusal, Text, Thinking, ToolCall, Turn

_OPTION = re.compile(r"\((new|back|retry|system: [^)]*|body: [^)]*)\) ?")
PATH = "/v1/chat/completions"


class Player:
    """A client that keeps its conversations, and what it was told."""

    def __init__(self, script: Script) -> None:
        self._responder = Responder(fill_script(script, {"nonce": script.lane}))
        self._conversations: list[list[dict[str, Any]]] = [[]]
        self._at = 0
        self._last: ModelRequest | None = None

    def transcript(self, asked: list[str], expected: list[str]) -> list[str]:
        """What happens, line by line. Of a refusal or a breach only the lines that are expected are kept."""
        wanted = [line.removeprefix("! ") for line in expected if line.startswith("!")]
        lines: list[str] = []
        for line in asked:
            lines.append(line)
            said, complaints = self._ask(line.removeprefix("> "))
            lines += [f"< {each}".rstrip() for each in said]
            lines += [f"! {each}" for each in wanted if each in complaints]
        return lines

    def _ask(self, line: str) -> tuple[list[str], str]:
        options = _OPTION.findall(line)
        text = _OPTION.sub("", line)
        if "new" in options:
            self._conversations.append([])
            self._at = len(self._conversations) - 1
        if "back" in options:
            self._at = 0
        request = self._request(text, options)
        answer = self._responder.answer(request)
        if isinstance(answer, Refuse):
            return [], "\n".join((answer.message, *answer.violations))
        assert isinstance(answer, Play)
        if "retry" not in options:
            self._conversations[self._at].append(as_message(answer.turn.turn))
        return [shown(part) for part in answer.turn.turn.parts], "\n".join(answer.violations)

    def _request(self, text: str, options: list[str]) -> ModelRequest:
        headers = {}
        if "retry" in options:
            assert self._last is not None
            body = dict(self._last.body)
            headers = {"x-stainless-retry-count": "1"}
        else:
            messages = self._conversations[self._at]
            if text.startswith("result: "):
                result = text.removeprefix("result: ")
                calls = messages[-1]["tool_calls"]
                messages += [{"role": "tool", "tool_call_id": c["id"], "content": result} for c in calls]
            else:
                messages.append({"role": "user", "content": text})
            given = dict(option.split(": ", 1) for option in options if ": " in option)
            system = [{"role": "system", "content": given["system"]}] if "system" in given else []
            more = json.loads(given.get("body", "{}"))
            body = {"model": "mock-model", "messages": [*system, *messages], **more}
        self._last = by_name("openai-chat").parse_request(body, PATH, headers)
        return self._last


def as_message(turn: Turn) -> dict[str, Any]:
    """What a client keeps of a turn."""
    calls = [
        {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": part.arguments}}
        for part in turn.parts
        if isinstance(part, ToolCall)
    ]
    text = "".join(part.text for part in turn.parts if isinstance(part, Text))
    return {"role": "assistant", "content": text} | ({"tool_calls": calls} if calls else {})


def shown(part: Text | Thinking | Refusal | ToolCall) -> str:
    if isinstance(part, ToolCall):
        return f"call: {part.name} {part.arguments}"
    kind = {Thinking: "think: ", Refusal: "refuse: "}.get(type(part), "")
    return f"{kind}{part.text}"
