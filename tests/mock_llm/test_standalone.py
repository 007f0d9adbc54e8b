"""The server as a tool: its journal file, and the shortest script."""

from __future__ import annotations

import io
import json
from typing import Any

import httpx

from mock_llm.journal import JournalEvent
from mock_llm.one_text import one_text
from mock_llm.script import Script, Stream
from mock_llm.standalone import Standalone


def lines_of(live: Any, asking: Any, script: Script) -> list[dict[str, Any]]:
    written = io.StringIO()

    async def test() -> None:
        standalone = Standalone({"s": script}, journal=written)
        await standalone.server.start()

        def let_go(event: JournalEvent) -> None:
            if event.kind == "held":
                standalone.server.release("gate")

        standalone.server.journal.listeners.append(let_go)
        async with httpx.AsyncClient(base_url=standalone.server.base_url, trust_env=False) as client:
            await client.post(
                "/v1/chat/completions?key=sk-secret-7", json=asking.body("my key is sk-secret-7")
            )
        await standalone.server.stop()

    live.run(test)
    return [json.loads(line) for line in written.getvalue().splitlines()]


def test_the_journal_file_tells_what_happens_in_order_and_no_key(live: Any, asking: Any) -> None:
    script = live.script("abcdef sk-secret-7", stream=Stream(hold_after=3, hold="gate"))

    lines = lines_of(live, asking, script)

    assert [line["event"] for line in lines] == ["request", "held", "released", "ended"]
    request, held, released, ended = lines
    assert request["path"] == "/v1/chat/completions?key=[redacted]"
    assert request["body"]["messages"] == [{"role": "user", "content": "my key is [redacted]"}]
    assert not {"text_sent", "chars_sent", "ended"} & set(request)
    assert (held["number"], held["gate"], held["chars_sent"]) == (1, "gate", 3)
    assert released["gate"] == "gate"
    assert (ended["text_sent"], ended["chars_generated"], ended["ended"]) == (
        "abcdef [redacted]",
        len("abcdef sk-secret-7"),
        "complete",
    )
    assert [line["at_s"] for line in lines] == sorted(line["at_s"] for line in lines)


def test_one_text_answers_every_request_and_names_nothing_of_itself_a_template(
    live: Any, asking: Any
) -> None:
    async def test() -> None:
        standalone = Standalone({"say": one_text("{nonce} and {x}")}, nonce="never")
        await standalone.server.start()
        async with httpx.AsyncClient(base_url=standalone.server.base_url, trust_env=False) as client:
            for text in ("a", "b", "a"):
                await client.post("/v1/messages", json=asking.body(text))
        await standalone.server.stop()

        sent = [exchange.text_sent for exchange in standalone.server.journal.exchanges]
        assert sent == ["{nonce} and {x}"] * 3
        assert standalone.server.journal.problems == []

    live.run(test)
