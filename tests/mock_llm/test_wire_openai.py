"""The rules of the OpenAI formats that real client libraries rely on (measured: see docs)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm.dialects import by_name
from mock_llm.script import Stream
from mock_llm.turn import Delta, Refusal, Text, Thinking, ToolCall, Turn
from tests.mock_llm.wire_samples import (
    IDS,
    events_of,
    interleaved,
    payloads,
    request_for,
    turns,
    whole_of,
)

# Chat completions


def test_every_chat_chunk_has_choices_with_index_and_delta(full_turn: Turn) -> None:
    chunks = payloads(events_of("openai-chat", full_turn, Stream(deltas=8)))

    assert chunks[-1] == "[DONE]"
    assert all(c["choices"][0]["index"] == 0 and "delta" in c["choices"][0] for c in chunks[:-1])
    assert chunks[0]["choices"][0]["delta"]["role"] == "assistant"
    reasons = [c["choices"][0]["finish_reason"] for c in chunks[:-1]]
    assert reasons == [None] * (len(reasons) - 1) + ["tool_calls"]
    assert len({(c["id"], c["object"], c["created"], c["model"]) for c in chunks[:-1]}) == 1


def test_only_the_first_delta_of_a_chat_call_has_id_type_and_name(full_turn: Turn) -> None:
    chunks = payloads(events_of("openai-chat", full_turn, Stream(deltas=8)))[:-1]
    deltas = [call for c in chunks for call in c["choices"][0]["delta"].get("tool_calls", ())]

    for index, name in ((0, "read"), (1, "bash")):
        first, *rest = [call for call in deltas if call["index"] == index]
        assert (first["type"], first["function"]["name"]) == ("function", name)
        assert first["id"]
        assert len(rest) == 2
        assert all(set(call) == {"index", "function"} for call in rest)
        assert all(set(call["function"]) == {"arguments"} for call in rest)


def test_a_chat_stream_counts_usage_only_when_asked(full_turn: Turn) -> None:
    plain = payloads(events_of("openai-chat", full_turn))
    counted = payloads(events_of("openai-chat", full_turn, stream_options={"include_usage": True}))

    assert all("usage" not in chunk for chunk in plain[:-1])
    assert counted[-2]["choices"] == []
    assert counted[-2]["usage"] == {"prompt_tokens": 31, "completion_tokens": 27, "total_tokens": 58}


def test_a_whole_chat_reply_without_text_has_null_content_only_beside_calls_or_a_refusal() -> None:
    def message(*found: Any) -> Any:
        return whole_of("openai-chat", Turn(found))["choices"][0]["message"]

    assert message()["content"] == ""
    assert message(ToolCall("a", "read", "{}"))["content"] is None
    assert (message(Refusal("no"))["content"], message(Refusal("no"))["refusal"]) == (None, "no")


def test_a_whole_chat_reply_has_all_that_strict_clients_validate(full_turn: Turn) -> None:
    body = whole_of("openai-chat", full_turn)
    message = body["choices"][0]["message"]

    assert {"id", "object", "created", "model", "choices", "usage"} <= set(body)
    assert (body["choices"][0]["index"], message["role"]) == (0, "assistant")
    assert all(call["id"] and call["type"] == "function" for call in message["tool_calls"])
    assert set(body["usage"]) == {"prompt_tokens", "completion_tokens", "total_tokens"}


# OpenAI responses


@given(data=st.data())
def test_a_responses_stream_is_numbered_without_a_gap_and_every_item_keeps_its_identity(
    data: st.DataObject,
) -> None:
    turn = data.draw(turns())
    encoded = by_name("openai-responses").encode(
        turn, data.draw(interleaved(turn)), request_for("openai-responses"), IDS, data.draw(st.integers(1, 5))
    )
    found = payloads_of_joined(b"".join(event.data for event in encoded))
    items: dict[int, Any] = {}

    assert [event["sequence_number"] for event in found] == list(range(len(found)))
    assert [event["type"] for event in found[:2]] == ["response.created", "response.in_progress"]
    assert found[-1]["type"] == "response.completed"
    assert len({event["response"]["id"] for event in (*found[:2], found[-1])}) == 1
    for event in found[2:-1]:
        index, kind = event["output_index"], event["type"]
        if kind == "response.output_item.added":
            assert index == len(items)
            items[index] = event["item"]
            assert not any(event["item"].get(key) for key in ("content", "arguments", "summary"))
        elif kind == "response.output_item.done":
            assert identity(event["item"]) == identity(items[index])
            items[index] = event["item"]
        else:
            assert event["item_id"] == items[index]["id"]
            assert ("summary_index" in event) == (items[index]["type"] == "reasoning")
            assert ("content_index" in event) == (items[index]["type"] == "message")
    assert found[-1]["response"]["output"] == [items[index] for index in sorted(items)]


def payloads_of_joined(data: bytes) -> list[Any]:
    lines = data.decode("ascii").splitlines()
    names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    found = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    assert names == [event["type"] for event in found]
    return found


def identity(item: Any) -> Any:
    return item["id"], item["type"], item.get("call_id"), item.get("name")


def test_a_responses_text_is_announced_grows_and_is_done_in_the_order_clients_demand() -> None:
    found = payloads(events_of("openai-responses", Turn((Text("ab"),)), Stream(deltas=2)))

    assert [event["type"].removeprefix("response.") for event in found] == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert found[3]["part"] == {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
    assert found[6]["text"] == found[7]["part"]["text"] == found[8]["item"]["content"][0]["text"] == "ab"


def test_items_of_a_response_stand_in_the_place_of_their_index_even_when_a_later_one_is_done_first() -> None:
    turn = Turn((Text("ab"), Thinking("c")))
    deltas = [Delta(0, "a"), Delta(1, "c"), Delta(0, "b")]
    found = payloads(
        list(by_name("openai-responses").encode(turn, deltas, request_for("openai-responses"), IDS))
    )

    done = [event["output_index"] for event in found if event["type"] == "response.output_item.done"]
    assert done == [1, 0]
    assert [item["type"] for item in found[-1]["response"]["output"]] == ["message", "reasoning"]


def test_a_responses_item_that_a_cap_cut_off_says_that_it_is_incomplete() -> None:
    turn = Turn((Text("abcdef"),), stop="length")
    found = payloads(events_of("openai-responses", turn, Stream(until_hang_up=True, cap_chars=3)))

    assert found[-1]["type"] == "response.incomplete"
    (item,) = found[-1]["response"]["output"]
    assert (item["status"], item["content"][0]["text"]) == ("incomplete", "abc")


def test_a_responses_text_that_is_played_again_is_done_as_the_whole_that_was_sent() -> None:
    found = payloads(
        events_of("openai-responses", Turn((Text("abc"),)), Stream(until_hang_up=True, cap_chars=8))
    )

    assert found[-1]["response"]["output"][0]["content"][0]["text"] == "abcabcab"


@pytest.mark.parametrize("include", [[], ["reasoning.encrypted_content"]])
def test_reasoning_of_a_response_can_be_sent_back_when_the_client_asked_for_that(include: list[str]) -> None:
    found = payloads(events_of("openai-responses", Turn((Thinking("hm"),)), include=include))
    (streamed,) = found[-1]["response"]["output"]
    (whole,) = whole_of("openai-responses", Turn((Thinking("hm"),)), include=include)["output"]

    assert streamed == whole
    assert ("encrypted_content" in streamed) == bool(include)


def test_a_response_that_failed_says_so_in_its_last_event() -> None:
    last = payloads(events_of("openai-responses", Turn((Text("x"),), stop="failed")))[-1]

    assert (last["type"], last["response"]["status"]) == ("response.failed", "failed")
    assert last["response"]["error"]["code"] == "server_error"
