"""The decoders: the same events however the bytes were cut, and every broken ending told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.refagent.conversation import (
    AssistantMessage,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
)
from harness.refagent.events import Done, StreamError, UsageReport
from harness.refagent.reply import Reply
from harness.refagent.wire import wire
from tests.refagent.received import cut, decode

if TYPE_CHECKING:
    from collections.abc import Callable

Parts = tuple[list[str], list[str], list[tuple[str, dict[str, Any]]]]

# What the decoders look at: keys of their objects, and values that open another branch.
KEYS = [
    "type",
    "choices",
    "delta",
    "index",
    "usage",
    "content_block",
    "tool_calls",
    "error",
    "candidates",
    "content",
    "parts",
    "functionCall",
    "finishReason",
    "usageMetadata",
    "response",
    "item",
    "output_index",
    "status",
    "summary",
    "arguments",
    "text",
]
WORDS = [
    "text_delta",
    "message_delta",
    "tool_use",
    "response.completed",
    "response.output_item.done",
    "function_call",
    "reasoning",
    "message",
    "response.output_text.delta",
    "completed",
    "STOP",
]

texts = st.lists(st.text(min_size=1, max_size=12).filter(lambda text: text.isprintable()), max_size=4)
calls = st.lists(
    st.tuples(
        st.sampled_from(["read", "bash"]), st.dictionaries(st.just("path"), st.text(max_size=8), min_size=1)
    ),
    max_size=2,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    parts=st.tuples(texts, texts, calls),
    places=st.lists(st.integers(0, 10_000), max_size=8),
    ending=st.sampled_from([b"\n", b"\r\n"]),
)
def test_where_the_bytes_were_cut_never_changes_the_events(
    dialect: str, stream_bytes: Callable[..., bytes], parts: Parts, places: list[int], ending: bytes
) -> None:
    data = stream_bytes(dialect, *parts).replace(b"\n", ending)
    assert decode(dialect, cut(data, places)) == decode(dialect, [data])
    assert decode(dialect, [data[i : i + 1] for i in range(len(data))]) == decode(dialect, [data])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.tuples(texts, texts, calls))
def test_what_was_said_is_what_is_read(
    dialect: str, stream_bytes: Callable[..., bytes], parts: Parts
) -> None:
    deltas, thinking, tool_calls = parts
    events = decode(dialect, [stream_bytes(dialect, *parts)])
    reply = Reply()
    for event in events:
        reply.add(event)
    message = AssistantMessage(reply.blocks, "stop")
    assert message.text == "".join(deltas)
    thought = "".join(block.text for block in message.blocks if isinstance(block, ThinkingBlock))
    assert thought == "".join(thinking)
    assert [(call.name, json.loads(call.arguments)) for call in message.tool_calls] == tool_calls
    assert (reply.input_tokens, reply.output_tokens) == (7, 9)
    assert events[-1] == Done("tool" if tool_calls else "stop")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 10_000))
def test_a_stream_that_ends_too_early_is_an_error(
    dialect: str, stream_bytes: Callable[..., bytes], place: int
) -> None:
    data = stream_bytes(dialect, ["Hello", " there"], ["hm"], [("read", {"path": "x"})])
    # Two dialects are complete with their finish reason; the others need their very last event.
    reasons = {"openai-chat": b'"finish_reason": "tool_calls"', "gemini": b'"finishReason": "STOP"'}
    last = data.rindex(reasons[dialect]) if dialect in reasons else len(data) - 1
    events = decode(dialect, [data[: place % last]])
    assert isinstance(events[-1], StreamError)
    assert "ended without" in events[-1].message
    assert not any(isinstance(event, Done) for event in events)


@given(
    data=st.lists(
        st.text(max_size=20)
        | st.recursive(
            st.none() | st.integers() | st.text(max_size=4) | st.sampled_from(WORDS),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
            ),
        ).map(json.dumps),
        max_size=4,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_data_makes_a_decoder_raise_and_the_last_event_is_the_end(dialect: str, data: list[str]) -> None:
    decoder = wire(dialect).decoder()
    events = [event for item in data for event in decoder.feed(item)] + list(decoder.finish())
    ends = [event for event in events if isinstance(event, (Done, StreamError))]
    assert ends == events[-1:]


def test_nothing_but_token_counts_is_read_after_the_end(
    dialect: str, stream_bytes: Callable[..., bytes]
) -> None:
    data = stream_bytes(dialect, ["Hello"], [], [])
    once, twice = decode(dialect, [data]), decode(dialect, [data, data])
    assert [e for e in twice if not isinstance(e, UsageReport)] == [
        e for e in once if not isinstance(e, UsageReport)
    ]


def test_comments_and_unknown_events_are_passed_over(
    dialect: str, stream_bytes: Callable[..., bytes]
) -> None:
    data = stream_bytes(dialect, ["Hello"], [], [])
    noise = b': keep alive\n\nretry: 5\n\nevent: ping\ndata: {"type": "ping"}\n\n'
    assert decode(dialect, [noise, data]) == decode(dialect, [data])


def test_an_error_event_ends_the_reply_with_its_message(dialect: str) -> None:
    data = b'data: {"type": "error", "error": {"type": "overloaded_error", "message": "too many"}}\n\n'
    assert decode(dialect, [data]) == [StreamError("too many")]


def test_an_event_that_is_not_json_is_an_error(dialect: str) -> None:
    (error,) = decode(dialect, [b"data: {nonsense\n\n"])
    assert isinstance(error, StreamError)
    assert "not JSON: '{nonsense'" in error.message


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        (
            "openai-chat",
            {
                "choices": [
                    {
                        "message": {
                            "content": "Hello",
                            "reasoning_content": "hm",
                            "tool_calls": [
                                {"id": "c", "function": {"name": "read", "arguments": '{"path": "x"}'}}
                            ],
                        },
                        "finish_reason": "tool_calls",
                    }
                ],
                "usage": {"prompt_tokens": 3, "completion_tokens": 4},
            },
        ),
        (
            "anthropic-messages",
            {
                "content": [
                    {"type": "thinking", "thinking": "hm", "signature": ""},
                    {"type": "text", "text": "Hello"},
                    {"type": "tool_use", "id": "c", "name": "read", "input": {"path": "x"}},
                ],
                "stop_reason": "tool_use",
                "usage": {"input_tokens": 3, "output_tokens": 4},
            },
        ),
        (
            "openai-responses",
            {
                "status": "completed",
                "output": [
                    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
                    {"type": "message", "content": [{"type": "output_text", "text": "Hello"}]},
                    {
                        "type": "function_call",
                        "call_id": "c",
                        "name": "read",
                        "arguments": '{"path": "x"}',
                    },
                ],
                "usage": {"input_tokens": 3, "output_tokens": 4},
            },
        ),
        (
            "gemini",
            {
                "candidates": [
                    {
                        "content": {
                            "parts": [
                                {"text": "hm", "thought": True},
                                {"text": "Hello"},
                                {"functionCall": {"id": "c", "name": "read", "args": {"path": "x"}}},
                            ]
                        },
                        "finishReason": "STOP",
                    }
                ],
                "usageMetadata": {"promptTokenCount": 3, "candidatesTokenCount": 4},
            },
        ),
    ],
    ids=["openai-chat", "anthropic-messages", "openai-responses", "gemini"],
)
def test_a_whole_body_gives_the_same_reply_as_a_stream(dialect: str, body: dict[str, Any]) -> None:
    events = wire(dialect).decode_whole(body)
    reply = Reply()
    for event in events:
        reply.add(event)
    assert reply.blocks == (
        ThinkingBlock("hm"),
        TextBlock("Hello"),
        ToolCallBlock("c", "read", '{"path": "x"}'),
    )
    assert UsageReport(3, 4) in events
    assert events[-1] == Done("tool")


def test_a_whole_body_that_says_nothing_is_an_error(dialect: str) -> None:
    assert isinstance(wire(dialect).decode_whole({})[-1], StreamError)
