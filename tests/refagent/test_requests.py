"""One conversation as each dialect has it in a request."""

from __future__ import annotations

import pytest

from harness.refagent.conversation import (
    AssistantMessage,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResult,
    UserMessage,
)
from harness.refagent.wire import Ask, wire

CONVERSATION = (
    UserMessage("one"),
    AssistantMessage((ThinkingBlock("hm", "signed"), ToolCallBlock("a", "read", '{"path": "x"}')), "toolUse"),
    ToolResult("a", "read", "text"),
    AssistantMessage((ThinkingBlock("unsigned"), TextBlock("done")), "stop"),
    UserMessage("two"),
    UserMessage("three", hidden=True),
)


def test_a_conversation_as_chat_completions_messages() -> None:
    body = wire("openai-chat").request_body(Ask("m", "be good", CONVERSATION))
    call = {"id": "a", "type": "function", "function": {"name": "read", "arguments": '{"path": "x"}'}}
    assert body["messages"] == [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "text"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "two"},
        {"role": "user", "content": "three"},
    ]
    assert body["stream_options"] == {"include_usage": True}
    assert "stream_options" not in wire("openai-chat").request_body(Ask("m", "", (), stream=False))


def test_a_conversation_as_messages_messages() -> None:
    body = wire("anthropic-messages").request_body(Ask("m", "be good", CONVERSATION))
    thinking = {"type": "thinking", "thinking": "hm", "signature": "signed"}
    call = {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "x"}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "text"}
    assert body["system"] == "be good"
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "one"}]},
        {"role": "assistant", "content": [thinking, call]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
        {"role": "user", "content": [{"type": "text", "text": "two"}]},
        {"role": "user", "content": [{"type": "text", "text": "three"}]},
    ]


def test_a_conversation_as_response_items() -> None:
    first, said = CONVERSATION[:2]
    proof = '{"id": "rs_1", "encrypted_content": "proof"}'
    signed = AssistantMessage((ThinkingBlock("hm", proof), *said.blocks[1:]), "toolUse")
    body = wire("openai-responses").request_body(Ask("m", "be good", (first, signed, *CONVERSATION[2:])))
    summary = [{"type": "summary_text", "text": "hm"}]
    assert body["instructions"] == "be good"
    assert (body["store"], body["include"]) == (False, ["reasoning.encrypted_content"])
    assert body["input"] == [
        {"role": "user", "content": "one"},
        {"type": "reasoning", "id": "rs_1", "encrypted_content": "proof", "summary": summary},
        {"type": "function_call", "call_id": "a", "name": "read", "arguments": '{"path": "x"}'},
        {"type": "function_call_output", "call_id": "a", "output": "text"},
        {"role": "assistant", "content": "done"},
        {"role": "user", "content": "two"},
        {"role": "user", "content": "three"},
    ]


def test_a_conversation_as_gemini_contents() -> None:
    body = wire("gemini").request_body(Ask("m", "be good", CONVERSATION))
    call = {"id": "a", "name": "read", "args": {"path": "x"}}
    result = {"id": "a", "name": "read", "response": {"output": "text"}}
    assert body["systemInstruction"] == {"parts": [{"text": "be good"}]}
    assert body["contents"] == [
        {"role": "user", "parts": [{"text": "one"}]},
        {"role": "model", "parts": [{"functionCall": call, "thoughtSignature": "signed"}]},
        {"role": "user", "parts": [{"functionResponse": result}]},
        {"role": "model", "parts": [{"text": "done"}]},
        {"role": "user", "parts": [{"text": "two"}]},
        {"role": "user", "parts": [{"text": "three"}]},
    ]


def test_a_failed_tool_says_so_where_the_format_has_a_place_for_it() -> None:
    failed = (UserMessage("one"), *CONVERSATION[1:2], ToolResult("a", "read", "no file", is_error=True))
    gemini = wire("gemini").request_body(Ask("m", "", failed))["contents"][-1]["parts"][0]
    anthropic = wire("anthropic-messages").request_body(Ask("m", "", failed))["messages"][-1]["content"][0]
    assert gemini["functionResponse"]["response"] == {"error": "no file"}
    assert anthropic["is_error"] is True


@pytest.mark.parametrize(
    ("dialect", "stream", "path"),
    [
        ("openai-chat", True, "/chat/completions"),
        ("openai-responses", True, "/responses"),
        ("anthropic-messages", True, "/v1/messages"),
        ("gemini", True, "/v1beta/models/a%2Fb:streamGenerateContent?alt=sse"),
        ("gemini", False, "/v1beta/models/a%2Fb:generateContent"),
    ],
)
def test_the_path_of_a_request(dialect: str, path: str, *, stream: bool) -> None:
    assert wire(dialect).path("a/b", stream=stream) == path


def test_an_empty_key_sends_no_authentication(dialect: str) -> None:
    named = {name for name in wire(dialect).headers("") if name != "anthropic-version"}
    assert (named, len(wire(dialect).headers("k")) > 0) == (set(), True)
