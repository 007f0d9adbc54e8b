"""Which request bodies are refused in each dialect, and what is said about them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm.dialects import NAMES, by_name
from mock_llm.request import BadRequest
from tests.mock_llm.wire_samples import PATHS, parse

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
    {"model": st.just("m"), "max_tokens": st.just(1)},
    optional=dict.fromkeys(
        (
            "messages",
            "input",
            "contents",
            "system",
            "instructions",
            "systemInstruction",
            "tools",
            "stream",
            "stream_options",
            "include",
            "generateContentRequest",
        ),
        json_values,
    ),
)


@pytest.mark.parametrize(("value", "count"), [("0", 0), ("2", 2), ("", 0), ("-1", 0), ("two", 0), ("²", 0)])
def test_the_retry_header_is_read_where_it_is_a_number(value: str, count: int) -> None:
    assert parse("openai-chat", {"x-stainless-retry-count": value}).retry == count


@pytest.mark.parametrize("name", ["openai-chat", "anthropic-messages"])
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model": None}, "'model' must be a string, and is null"),
        ({"input": None}, "'input' must be a string or a list, and is missing"),
        ({"input": []}, "'input' must hold at least one message, and is empty"),
        ({"input": 3}, "'input' must be a list, and is a number"),
        ({"input": ["hi"]}, "'input[0]' must be an object, and is a string"),
        ({"input": [{"role": "user"}]}, "'input[0].content' must be a string or a list, and is missing"),
        ({"input": [{"type": 3}]}, "'input[0].type' must be a string, and is a number"),
        ({"instructions": 3}, "'instructions' must be a list, and is a number"),
        ({"stream": "yes"}, "'stream' must be true or false, and is a string"),
    ],
)
def test_a_wrong_field_of_a_responses_request_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse("openai-responses", **change)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"contents": None}, "'contents' must be a list, and is null"),
        ({"contents": []}, "'contents' must hold at least one entry, and is empty"),
        ({"contents": ["hi"]}, "'contents[0]' must be an object, and is a string"),
        ({"contents": [{"role": "user"}]}, "'contents[0].parts' must be a list, and is null"),
        (
            {"systemInstruction": "hi", "contents": []},
            "'contents' must hold at least one entry, and is empty",
        ),
        ({"tools": [3]}, "'tools[0]' must be an object, and is a number"),
    ],
)
def test_a_wrong_field_of_a_gemini_request_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse("gemini", **change)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        (
            "openai-chat",
            {"messages": [{"role": "robot", "content": ""}]},
            "'messages[0].role' is 'robot', not one of system, developer, user, assistant, tool",
        ),
        (
            "openai-responses",
            {"input": [{"role": "tool", "content": ""}]},
            "'input[0].role' is 'tool', not one of system, developer, user, assistant",
        ),
        (
            "anthropic-messages",
            {"messages": [{"role": "tool", "content": ""}]},
            "'messages[0].role' is 'tool', not one of user, assistant, system",
        ),
        (
            "gemini",
            {"contents": [{"role": "assistant", "parts": []}]},
            "'contents[0].role' is 'assistant', not one of user, model",
        ),
    ],
)
def test_an_unknown_role_is_named_with_the_known_ones(name: str, body: dict[str, Any], message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        parse(name, **body)

    assert str(caught.value) == message


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
    with pytest.raises(BadRequest, match="the body is nested deeper than 200 levels"):
        by_name(dialect_name).parse_request(b"[" * 200_000, "/", {})


@pytest.mark.parametrize("name", NAMES)
@given(body=bodies)
def test_any_json_body_is_read_or_refused_and_never_a_crash(name: str, body: dict[str, Any]) -> None:
    try:
        request = by_name(name).parse_request(body, PATHS[name], {})
    except BadRequest:
        return
    assert request.messages is not None
