"""The wire formats: golden files, the rules real clients rely on, and what a request means."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm.delivery import cut
from mock_llm.dialects import NAMES, by_name, dialect_for_path
from mock_llm.dialects.dialect import Ids, WireEvent
from mock_llm.request import ModelRequest
from mock_llm.script import Stream
from mock_llm.turn import Text, Thinking, ToolCall, Turn, Usage, content

GOLDEN = Path(__file__).parents[1] / "golden" / "wire"
IDS = Ids(1)

parts = st.one_of(
    st.text(max_size=20).map(Text),
    st.text(max_size=20).map(Thinking),
    st.text(max_size=20).map(lambda text: ToolCall("call", "read", text)),
)
turns = st.lists(parts, max_size=5).map(lambda found: Turn(tuple(found), Usage(1, 2)))


def request_for(name: str, **more: Any) -> ModelRequest:
    body = {
        "model": "mock-model",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "hello"}],
        **more,
    }
    return by_name(name).parse_request(body, "/v1/x", {})


def events_of(name: str, turn: Turn, stream: Stream, **more: Any) -> list[WireEvent]:
    return list(by_name(name).encode(turn, cut(turn, stream), request_for(name, stream=True, **more), IDS))


def payloads(events: list[WireEvent]) -> list[Any]:
    """The JSON of each event, read without any of our code."""
    found = []
    for event in events:
        lines = event.data.decode("ascii").splitlines()
        data = next(line for line in lines if line.startswith("data: "))
        found.append("[DONE]" if data == "data: [DONE]" else json.loads(data[6:]))
    return found


def check_golden(file: str, found: bytes) -> None:
    path = GOLDEN / file
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_bytes(found)
    assert found.decode() == path.read_text(encoding="utf-8")


def test_a_stream_looks_like_its_golden_file(dialect_name: str, full_turn: Turn) -> None:
    events = events_of(dialect_name, full_turn, Stream(deltas=8), stream_options={"include_usage": True})

    check_golden(f"{dialect_name}.sse", b"".join(event.data for event in events))


def test_a_whole_reply_looks_like_its_golden_file(dialect_name: str, full_turn: Turn) -> None:
    body = by_name(dialect_name).encode_whole(full_turn, request_for(dialect_name), IDS)

    check_golden(f"{dialect_name}.json", json.dumps(json.loads(body), indent=2).encode() + b"\n")


@pytest.mark.parametrize("name", NAMES)
@given(turn=turns, size=st.integers(1, 9))
def test_events_carry_exactly_the_content_of_the_turn(name: str, turn: Turn, size: int) -> None:
    events = events_of(name, turn, Stream(chars_per_delta=size))

    assert "".join(event.text for event in events) == "".join(content(part) for part in turn.parts)
    assert all(event.chars == len(event.text) for event in events)
    assert all(event.data.endswith(b"\n\n") and event.data.count(b"\n\n") == 1 for event in events)
    assert len(payloads(events)) == len(events)


@pytest.mark.parametrize("name", NAMES)
@given(turn=turns, size=st.integers(1, 9), batch=st.integers(1, 9))
def test_joining_events_changes_no_byte(name: str, turn: Turn, size: int, batch: int) -> None:
    stream, request = Stream(chars_per_delta=size), request_for(name)

    joined = list(by_name(name).encode(turn, cut(turn, stream), request, IDS, batch))
    alone = list(by_name(name).encode(turn, cut(turn, stream), request, IDS))

    assert b"".join(event.data for event in joined) == b"".join(event.data for event in alone)
    assert "".join(event.text for event in joined) == "".join(event.text for event in alone)
    assert len(joined) <= len(alone)


@given(turn=turns, size=st.integers(1, 9))
def test_a_chat_stream_decodes_to_its_turn(turn: Turn, size: int) -> None:
    text, thinking, calls = "", "", {}
    for chunk in payloads(events_of("openai-chat", turn, Stream(chars_per_delta=size)))[1:-1]:
        delta = chunk["choices"][0]["delta"]
        text += delta.get("content", "")
        thinking += delta.get("reasoning_content", "")
        for call in delta.get("tool_calls", ()):
            if "id" in call:
                calls[call["index"]] = [call["id"], call["function"]["name"], ""]
            calls[call["index"]][2] += call["function"]["arguments"]

    assert text == "".join(p.text for p in turn.parts if isinstance(p, Text))
    assert thinking == "".join(p.text for p in turn.parts if isinstance(p, Thinking))
    assert [ToolCall(*calls[place]) for place in sorted(calls)] == [
        p for p in turn.parts if isinstance(p, ToolCall)
    ]


@given(turn=turns, size=st.integers(1, 9))
def test_an_anthropic_stream_decodes_to_its_turn(turn: Turn, size: int) -> None:
    blocks: list[list[Any]] = []
    is_open = False
    for event in payloads(events_of("anthropic-messages", turn, Stream(chars_per_delta=size))):
        if event["type"] == "content_block_start":
            assert not is_open
            assert event["index"] == len(blocks)
            blocks.append([event["content_block"], ""])
            is_open = True
        elif event["type"] == "content_block_delta":
            assert is_open
            delta = event["delta"]
            blocks[event["index"]][1] += delta.get(
                "text", delta.get("thinking", delta.get("partial_json", ""))
            )
        elif event["type"] == "content_block_stop":
            is_open = False

    wanted = [p for p in turn.parts if isinstance(p, ToolCall) or p.text]
    kinds = {Text: "text", Thinking: "thinking", ToolCall: "tool_use"}
    assert [(start["type"], said) for start, said in blocks] == [(kinds[type(p)], content(p)) for p in wanted]


def test_every_chat_chunk_has_choices_with_index_and_delta(full_turn: Turn) -> None:
    chunks = payloads(events_of("openai-chat", full_turn, Stream(deltas=8)))

    assert chunks[-1] == "[DONE]"
    assert all(c["choices"][0]["index"] == 0 and "delta" in c["choices"][0] for c in chunks[:-1])
    assert chunks[0]["choices"][0]["delta"]["role"] == "assistant"
    reasons = [c["choices"][0]["finish_reason"] for c in chunks[:-1]]
    assert reasons == [None] * (len(reasons) - 1) + ["tool_calls"]
    assert len({(c["id"], c["object"], c["created"], c["model"]) for c in chunks[:-1]}) == 1


def test_a_chat_stream_counts_usage_only_when_asked(full_turn: Turn) -> None:
    plain = payloads(events_of("openai-chat", full_turn, Stream()))
    counted = payloads(events_of("openai-chat", full_turn, Stream(), stream_options={"include_usage": True}))

    assert all("usage" not in chunk for chunk in plain[:-1])
    assert counted[-2]["choices"] == []
    assert counted[-2]["usage"] == {"prompt_tokens": 31, "completion_tokens": 27, "total_tokens": 58}


def test_every_anthropic_event_is_named_after_its_type(full_turn: Turn) -> None:
    events = events_of("anthropic-messages", full_turn, Stream(deltas=8))

    for event, payload in zip(events, payloads(events), strict=True):
        assert event.data.startswith(f"event: {payload['type']}\ndata: ".encode())


def test_an_anthropic_thinking_block_is_signed_last(full_turn: Turn) -> None:
    found = payloads(events_of("anthropic-messages", full_turn, Stream()))

    kinds = [event.get("delta", {}).get("type") or event["type"] for event in found]
    assert kinds[:5] == [
        "message_start",
        "content_block_start",
        "thinking_delta",
        "signature_delta",
        "content_block_stop",
    ]
    assert kinds[-2:] == ["message_delta", "message_stop"]
    assert found[-2]["usage"] == {"output_tokens": 27}


@pytest.mark.parametrize("name", NAMES)
def test_a_call_without_arguments_is_still_announced_in_its_place(name: str) -> None:
    turn = Turn((ToolCall("a", "first", ""), Text("then"), ToolCall("b", "last", "")), stop="tool")

    wire = b"".join(event.data for event in events_of(name, turn, Stream()))

    assert wire.index(b'"first"') < wire.index(b'"then"') < wire.index(b'"last"')


@pytest.mark.parametrize("name", NAMES)
def test_a_call_that_was_cut_off_by_a_cap_is_not_announced(name: str) -> None:
    turn = Turn((Text("abcdef"), ToolCall("a", "never", "{}")))

    wire = b"".join(event.data for event in events_of(name, turn, Stream(until_hang_up=True, cap_chars=3)))

    assert b'"abc"' in wire
    assert b"never" not in wire


def test_text_that_is_played_again_after_other_parts_opens_a_new_block() -> None:
    turn = Turn((Text("ab"), ToolCall("a", "read", "{}")))
    stream = Stream(until_hang_up=True, cap_chars=6)

    starts = [
        event["content_block"]["type"]
        for event in payloads(events_of("anthropic-messages", turn, stream))
        if event["type"] == "content_block_start"
    ]

    assert starts == ["text", "tool_use", "text"]


@pytest.mark.parametrize("name", NAMES)
def test_bytes_depend_on_the_arguments_only(name: str, full_turn: Turn) -> None:
    one, two = (events_of(name, full_turn, Stream(deltas=5)) for _ in range(2))

    assert one == two


@pytest.mark.parametrize("name", NAMES)
def test_a_lone_surrogate_and_line_separators_stay_inside_their_event(name: str) -> None:
    turn = Turn((Text("a\ud800b\u2028c\r\n\n"),))

    events = events_of(name, turn, Stream())

    assert sum(event.text == "a\ud800b\u2028c\r\n\n" for event in events) == 1
    assert payloads(events)


@pytest.mark.parametrize(
    ("stop", "chat", "anthropic"),
    [("stop", "stop", "end_turn"), ("tool", "tool_calls", "tool_use"), ("length", "length", "max_tokens")],
)
def test_stop_reasons_are_the_providers_own(stop: Any, chat: str, anthropic: str) -> None:
    turn = Turn((Text("x"),), stop=stop)

    openai = json.loads(by_name("openai-chat").encode_whole(turn, request_for("openai-chat"), IDS))
    other = json.loads(
        by_name("anthropic-messages").encode_whole(turn, request_for("anthropic-messages"), IDS)
    )

    assert openai["choices"][0]["finish_reason"] == chat
    assert other["stop_reason"] == anthropic


def test_without_usage_tokens_are_counted_from_the_characters() -> None:
    turn = Turn((Text("x" * 9),))

    reply = json.loads(by_name("openai-chat").encode_whole(turn, request_for("openai-chat"), IDS))

    assert reply["usage"] == {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}


def test_a_whole_chat_reply_without_text_has_null_content_only_beside_calls() -> None:
    def message(*found: Any) -> Any:
        whole = by_name("openai-chat").encode_whole(Turn(found), request_for("openai-chat"), IDS)
        return json.loads(whole)["choices"][0]["message"]

    assert message()["content"] == ""
    assert message(ToolCall("a", "read", "{}"))["content"] is None


def test_arguments_that_are_not_json_reach_an_anthropic_client_as_they_are() -> None:
    turn = Turn((ToolCall("a", "read", '{"path": '),))

    reply = json.loads(
        by_name("anthropic-messages").encode_whole(turn, request_for("anthropic-messages"), IDS)
    )

    assert reply["content"][0]["input"] == '{"path": '


def test_paths_belong_to_dialects_whatever_base_url_precedes_them() -> None:
    found = {
        path: dialect_for_path(path)
        for path in ("/chat/completions", "/v1/messages?beta=true", "/messages", "/")
    }

    assert {path: dialect and dialect.name for path, dialect in found.items()} == {
        "/chat/completions": "openai-chat",
        "/v1/messages?beta=true": "anthropic-messages",
        "/messages": "anthropic-messages",
        "/": None,
    }


def test_an_unknown_dialect_is_answered_with_the_known_ones() -> None:
    with pytest.raises(KeyError, match="no dialect 'soap'; there are openai-chat, anthropic-messages"):
        by_name("soap")


def test_errors_have_the_providers_shape() -> None:
    chat = json.loads(by_name("openai-chat").error_body(429, "slow down"))
    anthropic = json.loads(by_name("anthropic-messages").error_body(529, "busy"))

    assert chat == {
        "error": {"message": "slow down", "type": "rate_limit_exceeded", "param": None, "code": None}
    }
    assert anthropic == {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    assert by_name("openai-chat").error_event("x").startswith(b'data: {"error":')
    assert by_name("anthropic-messages").error_event("x").startswith(b"event: error\ndata: {")


def test_an_empty_list_of_models_is_still_a_list(dialect_name: str) -> None:
    assert json.loads(by_name(dialect_name).models_body(()))["data"] == []
