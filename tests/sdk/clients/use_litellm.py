"""litellm, synchronously: one interface over all four dialects, and its own responses interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import litellm

from tests.sdk.clients.answering import ASKED, KEY, MODEL, SCHEMAS, Asked, Heard, serve

MESSAGES = [{"role": "user", "content": ASKED}]
TOOLS = [{"type": "function", "function": {"name": n, "parameters": s}} for n, s in SCHEMAS.items()]
# It takes a model that it does not know for one that cannot stream responses.
RESPONSES_MODEL = "openai/gpt-4o"


def completion(prefix: str, path: str, *, stream: bool) -> Callable[[Heard, Asked], None]:
    """A way to ask for a completion over the dialect that belongs to the model's prefix."""

    def way(heard: Heard, asked: Asked) -> None:
        reply: Any = litellm.completion(
            model=f"{prefix}/{MODEL}",
            api_base=asked.origin + path,
            api_key=KEY,
            messages=MESSAGES,
            tools=TOOLS,
            stream=stream,
            max_tokens=1000,
            **({"stream_options": {"include_usage": True}} if stream else {}),
        )
        if stream:
            chunks = list(reply)
            reply = litellm.stream_chunk_builder(chunks, messages=MESSAGES)
        (choice,) = reply.choices
        heard.text, heard.stop = choice.message.content or "", choice.finish_reason
        heard.thinking = getattr(choice.message, "reasoning_content", None) or ""
        for call in choice.message.tool_calls or []:
            heard.call(call.id, call.function.name, call.function.arguments)
        heard.counted(reply.usage.prompt_tokens, reply.usage.completion_tokens)

    return way


def responses(*, stream: bool) -> Callable[[Heard, Asked], None]:
    """A way to ask for a response."""

    def way(heard: Heard, asked: Asked) -> None:
        reply: Any = litellm.responses(
            model=RESPONSES_MODEL,
            api_base=f"{asked.origin}/v1",
            api_key=KEY,
            input=MESSAGES,
            tools=[{"type": "function", "name": n, "parameters": s} for n, s in SCHEMAS.items()],
            stream=stream,
        )
        if stream:
            for event in reply:
                if event.type == "response.output_text.delta":
                    heard.text += event.delta
                elif event.type == "response.completed":
                    reply = event.response
        said = [part.text for item in reply.output if item.type == "message" for part in item.content]
        assert not stream or heard.text == "".join(said)
        heard.text, heard.stop = "".join(said), reply.status
        for item in reply.output:
            if item.type == "function_call":
                heard.call(item.call_id, item.name, item.arguments)
            elif item.type == "reasoning":
                heard.thinking += "".join(_field(summary, "text") for summary in item.summary)
        heard.counted(reply.usage.input_tokens, reply.usage.output_tokens)

    return way


def _field(value: Any, name: str) -> str:
    return str(value[name] if isinstance(value, dict) else getattr(value, name))


if __name__ == "__main__":
    serve(
        {
            "chat-streamed": completion("openai", "/v1", stream=True),
            "chat-whole": completion("openai", "/v1", stream=False),
            "messages-streamed": completion("anthropic", "", stream=True),
            "messages-whole": completion("anthropic", "", stream=False),
            "gemini-streamed": completion("gemini", "", stream=True),
            "gemini-whole": completion("gemini", "", stream=False),
            "responses-streamed": responses(stream=True),
            "responses-whole": responses(stream=False),
        }
    )
