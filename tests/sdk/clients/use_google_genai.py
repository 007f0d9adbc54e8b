"""The google-genai library: content streamed and whole."""

from __future__ import annotations

from typing import Any

from google import genai
from google.genai import types

from tests.sdk.clients.answering import ASKED, KEY, MODEL, SCHEMAS, Asked, Heard, serve

FUNCTIONS = [{"name": name, "parameters_json_schema": schema} for name, schema in SCHEMAS.items()]


def asking(asked: Asked) -> tuple[Any, dict[str, Any]]:
    """A client and the arguments of its calls; a timeout is in milliseconds here."""
    options: dict[str, Any] = {"base_url": asked.origin}
    if "timeout_s" in asked.extras:
        options["timeout"] = int(asked.extras["timeout_s"] * 1000)
    if "retries" in asked.extras:
        options["retry_options"] = types.HttpRetryOptions(**asked.extras["retries"])
    client = genai.Client(api_key=KEY, http_options=types.HttpOptions(**options))
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=FUNCTIONS)])
    return client, {"model": MODEL, "contents": ASKED, "config": config}


def streamed(heard: Heard, asked: Asked) -> None:
    client, arguments = asking(asked)
    for chunk in client.models.generate_content_stream(**arguments):
        read_chunk(heard, chunk)


def whole(heard: Heard, asked: Asked) -> None:
    client, arguments = asking(asked)
    read_chunk(heard, client.models.generate_content(**arguments))


def read_chunk(heard: Heard, chunk: Any) -> None:
    for candidate in chunk.candidates or []:
        for part in candidate.content.parts or []:
            if part.function_call:
                heard.call(part.function_call.id, part.function_call.name, part.function_call.args)
            elif part.thought:
                heard.thinking += part.text
            else:
                heard.text += part.text or ""
        if candidate.finish_reason:
            heard.stop = candidate.finish_reason.value
    if chunk.usage_metadata:
        counts = chunk.usage_metadata
        heard.counted(counts.prompt_token_count, counts.candidates_token_count)


def models(heard: Heard, asked: Asked) -> None:
    client, _ = asking(asked)
    heard.listed = [model.name for model in client.models.list()]


def count(heard: Heard, asked: Asked) -> None:
    client, arguments = asking(asked)
    counted = client.models.count_tokens(model=MODEL, contents=arguments["contents"])
    heard.counted(counted.total_tokens, 0)


if __name__ == "__main__":
    serve(
        {"gemini-raw": streamed, "gemini-whole": whole, "models": models, "count": count},
        at_once=8,
    )
