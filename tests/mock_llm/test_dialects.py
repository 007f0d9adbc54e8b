"""What holds in every wire format: golden files, content kept, stop reasons, errors, lists, counts.

After an intended change run with ``QA_REWRITE_PICTURES=1`` and read the difference.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm.delivery import cut
from mock_llm.dialects import NAMES, by_name, counting_for_path, dialect_for_path
from mock_llm.script import Stream
from mock_llm.turn import Refusal, Text, ToolCall, Turn, Usage, content
from tests.mock_llm.wire_samples import IDS, events_of, payloads, request_for, turns, whole_of

GOLDEN = Path(__file__).parents[1] / "golden" / "wire"
REWRITE = bool(os.environ.get("QA_REWRITE_PICTURES"))
REFUSAL = Turn((Refusal("I cannot help with that."),), Usage(31, 6))

every_dialect = pytest.mark.parametrize("name", NAMES)


def check_golden(file: str, found: bytes) -> None:
    path = GOLDEN / file
    if REWRITE:
        assert not os.environ.get("CI")
        path.write_bytes(found)
    assert found.decode() == path.read_text(encoding="utf-8")


def test_a_stream_looks_like_its_golden_file(dialect_name: str, full_turn: Turn) -> None:
    options = {"stream_options": {"include_usage": True}} if dialect_name == "openai-chat" else {}
    events = events_of(dialect_name, full_turn, Stream(deltas=8), **options)

    check_golden(f"{dialect_name}.sse", b"".join(event.data for event in events))


def test_a_whole_reply_looks_like_its_golden_file(dialect_name: str, full_turn: Turn) -> None:
    body = whole_of(dialect_name, full_turn)

    check_golden(f"{dialect_name}.json", json.dumps(body, indent=2).encode() + b"\n")


def test_a_refusal_looks_like_its_golden_file(dialect_name: str) -> None:
    events = events_of(dialect_name, REFUSAL, Stream(deltas=2))

    check_golden(f"{dialect_name}-refusal.sse", b"".join(event.data for event in events))


@every_dialect
@given(turn=turns(), size=st.integers(1, 9))
def test_events_carry_exactly_the_content_of_the_turn(name: str, turn: Turn, size: int) -> None:
    events = events_of(name, turn, Stream(chars_per_delta=size))

    assert "".join(event.text for event in events) == "".join(content(part) for part in turn.parts)
    assert all(event.chars == len(event.text) for event in events)
    assert all(event.data.endswith(b"\n\n") and event.data.count(b"\n\n") == 1 for event in events)
    assert len(payloads(events)) == len(events)


@every_dialect
@given(turn=turns(), size=st.integers(1, 9), batch=st.integers(1, 9))
def test_joining_events_changes_no_byte(name: str, turn: Turn, size: int, batch: int) -> None:
    stream, request = Stream(chars_per_delta=size), request_for(name)

    joined = list(by_name(name).encode(turn, cut(turn, stream), request, IDS, batch))
    alone = list(by_name(name).encode(turn, cut(turn, stream), request, IDS))

    assert b"".join(event.data for event in joined) == b"".join(event.data for event in alone)
    assert "".join(event.text for event in joined) == "".join(event.text for event in alone)
    assert len(joined) <= len(alone)


@every_dialect
def test_a_call_without_arguments_is_still_announced_in_its_place(name: str) -> None:
    turn = Turn((ToolCall("a", "first", ""), Text("then"), ToolCall("b", "last", "")), stop="tool")

    wire = b"".join(event.data for event in events_of(name, turn))

    assert wire.index(b'"first"') < wire.index(b'"then"') < wire.index(b'"last"')


@every_dialect
def test_a_call_that_was_cut_off_by_a_cap_is_not_announced(name: str) -> None:
    turn = Turn((Text("abcdef"), ToolCall("a", "never", "{}")))

    wire = b"".join(event.data for event in events_of(name, turn, Stream(until_hang_up=True, cap_chars=3)))

    assert b'"abc"' in wire
    assert b"never" not in wire


@every_dialect
def test_bytes_depend_on_the_arguments_only(name: str, full_turn: Turn) -> None:
    one, two = (events_of(name, full_turn, Stream(deltas=5)) for _ in range(2))

    assert one == two


@every_dialect
def test_a_lone_surrogate_and_line_separators_stay_inside_their_event(name: str) -> None:
    turn = Turn((Text("a\ud800b\u2028c\r\n\n"),))

    events = events_of(name, turn)

    assert sum(event.text == "a\ud800b\u2028c\r\n\n" for event in events) == 1
    assert payloads(events)


def stop_reason(name: str, body: Any) -> Any:
    """Where each provider says how a whole reply stopped."""
    if name == "openai-chat":
        return body["choices"][0]["finish_reason"]
    if name == "anthropic-messages":
        return body["stop_reason"]
    if name == "gemini":
        return body["candidates"][0]["finishReason"]
    return body["status"], body["incomplete_details"] and body["incomplete_details"]["reason"]


@pytest.mark.parametrize(
    ("stop", "chat", "responses", "anthropic", "gemini"),
    [
        ("stop", "stop", ("completed", None), "end_turn", "STOP"),
        ("tool", "tool_calls", ("completed", None), "tool_use", "STOP"),
        ("length", "length", ("incomplete", "max_output_tokens"), "max_tokens", "MAX_TOKENS"),
        ("refusal", "content_filter", ("incomplete", "content_filter"), "refusal", "SAFETY"),
        ("pause_turn", "pause_turn", ("incomplete", "pause_turn"), "pause_turn", "pause_turn"),
    ],
)
def test_stop_reasons_are_the_providers_own_streamed_and_whole(
    stop: Any, chat: str, responses: Any, anthropic: str, gemini: str
) -> None:
    turn = Turn((Text("x"),), stop=stop)
    wanted = {
        "openai-chat": chat,
        "openai-responses": responses,
        "anthropic-messages": anthropic,
        "gemini": gemini,
    }

    assert {name: stop_reason(name, whole_of(name, turn)) for name in NAMES} == wanted
    ends = {name: payloads(events_of(name, turn)) for name in NAMES}
    assert ends["openai-chat"][-2]["choices"][0]["finish_reason"] == chat
    assert stop_reason("openai-responses", ends["openai-responses"][-1]["response"]) == responses
    assert ends["openai-responses"][-1]["type"] == f"response.{responses[0]}"
    assert ends["anthropic-messages"][-2]["delta"]["stop_reason"] == anthropic
    assert ends["gemini"][-1]["candidates"][0]["finishReason"] == gemini


@pytest.mark.parametrize("turn", [Turn((Text("x" * 9),)), Turn((ToolCall("a", "x", "y" * 9),), stop="tool")])
def test_without_usage_tokens_are_counted_from_the_characters(turn: Turn) -> None:
    usage = {name: whole_of(name, turn)["usageMetadata" if name == "gemini" else "usage"] for name in NAMES}

    assert usage["openai-chat"] == {"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5}
    counted = {
        key: usage["openai-responses"][key] for key in ("input_tokens", "output_tokens", "total_tokens")
    }
    assert counted == {"input_tokens": 2, "output_tokens": 3, "total_tokens": 5}
    assert usage["anthropic-messages"] == {"input_tokens": 2, "output_tokens": 3}
    assert usage["gemini"] == {"promptTokenCount": 2, "candidatesTokenCount": 3, "totalTokenCount": 5}


def test_paths_belong_to_dialects_whatever_base_url_precedes_them() -> None:
    paths = {
        "/chat/completions": "openai-chat",
        "/v1/responses": "openai-responses",
        "/v1/messages?beta=true": "anthropic-messages",
        "/messages": "anthropic-messages",
        "/models/m:generateContent": "gemini",
        "/v1beta/models/tuned/m:streamGenerateContent?alt=sse": "gemini",
        "/": None,
        "/v1/messages/count_tokens": None,
        "/v1beta/models/m:countTokens": None,
    }

    found = {path: dialect_for_path(path) for path in paths}

    assert {path: dialect and dialect.name for path, dialect in found.items()} == paths


def test_an_unknown_dialect_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        KeyError, match="no dialect 'soap'; there are openai-chat, openai-responses, anthropic-"
    ):
        by_name("soap")


def error_of(name: str, status: int, **more: str) -> Any:
    return json.loads(by_name(name).error_body(status, "slow down", **more))


def test_errors_have_the_providers_shape() -> None:
    openai = {"message": "slow down", "type": "rate_limit_exceeded", "param": None, "code": None}
    assert error_of("openai-chat", 429) == error_of("openai-responses", 429) == {"error": openai}
    overloaded = {"type": "overloaded_error", "message": "slow down"}
    assert error_of("anthropic-messages", 529) == {"type": "error", "error": overloaded}
    assert error_of("anthropic-messages", 529, request_id="req_1")["request_id"] == "req_1"
    exhausted = {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED"}
    assert error_of("gemini", 429) == {"error": exhausted}


def kind_of(name: str, status: int, **more: str) -> Any:
    return error_of(name, status, **more)["error"]["status" if name == "gemini" else "type"]


@pytest.mark.parametrize(
    ("status", "openai", "anthropic", "gemini"),
    [
        (400, "invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"),
        (401, "authentication_error", "authentication_error", "UNAUTHENTICATED"),
        (403, "permission_error", "permission_error", "PERMISSION_DENIED"),
        (404, "invalid_request_error", "not_found_error", "NOT_FOUND"),
        (413, "invalid_request_error", "request_too_large", "INVALID_ARGUMENT"),
        (422, "invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"),
        (429, "rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"),
        (500, "server_error", "api_error", "INTERNAL"),
        (503, "server_error", "api_error", "UNAVAILABLE"),
        (504, "server_error", "timeout_error", "DEADLINE_EXCEEDED"),
        (529, "server_error", "overloaded_error", "INTERNAL"),
    ],
)
def test_each_status_has_the_type_that_its_provider_gives_it(
    status: int, openai: str, anthropic: str, gemini: str
) -> None:
    assert kind_of("openai-chat", status) == kind_of("openai-responses", status) == openai
    assert kind_of("anthropic-messages", status) == anthropic
    assert kind_of("gemini", status) == gemini
    assert {kind_of(name, status, kind="my_type") for name in NAMES} == {"my_type"}


def test_an_error_in_mid_stream_has_the_providers_shape() -> None:
    def event(name: str, **more: Any) -> bytes:
        return by_name(name).error_event("busy", **more)

    assert event("openai-chat") == (
        b'data: {"error":{"message":"busy","type":"server_error","param":null,"code":null}}\n\n'
    )
    assert event("openai-responses", place=7) == (
        b'event: error\ndata: {"type":"error","code":"server_error","message":"busy","param":null,'
        b'"sequence_number":7}\n\n'
    )
    assert event("anthropic-messages") == (
        b'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n'
    )
    error = b'{"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}'
    assert event("gemini") == b"data: " + error + b"\n\n"
    array = request_for("gemini", path="/models/m:streamGenerateContent")
    assert event("gemini", request=array) == error + b"]"
    assert b'"code":429' in event("gemini", kind="RESOURCE_EXHAUSTED")


def listed(name: str, *models: str) -> Any:
    return json.loads(by_name(name).models_body(models))


def test_an_empty_list_of_models_is_still_a_list(dialect_name: str) -> None:
    assert listed(dialect_name)["models" if dialect_name == "gemini" else "data"] == []


def test_models_are_listed_as_each_provider_lists_them() -> None:
    for name in ("openai-chat", "openai-responses"):
        found = listed(name, "a", "b")
        assert found["object"] == "list"
        assert [(row["id"], row["object"]) for row in found["data"]] == [("a", "model"), ("b", "model")]
    anthropic = listed("anthropic-messages", "a", "b")
    assert (anthropic["first_id"], anthropic["last_id"], anthropic["has_more"]) == ("a", "b", False)
    assert [row["type"] for row in anthropic["data"]] == ["model", "model"]
    gemini = listed("gemini", "a")["models"][0]
    assert gemini["name"] == "models/a"
    assert "generateContent" in gemini["supportedGenerationMethods"]


@pytest.mark.parametrize(
    ("path", "name", "body"),
    [
        (
            "/v1/responses/input_tokens",
            "openai-responses",
            {"object": "response.input_tokens", "input_tokens": 7},
        ),
        ("/v1/messages/count_tokens?beta=true", "anthropic-messages", {"input_tokens": 7}),
        ("/v1beta/models/m:countTokens", "gemini", {"totalTokens": 7}),
    ],
)
def test_tokens_are_counted_where_a_provider_offers_it(path: str, name: str, body: Any) -> None:
    counting = counting_for_path(path)

    assert counting is not None
    assert counting.name == name
    assert json.loads(counting.count_body(7)) == body


def test_no_other_path_counts_tokens() -> None:
    assert [counting_for_path(path) for path in ("/v1/chat/completions", "/v1/messages", "/")] == [None] * 3
