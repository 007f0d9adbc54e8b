"""What a request body means in each dialect, and which bodies are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm.dialects import NAMES, by_name
from mock_llm.request import BadRequest, ModelRequest, RequestMessage

USER = [{"role": "user", "content": "hi"}]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "text", "type", "function", "name"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
bodies = st.fixed_dictionaries(
    {"model": st.just("m"), "max_tokens": st.just(1), "messages": json_values},
    optional=dict.fromkeys(("system", "tools", "stream", "stream_options"), json_values),
)


def parse(name: str, headers: dict[str, str] | None = None, **body: Any) -> ModelRequest:
    raw = json.dumps({"model": "m", "max_tokens": 1, "messages": USER, **body}).encode()
    return by_name(name).parse_request(raw, "/v1/path", headers or {})


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
    assert request.path == "/v1/path"


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


def test_tool_results_alone_are_not_a_user_text() -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": "done"}
    request = parse("anthropic-messages", messages=[*USER, {"role": "user", "content": [result]}])

    assert request.last_user_text == "hi"


@pytest.mark.parametrize(("value", "count"), [("0", 0), ("2", 2), ("", 0), ("-1", 0), ("two", 0), ("²", 0)])
def test_the_retry_header_is_read_where_it_is_a_number(value: str, count: int) -> None:
    assert parse("openai-chat", {"x-stainless-retry-count": value}).retry == count


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": None}, "'model' must be a string, and is null"),
        ({"messages": []}, "'messages' must hold at least one message, and is empty"),
        ({"messages": "hi"}, "'messages' must be a list, and is a string"),
        ({"messages": ["hi"]}, "'messages[0]' must be an object, and is a string"),
        (
            {"messages": [{"role": "user", "content": 3}]},
            "'messages[0].content' must be a list, and is a number",
        ),
        ({"stream": "yes"}, "'stream' must be true or false, and is a string"),
    ],
)
def test_a_wrong_field_is_named(name: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse(name, **change)

    assert str(caught.value) == message


def test_an_unknown_role_is_named_with_the_known_ones() -> None:
    with pytest.raises(BadRequest) as caught:
        parse("openai-chat", messages=[{"role": "robot", "content": ""}])
    assert str(caught.value).startswith("'messages[0].role' is 'robot', not one of system,")

    with pytest.raises(BadRequest) as caught:
        parse("anthropic-messages", messages=[{"role": "tool", "content": ""}])
    assert str(caught.value) == "'messages[0].role' is 'tool', not one of user, assistant, system"


def test_an_anthropic_request_must_bound_its_answer() -> None:
    body = {"model": "m", "messages": USER}

    with pytest.raises(BadRequest, match="'max_tokens' must be a whole number, and is missing"):
        by_name("anthropic-messages").parse_request(body, "/v1/messages", {})


def test_an_anthropic_message_must_have_content() -> None:
    with pytest.raises(
        BadRequest, match=r"'messages\[0\].content' must be a string or a list, and is missing"
    ):
        parse("anthropic-messages", messages=[{"role": "user"}])


@pytest.mark.parametrize(
    ("body", "message"), [(b"{", "the body is not JSON"), (b"[]", "but a list"), (b"\xff", "JSON")]
)
def test_a_body_that_is_no_object_is_refused(dialect_name: str, body: bytes, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        by_name(dialect_name).parse_request(body, "/", {})


def test_a_body_nested_without_end_is_refused(dialect_name: str) -> None:
    with pytest.raises(BadRequest, match="the body is not JSON"):
        by_name(dialect_name).parse_request(b"[" * 200_000, "/", {})


@pytest.mark.parametrize("name", NAMES)
@given(body=bodies)
def test_any_json_body_is_read_or_refused_and_never_a_crash(name: str, body: dict[str, Any]) -> None:
    try:
        request = by_name(name).parse_request(body, "/", {})
    except BadRequest:
        return
    assert request.messages is not None
