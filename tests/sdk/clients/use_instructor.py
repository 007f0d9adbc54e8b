"""instructor over all four dialects: a tool call becomes an object, in some modes several do.

It shows the reply itself only where it is whole, as the library beneath made it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import instructor
from anthropic import Anthropic
from google import genai
from openai import OpenAI
from pydantic import BaseModel, create_model

from tests.sdk.clients import use_anthropic, use_google_genai, use_openai
from tests.sdk.clients.answering import ASKED, KEY, MODEL, Asked, Heard, serve

# The tools are called like the models.
Read: Any = create_model("read", path=(str, ...))
Bash: Any = create_model("bash", command=(str, ...))


def chat_client(asked: Asked, *, whole: bool) -> Any:
    mode = instructor.Mode.PARALLEL_TOOLS if whole else instructor.Mode.TOOLS
    return instructor.from_openai(OpenAI(base_url=f"{asked.origin}/v1", api_key=KEY), mode=mode)


def responses_client(asked: Asked, *, whole: bool) -> Any:
    del whole
    client = OpenAI(base_url=f"{asked.origin}/v1", api_key=KEY)
    return instructor.from_openai(client, mode=instructor.Mode.RESPONSES_TOOLS)


def messages_client(asked: Asked, *, whole: bool) -> Any:
    mode = instructor.Mode.ANTHROPIC_PARALLEL_TOOLS if whole else instructor.Mode.ANTHROPIC_TOOLS
    return instructor.from_anthropic(Anthropic(base_url=asked.origin, api_key=KEY), mode=mode)


def gemini_client(asked: Asked, *, whole: bool) -> Any:
    del whole
    client = genai.Client(api_key=KEY, http_options={"base_url": asked.origin})
    return instructor.from_genai(client, mode=instructor.Mode.GENAI_TOOLS)


def whole(client_of: Any, model: Any, read: Callable[[Heard, Any], None], **more: Any) -> Any:
    """A way to ask for whole objects: those are the calls, the rest is in the reply beneath."""

    def way(heard: Heard, asked: Asked) -> None:
        client = client_of(asked, whole=True)
        client.on("completion:response", lambda reply: read(heard, reply))
        messages = [{"role": "user", "content": ASKED}]
        found = client.create(model=MODEL, messages=messages, response_model=model, max_retries=0, **more)
        objects = [found] if isinstance(found, BaseModel) else list(found)
        heard.calls = [
            (id_, type(each).__name__, each.model_dump())
            for (id_, _, _), each in zip(heard.calls, objects, strict=True)
        ]

    return way


def streamed(client_of: Any, **more: Any) -> Any:
    """A way to ask for one object that grows."""

    def way(heard: Heard, asked: Asked) -> None:
        client = client_of(asked, whole=False)
        messages = [{"role": "user", "content": ASKED}]
        last: Any = None
        for each in client.create_partial(
            model=MODEL, messages=messages, response_model=Read, max_retries=0, **more
        ):
            last = each
        heard.call("", "read", last.model_dump())

    return way


if __name__ == "__main__":
    bound = {"max_tokens": 1000}
    serve(
        {
            "chat-whole": whole(chat_client, Iterable[Read | Bash], use_openai.read_chat),
            "chat-streamed": streamed(chat_client),
            "responses-whole": whole(responses_client, Read, use_openai.read_response),
            "responses-streamed": streamed(responses_client),
            "messages-whole": whole(
                messages_client, Iterable[Read | Bash], use_anthropic.read_message, **bound
            ),
            "messages-streamed": streamed(messages_client, **bound),
            "gemini-whole": whole(gemini_client, Read, use_google_genai.read_chunk),
            "gemini-streamed": streamed(gemini_client),
        }
    )
