"""The providers' own client libraries accept what the mock sends, where they are installed."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from mock_llm.script import Script, ScriptTurn, Stream
from mock_llm.server import MockServer
from mock_llm.turn import Turn

THINKING = "The user wants both files. "
SAID = "I will read “a” and list b.\n"
CALLS = [("call_read", "read", {"path": "a.txt"}), ("call_list", "bash", {"command": "ls b"})]
ASKED: dict[str, Any] = {"model": "mock-model", "messages": [{"role": "user", "content": "hello"}]}


def serve(turn: Turn, test: Any) -> None:
    """Run a test against a server that plays the turn twice."""

    async def bounded() -> None:
        script = Script((ScriptTurn(turn, Stream(deltas=8)),) * 2)
        async with asyncio.timeout(30), MockServer(script) as server:
            await test(server)
            assert server.journal.problems == []

    asyncio.run(bounded())


def test_openai_streams_and_reads_whole_replies(full_turn: Turn) -> None:
    openai = pytest.importorskip("openai")

    async def test(server: MockServer) -> None:
        client = openai.AsyncOpenAI(base_url=f"{server.base_url}/v1", api_key="sk-test", max_retries=0)
        thinking = ""
        async with client.chat.completions.stream(**ASKED, stream_options={"include_usage": True}) as stream:
            async for event in stream:
                if event.type == "chunk" and event.chunk.choices:
                    thinking += getattr(event.chunk.choices[0].delta, "reasoning_content", None) or ""
            streamed = await stream.get_final_completion()
        whole = await client.chat.completions.create(**ASKED)
        await client.close()

        assert thinking == THINKING
        for reply in (streamed, whole):
            message = reply.choices[0].message
            calls = [(c.id, c.function.name, json.loads(c.function.arguments)) for c in message.tool_calls]
            assert (message.content, calls) == (SAID, CALLS)
            assert reply.choices[0].finish_reason == "tool_calls"
            assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (31, 27)

    serve(full_turn, test)


def test_anthropic_streams_and_reads_whole_replies(full_turn: Turn) -> None:
    anthropic = pytest.importorskip("anthropic")

    async def test(server: MockServer) -> None:
        client = anthropic.AsyncAnthropic(base_url=server.base_url, api_key="sk-test", max_retries=0)
        async with client.messages.stream(**ASKED, max_tokens=100) as stream:
            streamed = await stream.get_final_message()
        whole = await client.messages.create(**ASKED, max_tokens=100)
        await client.close()

        for reply in (streamed, whole):
            thinking, text, *calls = reply.content
            assert (thinking.thinking, text.text) == (THINKING, SAID)
            assert thinking.signature
            assert [(call.id, call.name, call.input) for call in calls] == CALLS
            assert reply.stop_reason == "tool_use"
            assert (reply.usage.input_tokens, reply.usage.output_tokens) == (31, 27)

    serve(full_turn, test)


def test_a_refusal_is_the_clients_bad_request_error_and_is_not_retried() -> None:
    openai, anthropic = pytest.importorskip("openai"), pytest.importorskip("anthropic")

    async def test() -> None:
        async with MockServer(Script(())) as server:
            one = openai.AsyncOpenAI(base_url=f"{server.base_url}/v1", api_key="sk-test")
            two = anthropic.AsyncAnthropic(base_url=server.base_url, api_key="sk-test")
            with pytest.raises(openai.BadRequestError, match="no turn left"):
                await one.chat.completions.create(**ASKED)
            with pytest.raises(anthropic.BadRequestError, match="no turn left"):
                await two.messages.create(**ASKED, max_tokens=100)
            await one.close()
            await two.close()

            assert len(server.journal.problems) == 2

    asyncio.run(test())
