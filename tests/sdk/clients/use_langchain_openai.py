"""langchain-openai: its chat model over chat completions and over responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_openai import ChatOpenAI

from tests.sdk.clients.answering import ASKED, KEY, MODEL, SCHEMAS, Asked, Heard, serve

TOOLS = [{"type": "function", "function": {"name": n, "parameters": s}} for n, s in SCHEMAS.items()]


def asking(*, responses: bool, stream: bool) -> Callable[[Heard, Asked], None]:
    """A way to ask; streamed pieces are added up as the library's users do."""

    def way(heard: Heard, asked: Asked) -> None:
        model = ChatOpenAI(
            base_url=f"{asked.origin}/v1",
            api_key=KEY,
            model=MODEL,
            use_responses_api=responses,
            stream_usage=stream,
            reasoning={"summary": "auto"} if responses else None,
        ).bind_tools(TOOLS)
        reply: Any = None
        if stream:
            for piece in model.stream(ASKED):
                reply = piece if reply is None else reply + piece
        else:
            reply = model.invoke(ASKED)
        read(heard, reply)

    return way


def read(heard: Heard, message: Any) -> None:
    heard.text = message.text
    for block in message.content_blocks:
        if block["type"] == "reasoning":
            heard.thinking += block.get("reasoning", "")
    for call in message.tool_calls:
        heard.call(call["id"], call["name"], call["args"])
    meta = message.response_metadata
    heard.stop = meta.get("finish_reason") or meta.get("status")
    heard.counted(message.usage_metadata["input_tokens"], message.usage_metadata["output_tokens"])


if __name__ == "__main__":
    serve(
        {
            "chat-streamed": asking(responses=False, stream=True),
            "chat-whole": asking(responses=False, stream=False),
            "responses-streamed": asking(responses=True, stream=True),
            "responses-whole": asking(responses=True, stream=False),
        }
    )
