"""What other servers send than ours, and what the recorder makes of it."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mock_llm.dialects import NAMES
from mock_llm.record_decode import decoder_for, dialect_of, sse
from mock_llm.record_decode.piece import Called, Counted, Failed, Finished, Said, Stopped
from mock_llm.record_decode.sse import EventData


def decoded(dialect: str, *events: Any) -> list[Any]:
    decoder = decoder_for(dialect)
    return [piece for event in events for piece in decoder.event(event)]


def chat(**delta: Any) -> Any:
    return {"choices": [{"index": 0, "delta": delta}]}


@pytest.mark.parametrize(
    ("dialect", "events", "pieces"),
    [
        # Reasoning under the name that OpenRouter and vLLM use, once where a server sends both names.
        ("openai-chat", [chat(reasoning="a")], [Said(0, "think", "a")]),
        ("openai-chat", [chat(reasoning="a", reasoning_content="a")], [Said(0, "think", "a")]),
        ("openai-chat", [chat(content=None, role="assistant")], []),
        # A call whose index is missing is told from others by its place.
        (
            "openai-chat",
            [chat(tool_calls=[{"id": "c", "function": {"name": "f", "arguments": "{}"}}])],
            [Called(0, "c", "f"), Said(0, "args", "{}")],
        ),
        # Text that goes on after a call is a part of its own.
        (
            "openai-chat",
            [chat(content="a"), chat(tool_calls=[{"index": 0, "id": "c", "function": {"name": "f"}}]), chat(content="b")],
            [Said(0, "say", "a"), Called(1, "c", "f"), Said(2, "say", "b")],
        ),
        ("openai-chat", [{"choices": [{"finish_reason": "eos"}]}, "[DONE]"], [Stopped("eos"), Finished()]),
        ("openai-chat", [{"error": {"message": "no", "code": 500}}], [Failed("no")]),
        ("openai-chat", [{"error": "no"}], [Failed("no")]),
        ("openai-chat", [{"error": {}}], [Failed("an error without a message")]),
        # A server that sends items only when they are done.
        (
            "openai-responses",
            [
                {
                    "type": "response.output_item.done",
                    "output_index": 0,
                    "item": {"type": "message", "content": [{"type": "output_text", "text": "a"}]},
                },
                {
                    "type": "response.output_item.done",
                    "output_index": 1,
                    "item": {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
                },
            ],
            [Said(0, "say", "a"), Called(1, "c", "f"), Said(1, "args", "{}")],
        ),
        (
            "openai-responses",
            [{"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}}}],
            [Stopped("length"), Finished()],
        ),
        ("openai-responses", [{"type": "error", "message": "no"}], [Failed("no")]),
        ("openai-responses", [{"type": "response.failed", "response": {"error": {"message": "no"}}}], [Failed("no")]),
        # Thinking that the provider hides leaves no part, and the block after it has its own.
        (
            "anthropic-messages",
            [
                {"type": "content_block_start", "index": 0, "content_block": {"type": "redacted_thinking", "data": "x"}},
                {"type": "ping"},
                {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
                {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "a"}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lost"}},
            ],
            [Said(0, "say", "a")],
        ),
        (
            "anthropic-messages",
            [{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}],
            [Failed("Overloaded")],
        ),
        (
            "anthropic-messages",
            [{"type": "message_delta", "delta": {"stop_reason": "pause_turn"}, "usage": {"output_tokens": 3}}],
            [Stopped("pause_turn"), Counted(None, 3)],
        ),
        # Thoughts are counted apart from the answer.
        (
            "gemini",
            [
                {"candidates": [{"content": {"parts": [{"text": "a", "thought": True}, {"text": "b"}]}}]},
                {
                    "candidates": [{"finishReason": "STOP"}],
                    "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2, "thoughtsTokenCount": 3},
                },
            ],
            [Said(0, "think", "a"), Said(1, "say", "b"), Counted(1, 5), Stopped("stop"), Finished()],
        ),
        ("gemini", [{"error": {"code": 503, "message": "no", "status": "UNAVAILABLE"}}], [Failed("no")]),
    ],
)  # fmt: skip
def test_what_providers_send(dialect: str, events: list[Any], pieces: list[Any]) -> None:
    assert decoded(dialect, *events) == pieces


def test_a_gemini_stream_that_comes_as_one_list_is_read_too() -> None:
    chunks = [
        {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": stop}]}
        for text, stop in (("a", None), ("b", "MAX_TOKENS"))
    ]

    assert list(decoder_for("gemini").whole(chunks)) == [
        Said(0, "say", "a"),
        Said(0, "say", "b"),
        Stopped("length"),
        Finished(),
    ]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["choices", "delta", "tool_calls", "function", "content", "type", "index", "item", "output_index",
             "candidates", "parts", "text", "usage", "error", "response", "content_block", "usageMetadata"]
        ),
        inner | st.sampled_from(["content_block_start", "content_block_delta", "response.output_item.done", "error"]),
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None)
@given(values=st.lists(json_values, max_size=4))
def test_no_answer_upsets_a_decoder(name: str, values: list[Any]) -> None:
    decoder = decoder_for(name)
    pieces = [piece for value in values for piece in (*decoder.event(value), *decoder.whole(value))]

    assert all(isinstance(p, Said | Called | Counted | Stopped | Finished | Failed) for p in pieces)


@settings(deadline=None)
@given(
    events=st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])), max_size=5),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    space=st.sampled_from(["", " "]),
    cuts=st.lists(st.integers(0, 200), max_size=6),
)
def test_events_are_found_however_the_bytes_were_cut(
    events: list[str], ending: str, space: str, cuts: list[int]
) -> None:
    text = "".join(f": note{ending}event: x{ending}data:{space} {event}{ending}{ending}" for event in events)
    data = b"\xef\xbb\xbf" + text.encode()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    stream = EventData()

    found = [event for start, end in pairwise(places) for event in stream.feed(data[start:end])]

    assert found == [(space and " ") + event for event in events]


@given(cuts=st.lists(st.integers(0, 400), max_size=6), ending=st.sampled_from(["\n", "\r\n"]))
def test_an_event_that_does_not_end_is_left_out_and_not_kept(cuts: list[int], ending: str) -> None:
    lines = [
        "data: one",
        "",
        f"data: {'x' * 200}",
        "",
        "data: a",
        *["data: 12345"] * 20,
        "",
        "data: two",
        "",
        "",
    ]
    data = ending.join(lines).encode()
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    stream = EventData()
    found = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sse, "MOST_CHARS", 100)
        for start, end in pairwise(places):
            found += stream.feed(data[start:end])
            assert sum(map(len, (*stream._line, *stream._data))) <= 2 * 100

    assert found == ["one", "two"]


@pytest.mark.parametrize(
    ("path", "dialect"),
    [
        ("/v1/chat/completions", "openai-chat"),
        ("/api/v1/chat/completions?x=1", "openai-chat"),
        ("/v1/messages", "anthropic-messages"),
        ("/v1/messages/count_tokens", None),
        ("/v1/responses/input_tokens", None),
        ("/v1/models/m:generateContent", "gemini"),
        ("/v1/models", None),
    ],
)
def test_a_path_says_the_dialect(path: str, dialect: str | None) -> None:
    assert dialect_of(path) == dialect


def test_an_event_that_is_no_json_is_left_out_and_the_rest_is_kept() -> None:
    from mock_llm.record_lines import Lines

    lines = Lines("openai-chat", "POST", "/v1/chat/completions", {})
    lines.head(1, 200, {"content-type": "text/event-stream"})
    stream = b"data: {broken\n\ndata: " + json.dumps(chat(content="a")).encode() + b"\n\n"

    assert list(lines.feed(2, stream)) == [{"at_ms": 2, "part": 0, "say": "a"}]
