"""openai-agents: its two models, asked directly, so that no tool runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from agents import FunctionTool, ModelSettings, ModelTracing, OpenAIChatCompletionsModel, OpenAIResponsesModel
from openai import AsyncOpenAI

from tests.sdk.clients.answering import ASKED, KEY, MODEL, SCHEMAS, Asked, Heard, serve


async def _unused(*_: Any) -> str:
    raise AssertionError("no tool is run here")


TOOLS = [
    FunctionTool(
        name=n, description=n, params_json_schema=s, on_invoke_tool=_unused, strict_json_schema=False
    )
    for n, s in SCHEMAS.items()
]


def asking(kind: Any, *, stream: bool) -> Callable[[Heard, Asked], None]:
    """A way to ask one of the two models."""

    async def ask(heard: Heard, asked: Asked) -> None:
        async with AsyncOpenAI(base_url=f"{asked.origin}/v1", api_key=KEY) as client:
            model = kind(model=MODEL, openai_client=client)
            arguments: dict[str, Any] = {
                "system_instructions": None,
                "input": ASKED,
                "model_settings": ModelSettings(include_usage=True),
                "tools": TOOLS,
                "output_schema": None,
                "handoffs": [],
                "tracing": ModelTracing.DISABLED,
                "previous_response_id": None,
                "conversation_id": None,
                "prompt": None,
            }
            if not stream:
                reply = await model.get_response(**arguments)
                read(heard, reply.output, reply.usage)
                return
            async for event in model.stream_response(**arguments):
                if event.type == "response.completed":
                    read(heard, event.response.output, event.response.usage)
                    heard.stop = event.response.status

    return lambda heard, asked: asyncio.run(ask(heard, asked))


def read(heard: Heard, output: Any, usage: Any) -> None:
    for item in output:
        if item.type == "message":
            heard.text += "".join(part.text for part in item.content)
        elif item.type == "reasoning":
            heard.thinking += "".join(summary.text for summary in item.summary)
        elif item.type == "function_call":
            heard.call(item.call_id, item.name, item.arguments)
    heard.counted(usage.input_tokens, usage.output_tokens)


if __name__ == "__main__":
    serve(
        {
            "chat-streamed": asking(OpenAIChatCompletionsModel, stream=True),
            "chat-whole": asking(OpenAIChatCompletionsModel, stream=False),
            "responses-streamed": asking(OpenAIResponsesModel, stream=True),
            "responses-whole": asking(OpenAIResponsesModel, stream=False),
        }
    )
