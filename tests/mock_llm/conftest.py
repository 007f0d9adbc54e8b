"""What the tests of the mock model share: requests in both dialects, and a turn with everything in it."""

from __future__ import annotations

from typing import Any

import pytest

from mock_llm.request import ModelRequest
from mock_llm.turn import Text, Thinking, ToolCall, Turn, Usage

PATHS = {"openai-chat": "/v1/chat/completions", "anthropic-messages": "/v1/messages"}


class Asking:
    """Builds request bodies that both dialects accept."""

    paths = PATHS

    @staticmethod
    def body(text: str = "hello", *, stream: bool = True, **more: Any) -> dict[str, Any]:
        messages = [{"role": "user", "content": text}]
        return {"model": "mock-model", "max_tokens": 100, "stream": stream, "messages": messages, **more}

    @staticmethod
    def request(text: str = "hello", **more: Any) -> ModelRequest:
        from mock_llm.dialects import by_name

        headers = more.pop("headers", {})
        body = Asking.body(text, **more)
        return by_name("openai-chat").parse_request(body, PATHS["openai-chat"], headers)


@pytest.fixture
def asking() -> type[Asking]:
    return Asking


@pytest.fixture(params=sorted(PATHS))
def dialect_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def full_turn() -> Turn:
    """Thinking, text, two tool calls and usage."""
    return Turn(
        (
            Thinking("The user wants both files. "),
            Text("I will read “a” and list b.\n"),
            ToolCall("call_read", "read", '{"path": "a.txt"}'),
            ToolCall("call_list", "bash", '{"command": "ls b"}'),
        ),
        Usage(input_tokens=31, output_tokens=27),
        "tool",
    )
