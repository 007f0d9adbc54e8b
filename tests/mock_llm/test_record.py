"""The recorder between a client and a server: another mock instance, or a few bytes over TLS."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from mock_llm.faults import Fault
from mock_llm.record_files import CannotRecord, Recording
from mock_llm.record_proxy import Passed, Recorder
from mock_llm.record_upstream import parse_upstream
from mock_llm.script import Script, ScriptTurn, Stream
from mock_llm.turn import Text, Turn
from tests.mock_llm.recorders import CHAT_HEAD, Setup, dialled

KEY = "sk-very-secret-1"
TEXT = "The parser reads the header first. " * 8


@pytest.fixture
def recording(live: Any, tmp_path: Path) -> Callable[..., Any]:
    @contextlib.asynccontextmanager
    async def made(script: Script) -> AsyncIterator[Setup]:
        async with live.serving(script) as (upstream, _):
            target = Recording(tmp_path / "recording.yaml", upstream.base_url)
            recorder = Recorder(parse_upstream(upstream.base_url), target)
            await recorder.start()
            headers = {"authorization": f"Bearer {KEY}", "x-api-key": KEY}
            async with httpx.AsyncClient(
                base_url=recorder.base_url, headers=headers, trust_env=False
            ) as client:
                try:
                    yield Setup(upstream, recorder, client)
                finally:
                    await recorder.stop()

    return made


def full_body(asking: Any, text: str = "hello", *, stream: bool) -> dict[str, Any]:
    return {
        **asking.body(text, stream=stream),
        "stream_options": {"include_usage": True},
        "input": text,
        "contents": [{"role": "user", "parts": [{"text": text}]}],
    }


def path_of(asking: Any, name: str, *, stream: bool) -> str:
    path: str = asking.paths[name]
    return (
        path
        if stream or name != "gemini"
        else path.replace("streamGenerateContent?alt=sse", "generateContent")
    )


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_the_client_gets_what_the_server_says_and_the_recording_has_it(
    live: Any, asking: Any, recording: Any, dialect_name: str, full_turn: Turn, *, stream: bool
) -> None:
    async def test() -> None:
        script = Script((ScriptTurn(full_turn), ScriptTurn(full_turn)), conversations="one")
        async with recording(script) as setup:
            path, body = (
                path_of(asking, dialect_name, stream=stream),
                full_body(asking, stream=stream),
            )

            through = await setup.client.post(path, json=body)
            async with httpx.AsyncClient(base_url=setup.upstream.base_url, trust_env=False) as direct:
                straight = await direct.post(path, json={**body, "again": True})

            assert through.status_code == 200
            assert through.headers["content-type"] == straight.headers["content-type"]
            assert len(through.content) == len(straight.content)
            await setup.heard()
            assert setup.recorded(1).turn == full_turn
            assert setup.exchange()[-1]["ended"] == "complete"
            assert setup.upstream.journal.exchanges[0].headers["authorization"] == f"Bearer {KEY}"

    live.run(test)


def test_no_key_is_written_down(live: Any, asking: Any, recording: Any, tmp_path: Path) -> None:
    async def test() -> None:
        async with recording(live.script(f"Your key is {KEY}.")) as setup:
            await setup.client.post("/v1/chat/completions", json=asking.body(f"my key is {KEY}"))

            files = files_in(tmp_path)
            assert len(files) == 2
            assert [path for path in files if KEY.encode() in path.read_bytes()] == []
            assert setup.recorded(1).turn.parts == (Text("Your key is [redacted]."),)

    live.run(test)


def test_a_piece_is_recorded_no_earlier_than_it_was_sent_and_in_its_own_size(
    live: Any, asking: Any, recording: Any
) -> None:
    async def test() -> None:
        stream = Stream(deltas=6, first_after_ms=30, every_ms=15)
        async with recording(live.script("abcdefghijkl", stream=stream)) as setup:
            await setup.client.post("/v1/messages", json=asking.body())

            beats = setup.recorded(1).stream.recorded
            assert sum(beat.chars for beat in beats) == 12
            assert beats[0].at_ms >= 30
            assert beats[-1].at_ms >= 30 + 5 * 15
            assert [beat.at_ms for beat in beats] == sorted(beat.at_ms for beat in beats)

    live.run(test)


def test_what_is_replayed_is_recorded_as_the_same_turns_again(
    live: Any, asking: Any, recording: Any, full_turn: Turn
) -> None:
    async def test() -> None:
        said = (full_turn, Turn((Text(TEXT),)))
        stream = Stream(chars_per_delta=9, every_ms=2)
        script = Script(tuple(ScriptTurn(turn, stream) for turn in said), conversations="one")
        async with recording(script) as setup:
            for text in ("one", "two"):
                await setup.client.post("/v1/chat/completions", json=asking.body(text))
            first = [setup.recorded(1), setup.recorded(2)]

        replay = Script(tuple(ScriptTurn(turn, stream) for turn, stream in first), conversations="one")
        async with live.serving(replay) as (server, client):
            for text in ("one", "two"):
                await client.post("/v1/chat/completions", json=asking.body(text))

            sent = [exchange.sent for exchange in server.journal.exchanges]
            assert ["".join(pieces) for pieces in sent] == [
                "".join(getattr(part, "text", getattr(part, "arguments", "")) for part in turn.parts)
                for turn in said
            ]
            assert [[len(piece) for piece in pieces] for pieces in sent] == [
                [beat.chars for beat in each.stream.recorded] for each in first
            ]
            lasted_ms = [(e.ended_s - e.started_s) * 1000 for e in server.journal.exchanges]
            assert all(
                lasted >= each.stream.recorded[-1].at_ms
                for lasted, each in zip(lasted_ms, first, strict=True)
            )

    live.run(test)


def test_a_client_that_hangs_up_is_recorded_as_such_and_the_server_sees_it_too(
    live: Any, asking: Any, recording: Any
) -> None:
    async def test() -> None:
        async with recording(live.script(TEXT, stream=Stream(hold_after=40, hold="forty"))) as setup:
            async with setup.client.stream("POST", "/v1/messages", json=asking.body()) as response:
                async for line in response.aiter_lines():
                    if TEXT[:40] in line:
                        break

            [passed] = await setup.heard()
            upstream = await setup.upstream.wait_for_end(1)
            assert (passed.ended, passed.chars) == ("client-hung-up", 40)
            assert upstream.ended == "client-hung-up"
            assert setup.exchange()[-1]["ended"] == "client-hung-up"
            assert setup.recorded(1).turn.parts == (Text(TEXT[:40]),)
            assert setup.recorded(1).stream.fault is None

    live.run(test)


def test_what_is_in_flight_is_on_disk_already(live: Any, asking: Any, recording: Any) -> None:
    async def test() -> None:
        async with recording(live.script(TEXT, TEXT, stream=Stream(hold_after=40, hold="forty"))) as setup:
            asked = asyncio.create_task(setup.client.post("/v1/messages", json=asking.body()))
            await setup.upstream.wait_for_hold(1)
            async with setup.client.stream("POST", "/v1/messages", json=asking.body("other")) as response:
                async for line in response.aiter_lines():
                    if TEXT[:40] in line:
                        break
                assert setup.recorded(2).turn.parts == (Text(TEXT[:40]),)
                assert "ended" not in setup.exchange(2)[-1]
                assert setup.script.splitlines()[1:] == [
                    "conversations: one",
                    "max_requests: 50",
                    "model:",
                    "  # 1 /v1/messages, model mock-model",
                    '  - recorded: "recording/001.jsonl"',
                    "  # 2 /v1/messages, model mock-model",
                    '  - recorded: "recording/002.jsonl"',
                ]
            setup.upstream.release("forty")
            await asked

    live.run(test)


def test_an_error_and_the_clients_next_attempt_are_one_turn(live: Any, asking: Any, recording: Any) -> None:
    async def test() -> None:
        fault = Fault("status", status=429, retry_after="3")
        async with recording(live.script("at last", stream=Stream(fault=fault))) as setup:
            statuses = [
                (
                    await setup.client.post(
                        "/v1/messages", json=asking.body(), headers={"x-stainless-retry-count": str(n)}
                    )
                ).status_code
                for n in range(2)
            ]

            assert statuses == [429, 200]
            assert setup.script.count("recorded:") == 1
            assert '["recording/001.jsonl", "recording/002.jsonl"]' in setup.script
            recorded = setup.recorded(1, 2)
            assert recorded.turn.parts == (Text("at last"),)
            again = recorded.stream.fault
            assert again is not None
            assert (again.kind, again.status, again.attempts) == ("status", 429, 1)
            assert ("retry-after", "3") in again.headers

    live.run(test)


@pytest.mark.parametrize("kind", ["close", "reset"])
def test_a_server_that_breaks_off_breaks_off_for_the_client_and_again_in_the_replay(
    live: Any, asking: Any, recording: Any, kind: str
) -> None:
    async def test() -> None:
        fault = Fault(kind, at=50)
        async with recording(live.script(TEXT, stream=Stream(fault=fault))) as setup:
            with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
                await setup.client.post("/v1/messages", json=asking.body())

            [passed] = await setup.heard()
            recorded = setup.recorded(1)
            assert passed.ended == "upstream-closed"
            assert recorded.turn.parts == (Text(TEXT[:50]),)
            assert recorded.stream.fault == Fault("close", at=50, attempts=0)

    live.run(test)


def test_what_is_no_request_to_a_model_passes_unrecorded(live: Any, recording: Any, tmp_path: Path) -> None:
    async def test() -> None:
        async with recording(live.script("one")) as setup:
            response = await setup.client.get("/v1/models")
            head = await setup.client.head("/")

            assert response.json()["data"][0]["id"] == "mock-model"
            assert (head.status_code, head.content) == (200, b"")
            assert [passed.chars for passed in await setup.heard(2)] == [None, None]
            assert files_in(tmp_path) == []

    live.run(test)


def test_a_server_that_is_not_there_is_said_to_the_client_and_the_watcher(
    live: Any, asking: Any, tmp_path: Path
) -> None:
    async def test() -> None:
        with socket.socket() as taken:  # bound, and nobody listens
            taken.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{taken.getsockname()[1]}"
            told: list[Passed] = []
            recorder = Recorder(parse_upstream(url), Recording(tmp_path / "r.yaml", url), told.append)
            await recorder.start()
            async with httpx.AsyncClient(base_url=recorder.base_url, trust_env=False) as client:
                response = await client.post("/v1/messages", json=asking.body())
            await recorder.stop()

        assert response.status_code == 502
        assert f"no connection to {url.removeprefix('http://')}" in response.json()["error"]["message"]
        assert [(each.ended, each.status) for each in told] == [("upstream-closed", 0)]

    live.run(test)


def test_concurrent_exchanges_are_kept_apart(live: Any, asking: Any, recording: Any) -> None:
    async def test() -> None:
        texts = [f"answer {n} " * 20 for n in range(8)]
        stream = Stream(chars_per_delta=5, every_ms=0.5)
        async with recording(live.script(*texts, stream=stream)) as setup:
            await asyncio.gather(
                *(setup.client.post("/v1/messages", json=asking.body(str(n))) for n in range(8))
            )
            found = [setup.recorded(n).turn.parts[0] for n in range(1, 9)]
            assert sorted(part.text for part in found if isinstance(part, Text)) == texts

    live.run(test)


@pytest.mark.parametrize(
    "url", ["ftp://host", "host", "http://", "https://user:secret@host", "http://h/?key=1"]
)
def test_an_upstream_that_is_no_server_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"is no URL of a server|more than a path") as caught:
        parse_upstream(url)
    assert "secret" not in str(caught.value)


def test_a_recording_never_overwrites_another(tmp_path: Path) -> None:
    (tmp_path / "taken.yaml").write_text("model: []\n", encoding="utf-8")

    with pytest.raises(CannotRecord, match=r"taken.yaml' is there already\n  choose another name with --to"):
        Recording(tmp_path / "taken.yaml", "http://x")
    with pytest.raises(CannotRecord, match=r"cannot write to '.*nowhere'\n  name another place"):
        Recording(tmp_path / "nowhere" / "x.yaml", "http://x")
    with pytest.raises(CannotRecord, match=r"does not end in \.yaml"):
        Recording(tmp_path / "taken.txt", "http://x")


def test_requests_that_come_together_are_answered_one_after_the_other(
    live: Any, asking: Any, recording: Any
) -> None:
    async def test() -> None:
        async with recording(live.script("one", "two")) as setup:
            reader, writer = await dialled(setup.recorder)
            for text in ("a", "b"):
                raw = json.dumps(asking.body(text, stream=False)).encode()
                writer.write(CHAT_HEAD + b"content-length: %d\r\n\r\n" % len(raw) + raw)
            await setup.heard(2)
            writer.close()
            await reader.read()
            assert [setup.recorded(n).turn.parts for n in (1, 2)] == [(Text("one"),), (Text("two"),)]

    live.run(test)


def test_a_stopped_recorder_keeps_what_was_in_flight_and_says_so(
    live: Any, asking: Any, recording: Any
) -> None:
    async def test() -> None:
        async with recording(live.script(TEXT, stream=Stream(hold_after=40))) as setup:
            asked = asyncio.create_task(setup.client.post("/v1/messages", json=asking.body()))
            await setup.upstream.wait_for_hold(1)
            while "say" not in setup.exchange()[-1]:  # noqa: ASYNC110 - bounded by the test's own limit
                await asyncio.sleep(0)
            await setup.recorder.stop()
            with pytest.raises(httpx.HTTPError):
                await asked

            assert setup.exchange()[-1]["ended"] == "recorder-stopped"
            assert setup.recorded(1).turn.parts == (Text(TEXT[:40]),)
            assert (await setup.upstream.wait_for_end(1)).ended == "client-hung-up"

    live.run(test)
