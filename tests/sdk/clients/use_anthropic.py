"""The anthropic library: messages by iteration, by its accumulator, and whole."""

from __future__ import annotations

from typing import Any

import anthropic

from tests.sdk.clients.answering import ASKED, KEY, MODEL, SCHEMAS, Asked, Heard, serve

ASKING: dict[str, Any] = {
    "model": MODEL,
    "max_tokens": 1000,
    "messages": [{"role": "user", "content": ASKED}],
    "tools": [{"name": name, "input_schema": schema} for name, schema in SCHEMAS.items()],
}


def client_of(asked: Asked) -> Any:
    return anthropic.Anthropic(
        base_url=asked.origin, api_key=KEY, timeout=asked.timeout_s, **asked.extras.get("client", {})
    )


def raw(heard: Heard, asked: Asked) -> None:
    calls: dict[int, list[str]] = {}
    input_tokens = 0
    with client_of(asked) as client:
        for event in client.messages.create(**ASKING, stream=True):
            if event.type == "message_start":
                input_tokens = event.message.usage.input_tokens
            elif event.type == "content_block_start" and event.content_block.type == "tool_use":
                calls[event.index] = [event.content_block.id, event.content_block.name, ""]
            elif event.type == "content_block_delta":
                heard.text += getattr(event.delta, "text", "")
                heard.thinking += getattr(event.delta, "thinking", "")
                if event.delta.type == "input_json_delta":
                    calls[event.index][2] += event.delta.partial_json
            elif event.type == "message_delta":
                heard.stop = event.delta.stop_reason
                heard.counted(input_tokens, event.usage.output_tokens)
    for id_, name, arguments in calls.values():
        heard.call(id_, name, arguments)


def helper(heard: Heard, asked: Asked) -> None:
    with client_of(asked) as client, client.messages.stream(**ASKING) as stream:
        for event in stream:
            if event.type == "text":
                heard.text += event.text
            elif event.type == "thinking":
                heard.thinking += event.thinking
        read_message(heard, stream.get_final_message())


def whole(heard: Heard, asked: Asked) -> None:
    with client_of(asked) as client:
        reply = client.messages.create(**ASKING)
        read_message(heard, reply)
        heard.request_id = reply._request_id


def read_message(heard: Heard, reply: Any) -> None:
    heard.text = "".join(block.text for block in reply.content if block.type == "text")
    heard.thinking = "".join(block.thinking for block in reply.content if block.type == "thinking")
    for block in reply.content:
        if block.type == "tool_use":
            heard.call(block.id, block.name, block.input)
    heard.stop = reply.stop_reason
    heard.counted(reply.usage.input_tokens, reply.usage.output_tokens)


def models(heard: Heard, asked: Asked) -> None:
    with client_of(asked) as client:
        heard.listed = [model.id for model in client.models.list()]


def count(heard: Heard, asked: Asked) -> None:
    with client_of(asked) as client:
        counted = client.messages.count_tokens(model=MODEL, messages=ASKING["messages"])
        heard.counted(counted.input_tokens, 0)


if __name__ == "__main__":
    serve(
        {
            "messages-raw": raw,
            "messages-helper": helper,
            "messages-whole": whole,
            "models": models,
            "count": count,
        },
        at_once=8,
    )
