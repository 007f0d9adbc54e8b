"""Requests and scripts that are odd in ways that once got through."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from mock_llm.dialects import by_name
from mock_llm.dialects.fields import MOST_LEVELS
from mock_llm.fault_shape import FAULT
from mock_llm.record_lines import Lines
from mock_llm.redaction import secrets_of
from mock_llm.request import BadRequest
from mock_llm.script import Stream
from mock_llm.script_yaml import file_reader
from mock_llm.token import is_admitted
from tests.mock_llm.wire_samples import PATHS


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("NaN", "'NaN' is no number of JSON"),
        ("-Infinity", "'-Infinity' is no number of JSON"),
        ("1e999", "'1e999' is no number of JSON"),
        ("[" * MOST_LEVELS + "]" * MOST_LEVELS, f"the body is nested deeper than {MOST_LEVELS} levels"),
        ('{"a":' * 5000 + "1" + "}" * 5000, f"the body is nested deeper than {MOST_LEVELS} levels"),
    ],
)
def test_a_body_that_could_not_be_written_again_is_refused(dialect_name: str, value: str, why: str) -> None:
    with pytest.raises(BadRequest) as refused:
        by_name(dialect_name).parse_request(f'{{"x": {value}}}'.encode(), PATHS[dialect_name], {})
    assert why in str(refused.value)


def test_a_body_that_is_wide_and_not_deep_is_read(asking: Any) -> None:
    body = asking.body(x=[[[]]] * (2 * MOST_LEVELS), y=0.5)
    request = by_name("openai-chat").parse_request(json.dumps(body).encode(), PATHS["openai-chat"], {})
    assert request.body["y"] == 0.5


def test_one_model_is_described_in_the_providers_form(live: Any) -> None:
    async def test() -> None:
        async with live.serving(live.script("one")) as (server, client):
            openai = await client.get("/v1/models/gpt-9%2Fmini")
            anthropic = await client.get("/v1/models/claude-9", headers={"x-api-key": "k"})
            google = await client.get("/v1beta/models/gemini-9")
            wrong = await client.get("/v1beta/models/gemini-9:generateContent")

            assert (openai.json()["id"], openai.json()["object"]) == ("gpt-9/mini", "model")
            assert (anthropic.json()["id"], anthropic.json()["type"]) == ("claude-9", "model")
            assert google.json()["name"] == "models/gemini-9"
            assert wrong.status_code == 405
            assert [exchange.number for exchange in server.journal.problems] == [4]
            assert server.router.responder.unused

    live.run(test)


def test_the_router_keeps_no_request_that_the_journal_drops(live: Any, asking: Any) -> None:
    async def test() -> None:
        stream = Stream(hold_after=99)
        async with live.serving(live.script("one", "two", stream=stream)) as (server, client):
            for _ in range(2):  # the gate is behind the end; then no turn is left
                assert (await client.post(**asking.ask("openai-chat"))).status_code == 400
            assert (await client.post(**asking.ask("openai-chat"))).status_code == 400
            assert server.router._exchanges == {}

    live.run(test)


def test_a_wait_never_takes_a_request_from_before_a_reset_for_its_own(live: Any, asking: Any) -> None:
    async def test() -> None:
        script = live.script("one", "two", stream=Stream(hold="gate"))
        async with live.serving(script) as (server, client):
            before = asyncio.create_task(client.post(**asking.ask("openai-chat")))
            old = await server.wait_for_hold(1, 5)
            server.journal.clear()
            waiting = asyncio.create_task(server.wait_for_end(1, 5))
            await asyncio.sleep(0)
            server.release("gate")
            await before
            assert (old.ended, waiting.done()) == ("complete", False)

            await client.post(**asking.ask("openai-chat"))

            assert (await waiting) is server.journal.exchanges[0]

    live.run(test)


def test_a_key_in_a_query_may_be_escaped() -> None:
    assert is_admitted("a+b/=", {}, "/v1?alt=sse&key=a%2Bb%2F%3D")
    assert not is_admitted("a+b/=", {}, "/v1?alt=sse&key=a%2Bb")
    assert is_admitted("schlüssel", {"x-api-key": "schlüssel".encode().decode("latin-1")}, "/v1")
    assert is_admitted("schlüssel", {}, "/v1?key=schl%C3%BCssel")
    assert not is_admitted("schlüssel", {"x-api-key": "schl?ssel"}, "/v1")
    assert set(secrets_of({"x-api-key": 'quo"ted'}, "/v1?key=long%2Bkey")) == {
        'quo"ted', 'quo\\"ted', "long%2Bkey", "long+key"
    }  # fmt: skip


def test_a_text_is_read_from_plain_files_only(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", 2**40)
    read = file_reader(tmp_path)

    with pytest.raises(OSError, match="it is no plain file"):
        read("/dev/zero")
    with pytest.raises(OSError, match="it is no plain file"):
        read("pipe")
    with pytest.raises(OSError, match="it has 1099511627776 bytes; the limit is 67108864 bytes"):
        read("huge")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"headers": {"x y": "a"}}, "'x y' cannot be the name of a header"),
        ({"headers": {"x": "a\r\nb: c"}}, "'x' holds what a header cannot"),
        ({"headers": {"Content-Length": "5"}}, "'Content-Length' says how the answer travels"),
        ({"retry_after": "é"}, "'retry_after' holds what a header cannot"),
        ({"kind": "wrong-content-type", "content_type": "a\nb"}, "'content_type' holds what a header cannot"),
    ],
)
def test_a_fault_has_only_headers_that_can_be_sent(given: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError) as refused:
        FAULT.convert({"kind": "status", **given})
    assert why in str(refused.value)


def test_a_recording_survives_events_that_no_reader_can_take() -> None:
    lines = Lines("openai-chat", "POST", "/v1/chat/completions", {})
    lines.head(1, 200, {"content-type": "text/event-stream"})
    deep = b"data: " + b"[" * 100_000 + b"\n\n"
    said = b'data: {"choices":[{"delta":{"content":"after"}}]}\n\n'

    assert [line["say"] for line in lines.feed(2, deep + said)] == ["after"]


def test_a_key_in_any_header_stays_out_of_a_recording() -> None:
    key = "sk-very-secret-1"
    lines = Lines("openai-chat", "POST", f"/{key}/x", {"authorization": f"Bearer {key}", "x-mine": key})
    written = json.dumps([lines.begin(b"{}"), lines.head(1, 200, {"x-echo": key})])

    assert key not in written
