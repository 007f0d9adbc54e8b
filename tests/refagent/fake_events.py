"""The wire formats as these tests understand them, written down apart from the mock's encoders."""

from __future__ import annotations

import json
from typing import Any

Calls = list[tuple[str, dict[str, Any]]]

DIALECTS = ("openai-chat", "anthropic-messages", "openai-responses", "gemini")
# How many events come before the first one with text, in a reply of nothing but text.
OPENING = {"openai-chat": 1, "anthropic-messages": 2, "openai-responses": 4, "gemini": 0}
# Under which name a request has its messages.
MESSAGES = {
    "openai-chat": "messages",
    "anthropic-messages": "messages",
    "openai-responses": "input",
    "gemini": "contents",
}


def events(dialect: str, deltas: list[str], thinking: list[str], calls: Calls) -> list[bytes]:
    """A whole stream: the thinking, then the text, then the calls; 7 tokens in, 9 out."""
    make = {
        "openai-chat": _chat,
        "anthropic-messages": _messages,
        "openai-responses": _responses,
        "gemini": _gemini,
    }
    return make[dialect](deltas, thinking, calls)


def whole(dialect: str, text: str) -> dict[str, Any]:
    """A reply that is one JSON object."""
    if dialect == "openai-chat":
        return {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
    if dialect == "openai-responses":
        item = {"type": "message", "content": [{"type": "output_text", "text": text}]}
        return {"status": "completed", "output": [item]}
    if dialect == "gemini":
        return {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]}
    return {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}


def user_texts(dialect: str, request: dict[str, Any]) -> list[str]:
    """What the user says in a request, message by message."""
    users = [m for m in request[MESSAGES[dialect]] if m.get("role") == "user"]
    said = [message["parts" if dialect == "gemini" else "content"] for message in users]
    texts = [c if isinstance(c, str) else "".join(block.get("text", "") for block in c) for c in said]
    return [text for text in texts if text]


def _sse(data: object, name: str = "") -> bytes:
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def _chat(deltas: list[str], thinking: list[str], calls: Calls) -> list[bytes]:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _sse({"id": "c1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    made = [chunk({"role": "assistant"})]
    made += [chunk({"reasoning_content": text}) for text in thinking]
    made += [chunk({"content": text}) for text in deltas]
    for index, (name, arguments) in enumerate(calls):
        head = {"index": index, "id": f"id-{name}-{index}", "type": "function"}
        made.append(chunk({"tool_calls": [{**head, "function": {"name": name, "arguments": ""}}]}))
        text = json.dumps(arguments)
        for piece in (text[:3], text[3:]):
            made.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))
    made.append(chunk({}, "tool_calls" if calls else "stop"))
    made.append(_sse({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 9}}))
    return [*made, _sse("[DONE]")]


def _messages(deltas: list[str], thinking: list[str], calls: Calls) -> list[bytes]:
    usage = {"input_tokens": 7, "output_tokens": 1}
    made: list[dict[str, Any]] = [{"type": "message_start", "message": {"content": [], "usage": usage}}]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if thinking:
        pieces = [{"type": "thinking_delta", "thinking": text} for text in thinking]
        signature = {"type": "signature_delta", "signature": "signed"}
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, [*pieces, signature]))
    if deltas:
        blocks.append(
            ({"type": "text", "text": ""}, [{"type": "text_delta", "text": text} for text in deltas])
        )
    for index, (name, arguments) in enumerate(calls):
        text = json.dumps(arguments)
        parts = [{"type": "input_json_delta", "partial_json": piece} for piece in ("", text[:3], text[3:])]
        blocks.append(({"type": "tool_use", "id": f"id-{name}-{index}", "name": name, "input": {}}, parts))
    for index, (start, parts) in enumerate(blocks):
        made.append({"type": "content_block_start", "index": index, "content_block": start})
        made += [{"type": "content_block_delta", "index": index, "delta": part} for part in parts]
        made.append({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    made.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 9}})
    made.append({"type": "message_stop"})
    return [_sse(event, event["type"]) for event in made]


def _responses(deltas: list[str], thinking: list[str], calls: Calls) -> list[bytes]:
    made: list[dict[str, Any]] = [{"type": "created"}, {"type": "in_progress"}]
    output: list[dict[str, Any]] = []

    def item(start: dict[str, Any], kind: str, pieces: list[str], done: dict[str, Any]) -> None:
        place = {"output_index": len(output), "item_id": f"i{len(output)}"}
        made.append({"type": "output_item.added", **place, "item": start})
        if "content" in start:
            part = {"type": "output_text", "text": ""}
            made.append({"type": "content_part.added", **place, "content_index": 0, "part": part})
        made.extend({"type": f"{kind}.delta", **place, "delta": piece} for piece in pieces)
        output.append({**start, **done})
        made.append({"type": "output_item.done", **place, "item": output[-1]})

    if thinking:
        summary = [{"type": "summary_text", "text": "".join(thinking)}]
        start = {"type": "reasoning", "id": "rs", "summary": []}
        item(start, "reasoning_summary_text", thinking, {"summary": summary, "encrypted_content": "signed"})
    if deltas:
        content = [{"type": "output_text", "text": "".join(deltas)}]
        item({"type": "message", "content": []}, "output_text", deltas, {"content": content})
    for index, (name, arguments) in enumerate(calls):
        text = json.dumps(arguments)
        start = {"type": "function_call", "call_id": f"id-{name}-{index}", "name": name, "arguments": ""}
        item(start, "function_call_arguments", [text[:3], text[3:]], {"arguments": text})
    usage = {"input_tokens": 7, "output_tokens": 9}
    ended = {"status": "completed", "output": output, "usage": usage}
    made.append({"type": "completed", "response": ended})
    return [_sse({**event, "type": f"response.{event['type']}"}) for event in made]


def _gemini(deltas: list[str], thinking: list[str], calls: Calls) -> list[bytes]:
    parts: list[dict[str, Any]] = [{"text": text, "thought": True} for text in thinking]
    parts += [{"text": text} for text in deltas]
    for index, (name, arguments) in enumerate(calls):
        call = {"id": f"id-{name}-{index}", "name": name, "args": arguments}
        parts.append({"functionCall": call, **({} if index else {"thoughtSignature": "signed"})})
    made = [{"candidates": [{"content": {"parts": [part]}}]} for part in parts]
    usage = {"promptTokenCount": 7, "candidatesTokenCount": 5, "thoughtsTokenCount": 4}
    ending = {"candidates": [{"finishReason": "STOP"}], "usageMetadata": usage}
    return [_sse(chunk) for chunk in (*made, ending)]
