"""The rules of the Anthropic and Gemini formats that real client libraries rely on (measured: see docs)."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mock_llm.dialects import by_name
from mock_llm.script import Stream
from mock_llm.turn import Text, ToolCall, Turn
from tests.mock_llm.wire_samples import (
    IDS,
    events_of,
    interleaved,
    json_objects,
    payloads,
    request_for,
    turns,
    whole_of,
)

BROKEN = Turn((ToolCall("a", "read", '{"path": '),), stop="tool")


# Anthropic messages


def test_every_anthropic_event_is_named_after_its_type(full_turn: Turn) -> None:
    events = events_of("anthropic-messages", full_turn, Stream(deltas=8))

    for event, payload in zip(events, payloads(events), strict=True):
        assert event.data.startswith(f"event: {payload['type']}\ndata: ".encode())


@given(data=st.data())
def test_anthropic_blocks_start_empty_grow_and_stop_each_under_its_index(data: st.DataObject) -> None:
    turn = data.draw(turns())
    found = payloads(
        list(
            by_name("anthropic-messages").encode(
                turn, data.draw(interleaved(turn)), request_for("anthropic-messages"), IDS
            )
        )
    )
    is_open: dict[int, bool] = {}
    empty: tuple[dict[str, Any], ...] = ({"text": ""}, {"thinking": "", "signature": ""}, {"input": {}})

    assert found[0]["message"]["content"] == []
    assert set(found[0]["message"]["usage"]) == {"input_tokens", "output_tokens"}
    for event in found[1:-2]:
        index = event["index"]
        if event["type"] == "content_block_start":
            assert index == len(is_open)
            is_open[index] = True
            block = event["content_block"]
            assert {key: block[key] for key in block if key not in ("type", "id", "name")} in empty
        else:
            assert is_open[index]
            is_open[index] = event["type"] != "content_block_stop"
    assert not any(is_open.values())
    assert [event["type"] for event in found[-2:]] == ["message_delta", "message_stop"]


def test_an_anthropic_thinking_block_is_signed_last(full_turn: Turn) -> None:
    found = payloads(events_of("anthropic-messages", full_turn))

    kinds = [event.get("delta", {}).get("type") or event["type"] for event in found]
    assert kinds[:5] == [
        "message_start",
        "content_block_start",
        "thinking_delta",
        "signature_delta",
        "content_block_stop",
    ]
    assert found[-2]["usage"] == {"output_tokens": 27}


def test_text_that_is_played_again_after_other_parts_opens_a_new_block() -> None:
    turn = Turn((Text("ab"), ToolCall("a", "read", "{}")))
    stream = Stream(until_hang_up=True, cap_chars=6)

    starts = [
        event["content_block"]["type"]
        for event in payloads(events_of("anthropic-messages", turn, stream))
        if event["type"] == "content_block_start"
    ]

    assert starts == ["text", "tool_use", "text"]


def test_arguments_that_are_not_json_reach_a_client_as_they_are_where_the_format_wants_a_value() -> None:
    anthropic = whole_of("anthropic-messages", BROKEN)["content"][0]["input"]
    gemini = whole_of("gemini", BROKEN)["candidates"][0]["content"]["parts"][0]["functionCall"]["args"]

    assert anthropic == gemini == '{"path": '


# Gemini


@given(turn=turns(json_objects.map(json.dumps)), size=st.integers(1, 9))
def test_a_gemini_stream_is_bare_data_lines_whose_chunks_all_have_parts(turn: Turn, size: int) -> None:
    events = events_of("gemini", turn, Stream(chars_per_delta=size))
    found = payloads(events)

    assert all(event.data.startswith(b"data: {") and event.data.count(b"\n") == 2 for event in events)
    assert all(chunk["candidates"][0]["content"]["parts"] for chunk in found)
    assert {chunk["usageMetadata"]["promptTokenCount"] for chunk in found} == {
        turn.usage and turn.usage.input_tokens
    }
    assert ["finishReason" in chunk["candidates"][0] for chunk in found] == [False] * (len(found) - 1) + [
        True
    ]
    calls = [
        part
        for chunk in found
        for part in chunk["candidates"][0]["content"]["parts"]
        if "functionCall" in part
    ]
    wanted = [json.loads(part.arguments or "{}") for part in turn.parts if isinstance(part, ToolCall)]
    assert [call["functionCall"]["args"] for call in calls] == wanted


def test_without_alt_sse_a_gemini_stream_is_an_array_that_grows(full_turn: Turn) -> None:
    dialect, path = by_name("gemini"), "/v1beta/models/m:streamGenerateContent"
    array = events_of("gemini", full_turn, Stream(deltas=8), path=path)
    lines = payloads(events_of("gemini", full_turn, Stream(deltas=8), path=f"{path}?alt=sse"))

    assert json.loads(b"".join(event.data for event in array)) == lines
    assert dialect.stream_type(request_for("gemini", path=path)) == "application/json; charset=utf-8"
    assert dialect.stream_type(request_for("gemini")) == "text/event-stream; charset=utf-8"


def test_a_gemini_refusal_without_a_word_is_a_blocked_prompt() -> None:
    body = whole_of("gemini", Turn((), stop="refusal"))

    assert body["promptFeedback"] == {"blockReason": "SAFETY"}
    assert "candidates" not in body


def test_the_first_gemini_call_carries_the_proof_of_the_thinking_before_it(full_turn: Turn) -> None:
    parts = whole_of("gemini", full_turn)["candidates"][0]["content"]["parts"]

    assert ["thoughtSignature" in part for part in parts] == [False, False, True, False]
