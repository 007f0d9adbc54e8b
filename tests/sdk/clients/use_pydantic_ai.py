"""pydantic-ai: its models of all four dialects, asked directly, so that no tool runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic_ai.direct import model_request_stream_sync, model_request_sync
from pydantic_ai.messages import ModelRequest, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import ToolDefinition

from tests.sdk.clients.answering import ASKED, KEY, MODEL, SCHEMAS, Asked, Heard, serve

TOOLS = [ToolDefinition(name=name, parameters_json_schema=schema) for name, schema in SCHEMAS.items()]


def asking(kind: Any, provider: Any, path: str, *, stream: bool) -> Callable[[Heard, Asked], None]:
    """A way to ask a model through its provider."""

    def way(heard: Heard, asked: Asked) -> None:
        model = kind(MODEL, provider=provider(base_url=asked.origin + path, api_key=KEY))
        messages = [ModelRequest.user_text_prompt(ASKED)]
        parameters = ModelRequestParameters(function_tools=TOOLS)
        if not stream:
            read(heard, model_request_sync(model, messages, model_request_parameters=parameters))
            return
        with model_request_stream_sync(model, messages, model_request_parameters=parameters) as events:
            for _ in events:
                pass
            read(heard, events.response)

    return way


def read(heard: Heard, reply: Any) -> None:
    for part in reply.parts:
        if isinstance(part, TextPart):
            heard.text += part.content
        elif isinstance(part, ThinkingPart):
            heard.thinking += part.content
        elif isinstance(part, ToolCallPart):
            heard.call(part.tool_call_id, part.tool_name, part.args_as_dict())
    heard.stop = reply.finish_reason
    heard.counted(reply.usage.input_tokens, reply.usage.output_tokens)


if __name__ == "__main__":
    models = {
        "chat": (OpenAIChatModel, OpenAIProvider, "/v1"),
        "responses": (OpenAIResponsesModel, OpenAIProvider, "/v1"),
        "messages": (AnthropicModel, AnthropicProvider, ""),
        "gemini": (GoogleModel, GoogleProvider, ""),
    }
    serve(
        {
            f"{dialect}-{form}": asking(*model, stream=form == "streamed")
            for dialect, model in models.items()
            for form in ("streamed", "whole")
        }
    )
