"""What a request says in each dialect: system text, messages, tools, model, streaming."""

from __future__ import annotations

from typing import Any

import pytest

from mock_llm.dialects import by_name
from mock_llm.request import RequestMessage
from tests.mock_llm.wire_samples import asked, parse


def test_a_chat_conversation_is_read_whole() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}}
    request = parse(
        "openai-chat",
        messages=[
            {"role": "system", "content": "be brief"},
            {"role": "developer", "content": [{"type": "text", "text": "no jokes"}]},
            {"role": "user", "content": [{"type": "text", "text": "read "}, {"type": "text", "text": "a"}]},
            {"role": "assistant", "content": None, "reasoning_content": "hm", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "file a"},
        ],
        tools=[{"type": "function", "function": {"name": "read", "parameters": {}}}],
        stream=True,
        stream_options={"include_usage": True},
    )

    assert request.system == "be brief\n\nno jokes"
    assert request.messages == (
        RequestMessage("user", "read a"),
        RequestMessage("assistant", "", "hm", ('read {"path":"a"}',)),
        RequestMessage("tool", "file a"),
    )
    assert (request.tools, request.stream, request.include_usage) == (("read",), True, True)
    assert request.last_user_text == "read a"
    assert request.path == "/v1/chat/completions"


def test_an_anthropic_conversation_is_read_whole() -> None:
    request = parse(
        "anthropic-messages",
        system=[{"type": "text", "text": "be brief"}],
        messages=[
            {"role": "user", "content": "read a"},
            {"role": "system", "content": "no jokes"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "s"},
                    {"type": "text", "text": "reading"},
                    {"type": "tool_use", "id": "t", "name": "read", "input": {"path": "a"}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "t",
                        "content": [{"type": "text", "text": "file a"}],
                    },
                    {"type": "text", "text": "go on"},
                ],
            },
        ],
        tools=[{"name": "read", "input_schema": {}}],
    )

    assert request.system == "be brief\n\nno jokes"
    assert request.messages == (
        RequestMessage("user", "read a"),
        RequestMessage("assistant", "reading", "hm", ('read {"path":"a"}',)),
        RequestMessage("tool", "file a"),
        RequestMessage("user", "go on"),
    )
    assert (request.tools, request.stream) == (("read",), False)


def test_a_responses_conversation_is_read_whole() -> None:
    request = parse(
        "openai-responses",
        instructions="be brief",
        input=[
            {"role": "developer", "content": "no jokes"},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "read a"}]},
            {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"role": "assistant", "content": [{"type": "output_text", "text": "reading"}]},
            {"type": "function_call", "call_id": "c", "name": "read", "arguments": '{"path":"a"}'},
            {"type": "function_call_output", "call_id": "c", "output": "file a"},
            {"type": "item_reference", "id": "x"},
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]},
            {"role": "user", "content": "go on"},
        ],
        tools=[{"type": "function", "name": "read", "parameters": {}}, {"type": "web_search"}],
        stream=True,
    )

    assert request.system == "be brief\n\nno jokes"
    assert request.messages == (
        RequestMessage("user", "read a"),
        RequestMessage("assistant", "reading", "hm", ('read {"path":"a"}',)),
        RequestMessage("tool", "file a"),
        RequestMessage("assistant", "no"),
        RequestMessage("user", "go on"),
    )
    assert (request.tools, request.stream) == (("read", "web_search"), True)


def test_what_an_assistant_said_may_be_a_plain_text_and_stand_last() -> None:
    said: Any = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    for name, key in (
        ("openai-chat", "messages"),
        ("anthropic-messages", "messages"),
        ("openai-responses", "input"),
    ):
        request = parse(name, **{key: said})

        assert request.messages == (RequestMessage("user", "hi"), RequestMessage("assistant", "hello"))


def test_a_responses_input_may_be_a_plain_text() -> None:
    assert parse("openai-responses", input="read a").messages == (RequestMessage("user", "read a"),)


def test_a_gemini_conversation_is_read_whole_under_either_spelling() -> None:
    call = {"name": "read", "args": {"path": "a"}}
    result = {"name": "read", "response": {"output": "file a"}}
    said = [{"text": "hm", "thought": True}, {"text": "reading"}]
    wanted = (
        RequestMessage("user", "read a"),
        RequestMessage("assistant", "reading", "hm", ('read {"path":"a"}',)),
        RequestMessage("tool", "file a"),
        RequestMessage("user", "go on"),
    )
    for spelled in (str, snake_case):
        system: Any = {spelled("systemInstruction"): {"parts": [{"text": "be brief"}]}}
        request = parse(
            "gemini",
            contents=[
                {"role": "user", "parts": [{"text": "read "}, {"text": "a"}]},
                {"role": "model", "parts": [*said, {spelled("functionCall"): call}]},
                {"role": "user", "parts": [{spelled("functionResponse"): result}, {"text": "go on"}]},
            ],
            tools=[{spelled("functionDeclarations"): [{"name": "read"}]}],
            **system,
        )

        assert (request.system, request.messages, request.tools) == ("be brief", wanted, ("read",))


def snake_case(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ({"output": "x"}, "x"),
        ({"a": 1}, '{"a":1}'),
        ({"a": "x", "b": "y"}, '{"a":"x","b":"y"}'),
        (None, "null"),
    ],
)
def test_a_gemini_result_is_its_only_text_or_its_json(response: Any, text: str) -> None:
    part = {"functionResponse": {"name": "read", "response": response}}
    request = parse("gemini", contents=[{"role": "user", "parts": [part]}])

    assert request.messages == (RequestMessage("tool", text),)


@pytest.mark.parametrize(
    ("path", "model", "stream"),
    [
        ("/v1beta/models/gemini-pro:generateContent", "gemini-pro", False),
        ("/v1/models/gemini-pro:streamGenerateContent?alt=sse", "gemini-pro", True),
        ("/models/a%2Fb:streamGenerateContent", "a/b", True),
        ("/models/publishers/x/models/y:generateContent", "publishers/x/models/y", False),
    ],
)
def test_a_gemini_path_says_model_and_streaming_and_the_body_is_not_asked(
    path: str, model: str, *, stream: bool
) -> None:
    body = {**asked("gemini", "hi")[1], "model": "other", "stream": not stream}
    request = by_name("gemini").parse_request(body, path, {})

    assert (request.model, request.stream) == (model, stream)


@pytest.mark.parametrize("name", ["openai-chat", "openai-responses", "anthropic-messages"])
@pytest.mark.parametrize(("stream", "wanted"), [(True, True), (False, False), (None, False)])
def test_the_body_alone_decides_whether_a_reply_is_streamed(name: str, stream: Any, *, wanted: bool) -> None:
    for accept in ("application/json", "text/event-stream"):
        assert parse(name, {"accept": accept}, stream=stream).stream is wanted


def test_a_gemini_count_may_wrap_the_request_that_it_is_about() -> None:
    path = "/v1beta/models/m:countTokens"
    plain = by_name("gemini").parse_request(asked("gemini", "hi")[1], path, {})
    wrapped = by_name("gemini").parse_request({"generateContentRequest": asked("gemini", "hi")[1]}, path, {})

    assert plain.messages == wrapped.messages == (RequestMessage("user", "hi"),)


def test_tool_results_alone_are_not_a_user_text() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "done"}
    request = parse(
        "anthropic-messages",
        messages=[*[{"role": "user", "content": "hi"}], {"role": "user", "content": [result]}],
    )

    assert request.last_user_text == "hi"
