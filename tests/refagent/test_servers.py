"""What servers of one dialect do and those of another do not, and how it is read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from harness.refagent.conversation import Block, TextBlock, ThinkingBlock, ToolCallBlock
from harness.refagent.events import Done, StreamError, StreamEvent, ThinkingSignature
from harness.refagent.reply import Reply
from harness.refagent.wire import error_text, wire


def read(dialect: str, *events: Any) -> tuple[tuple[Block, ...], list[StreamEvent]]:
    """The blocks and the events of a stream of these events, which then ends."""
    decoder = wire(dialect).decoder()
    found = [event for sent in events for event in decoder.feed(json.dumps(sent))] + list(decoder.finish())
    reply = Reply()
    for event in found:
        reply.add(event)
    return reply.blocks, found


def responses(kind: str, index: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}", "output_index": index, **more}


def ended(status: str, **more: Any) -> dict[str, Any]:
    return responses(status, response={"status": status, **more})


def test_tool_calls_may_interleave_in_chat_completions() -> None:
    decoder = wire("openai-chat").decoder()
    reply = Reply()
    for index, text in [(0, '{"a"'), (1, '{"b"'), (0, ": 1}"), (1, ": 2}")]:
        call = {"index": index, "id": f"c{index}", "function": {"name": "read", "arguments": text}}
        for event in decoder.feed(json.dumps({"choices": [{"delta": {"tool_calls": [call]}}]})):
            reply.add(event)
    assert reply.blocks == (ToolCallBlock("c0", "read", '{"a": 1}'), ToolCallBlock("c1", "read", '{"b": 2}'))


def test_text_after_a_tool_call_is_a_block_of_its_own_in_chat_completions() -> None:
    decoder = wire("openai-chat").decoder()
    reply = Reply()
    call = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "read", "arguments": "{}"}}]}
    for delta in ({"content": "a"}, {"reasoning_content": "b"}, {"content": "c"}, call, {"content": "d"}):
        for event in decoder.feed(json.dumps({"choices": [{"delta": delta}]})):
            reply.add(event)
    kinds = (
        TextBlock("a"),
        ThinkingBlock("b"),
        TextBlock("c"),
        ToolCallBlock("c", "read", "{}"),
        TextBlock("d"),
    )
    assert reply.blocks == kinds


def test_a_whole_input_at_the_start_of_a_tool_block_counts_when_no_piece_follows() -> None:
    block = {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "x"}}
    start = {"type": "content_block_start", "index": 0, "content_block": block}
    unknown = {"type": "content_block_delta", "index": 0, "delta": {"type": "new_delta"}}
    blocks, _ = read("anthropic-messages", start, unknown, {"type": "content_block_stop", "index": 0})
    assert blocks == (ToolCallBlock("a", "read", '{"path": "x"}'),)


def test_a_stop_reason_that_nobody_knows_is_an_ordinary_end() -> None:
    stop = {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}}
    assert read("anthropic-messages", stop, {"type": "message_stop"})[1] == [Done("stop")]


def test_the_parts_of_a_reasoning_summary_are_paragraphs() -> None:
    blocks, _ = read(
        "openai-responses",
        responses("reasoning_summary_part.added", summary_index=0),
        responses("reasoning_summary_text.delta", summary_index=0, delta="one"),
        responses("reasoning_summary_part.added", summary_index=1),
        responses("reasoning_summary_text.delta", summary_index=1, delta="two"),
    )
    assert blocks == (ThinkingBlock("one\n\ntwo"),)


def test_what_a_responses_server_sends_only_when_it_is_done_counts_once() -> None:
    call = {"type": "function_call", "call_id": "a", "name": "read", "arguments": "{}"}
    said = {
        "type": "message",
        "content": [{"type": "output_text", "text": ""}, {"type": "output_text", "text": "b"}],
    }
    thought = {"type": "reasoning", "summary": [{"text": "c"}, {"text": "d"}]}
    blocks, events = read(
        "openai-responses",
        responses("output_item.added", item={**call, "arguments": ""}),
        responses("function_call_arguments.done", arguments="{}"),
        *(
            responses("output_item.done", index, item=item)
            for index, item in enumerate((call, said, thought))
        ),
        responses("output_item.done", 3, item={"type": "reasoning", "summary": []}),
        ended("completed"),
    )
    assert blocks == (ToolCallBlock("a", "read", "{}"), TextBlock("b"), ThinkingBlock("c\n\nd"))
    assert events[-1] == Done("tool")


def test_reasoning_without_a_word_is_kept_for_its_proof() -> None:
    item = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"}
    _, events = read("openai-responses", responses("output_item.done", item=item), ended("completed"))
    assert events == [ThinkingSignature(0, '{"id": "rs", "encrypted_content": "x"}'), Done("stop")]


@pytest.mark.parametrize(
    ("last", "message"),
    [
        (ended("failed", error={"code": "server_error", "message": "out of memory"}), "out of memory"),
        (ended("failed"), "the reply ended as 'failed'"),
        (ended("incomplete", incomplete_details={"reason": "odd"}), "the reply ended as 'incomplete' odd"),
        ({"type": "error", "code": "x", "message": "too many", "param": None}, "too many"),
        ({"error": {"message": "no such model"}}, "no such model"),
    ],
)
def test_a_response_that_did_not_succeed_says_why(last: dict[str, Any], message: str) -> None:
    assert read("openai-responses", last)[1] == [StreamError(message)]


def test_a_prompt_that_gemini_blocked_is_an_error() -> None:
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    assert read("gemini", blocked)[1] == [StreamError("the provider blocked the prompt: SAFETY")]


def test_a_signature_that_gemini_sends_with_a_text_proves_the_thinking_before_it() -> None:
    def chunk(**part: Any) -> dict[str, Any]:
        return {"candidates": [{"content": {"parts": [part]}}]}

    early = chunk(text="a", thoughtSignature="for nothing")
    blocks, _ = read(
        "gemini", early, chunk(text="hm", thought=True), chunk(text="b", thoughtSignature="proof")
    )
    assert blocks == (TextBlock("a"), ThinkingBlock("hm", "proof"), TextBlock("b"))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('{"error": {"code": 503, "message": "too busy", "status": "UNAVAILABLE"}}', "too busy"),
        ('{"message": "no such path"}', "no such path"),
        ('{"error": "overloaded"}', "overloaded"),
        ('{"error": {"code": 3}}', '{"error": {"code": 3}}'),
        ("<h1>Bad\n Gateway</h1>", "<h1>Bad Gateway</h1>"),
        ("x" * 600, "x" * 500 + "..."),
    ],
)
def test_an_error_body_of_any_provider_is_told_by_its_message(body: str, said: str) -> None:
    assert error_text(body) == said
