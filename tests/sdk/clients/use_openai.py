"""The openai library: chat completions and responses, by iteration, by its accumulators, and whole."""

from __future__ import annotations

from typing import Any

import openai

from tests.sdk.clients.answering import ASKED, KEY, MODEL, SCHEMAS, Asked, Heard, serve

MESSAGES = [{"role": "user", "content": ASKED}]
CHAT_TOOLS = [{"type": "function", "function": {"name": n, "parameters": s}} for n, s in SCHEMAS.items()]
TOOLS = [{"type": "function", "name": name, "parameters": schema} for name, schema in SCHEMAS.items()]
CHAT: dict[str, Any] = {"model": MODEL, "messages": MESSAGES, "tools": CHAT_TOOLS}
RESPONSES: dict[str, Any] = {"model": MODEL, "input": MESSAGES, "tools": TOOLS}
COUNTED = {"include_usage": True}


def client_of(asked: Asked) -> Any:
    return openai.OpenAI(
        base_url=f"{asked.origin}/v1", api_key=KEY, timeout=asked.timeout_s, **asked.extras.get("client", {})
    )


def chat_raw(heard: Heard, asked: Asked) -> None:
    calls: dict[int, list[str]] = {}
    with client_of(asked) as client:
        for chunk in client.chat.completions.create(**CHAT, stream=True, stream_options=COUNTED):
            if chunk.usage:
                heard.counted(chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
            for choice in chunk.choices:
                heard.text += choice.delta.content or ""
                heard.refused += choice.delta.refusal or ""
                heard.thinking += getattr(choice.delta, "reasoning_content", None) or ""
                heard.stop = choice.finish_reason or heard.stop
                for call in choice.delta.tool_calls or []:
                    if call.id:
                        calls[call.index] = [call.id, call.function.name, ""]
                    calls[call.index][2] += call.function.arguments or ""
    for id_, name, arguments in calls.values():
        heard.call(id_, name, arguments)


def chat_helper(heard: Heard, asked: Asked) -> None:
    with client_of(asked) as client, client.chat.completions.stream(**CHAT, stream_options=COUNTED) as stream:
        for event in stream:
            if event.type == "content.delta":
                heard.text += event.delta
            if event.type == "chunk" and event.chunk.choices:
                delta = event.chunk.choices[0].delta
                heard.thinking += getattr(delta, "reasoning_content", None) or ""
        read_chat(heard, stream.get_final_completion())


def chat_whole(heard: Heard, asked: Asked) -> None:
    with client_of(asked) as client:
        reply = client.chat.completions.create(**CHAT)
        read_chat(heard, reply)
        heard.request_id = reply._request_id


def read_chat(heard: Heard, reply: Any) -> None:
    """What a completion holds; its thinking is an attribute that only some replies have."""
    (choice,) = reply.choices
    heard.text, heard.stop = choice.message.content or "", choice.finish_reason
    heard.refused = choice.message.refusal or ""
    heard.thinking = getattr(choice.message, "reasoning_content", None) or ""
    for call in choice.message.tool_calls or []:
        heard.call(call.id, call.function.name, call.function.arguments)
    if reply.usage:
        heard.counted(reply.usage.prompt_tokens, reply.usage.completion_tokens)


def responses_raw(heard: Heard, asked: Asked) -> None:
    with client_of(asked) as client:
        for event in client.responses.create(**RESPONSES, stream=True):
            read_event(heard, event)
            if event.type in ("response.completed", "response.incomplete"):
                read_ending(heard, event.response)


def responses_helper(heard: Heard, asked: Asked) -> None:
    with client_of(asked) as client, client.responses.stream(**RESPONSES) as stream:
        for event in stream:
            read_event(heard, event)
        read_response(heard, stream.get_final_response())


def responses_whole(heard: Heard, asked: Asked) -> None:
    with client_of(asked) as client:
        reply = client.responses.create(**RESPONSES)
        read_response(heard, reply)
        heard.request_id = reply._request_id


def read_event(heard: Heard, event: Any) -> None:
    if event.type == "response.output_text.delta":
        heard.text += event.delta
    elif event.type == "response.refusal.delta":
        heard.refused += event.delta
    elif event.type == "response.reasoning_summary_text.delta":
        heard.thinking += event.delta
    elif event.type == "error":
        heard.message = f"an event: {event.message}"


def read_response(heard: Heard, reply: Any) -> None:
    heard.text = reply.output_text
    parts = [part for item in reply.output if item.type == "message" for part in item.content]
    heard.refused = "".join(part.refusal for part in parts if part.type == "refusal")
    heard.thinking = "".join(s.text for i in reply.output if i.type == "reasoning" for s in i.summary)
    read_ending(heard, reply)


def read_ending(heard: Heard, reply: Any) -> None:
    """All but what the deltas have told."""
    heard.stop = reply.status
    for item in reply.output:
        if item.type == "function_call":
            heard.call(item.call_id, item.name, item.arguments)
    heard.counted(reply.usage.input_tokens, reply.usage.output_tokens)


def models(heard: Heard, asked: Asked) -> None:
    with client_of(asked) as client:
        heard.listed = [model.id for model in client.models.list()]


def count(heard: Heard, asked: Asked) -> None:
    with client_of(asked) as client:
        heard.counted(client.responses.input_tokens.count(model=MODEL, input=MESSAGES).input_tokens, 0)


if __name__ == "__main__":
    serve(
        {
            "chat-raw": chat_raw,
            "chat-helper": chat_helper,
            "chat-whole": chat_whole,
            "responses-raw": responses_raw,
            "responses-helper": responses_helper,
            "responses-whole": responses_whole,
            "models": models,
            "count": count,
        },
        at_once=8,
    )
