"""What cannot be written is told once; whoever asks is answered all the same."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from typing import Any

import httpx
import pytest

from mock_llm import journal as journal_module
from mock_llm import spilling
from mock_llm.one_text import one_text
from mock_llm.record_files import CannotRecord, ExchangeFile, Recording
from mock_llm.record_proxy import Recorder
from mock_llm.record_upstream import parse_upstream
from mock_llm.standalone import Standalone
from tests.mock_llm.recorders import Setup

TEXT = "abcdefghij" * 20


def asking_at(url: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, trust_env=False)


class FullFile(io.StringIO):
    """A file on a full disk."""

    def flush(self) -> None:
        raise OSError(28, "No space left on device")


def test_a_journal_file_on_a_full_disk_costs_no_answer_and_no_stop(live: Any, asking: Any) -> None:
    async def test() -> None:
        told: list[str] = []
        standalone = Standalone({"one": one_text("yes")}, journal=FullFile(), tell=told.append)
        async with standalone.server as server, asking_at(server.base_url) as client:
            answers = [await client.post(**asking.ask("openai-chat")) for _ in range(2)]
        assert [answer.status_code for answer in answers] == [200, 200]
        assert told == [
            "cannot write the journal file: No space left on device\nrequests are answered without it"
        ]
        assert [exchange.ended for exchange in server.journal.exchanges] == ["complete", "complete"]

    live.run(test)


def test_a_server_stops_although_something_that_listens_to_it_fails(live: Any) -> None:
    async def test() -> None:
        loop = asyncio.get_running_loop()
        complaints: list[dict[str, Any]] = []
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        async with live.serving(live.script("one")) as (server, client):

            def fail(_: object) -> None:
                raise OSError(28, "No space left on device")

            server.journal.listeners.append(fail)
            with pytest.raises(httpx.HTTPError):
                await client.post("/v1/chat/completions", json={"model": "m", "messages": []})
            await server.stop()
            assert server.connections == set()
            assert {str(context["exception"]) for context in complaints} == {
                "[Errno 28] No space left on device"
            }

    live.run(test)


def test_long_replies_go_to_files_of_their_own_also_after_a_reset(
    live: Any, asking: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (journal_module, spilling):
        monkeypatch.setattr(module, "KEPT_CHARS", 50)

    async def test() -> None:
        standalone = Standalone({"one": one_text(TEXT)}, spill=tmp_path / "large")
        async with standalone.server as server, asking_at(server.base_url) as client:
            for _ in range(2):
                assert (await client.post(**asking.ask("openai-chat"))).status_code == 200
                assert (await client.post("/__reset")).json() == {"dropped": 1}
        files = {path.name: path.read_text("utf-8") for path in (tmp_path / "large").iterdir()}
        assert files == {"reply-1.txt": TEXT, "reply-1.2.txt": TEXT}

    live.run(test)


def test_a_folder_that_cannot_be_written_is_told_of_once(
    live: Any, asking: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (journal_module, spilling):
        monkeypatch.setattr(module, "KEPT_CHARS", 50)
    (tmp_path / "large").write_text("a file where the folder should be")

    async def test() -> None:
        told: list[str] = []
        standalone = Standalone({"one": one_text(TEXT)}, spill=tmp_path / "large", tell=told.append)
        async with standalone.server as server, asking_at(server.base_url) as client:
            for _ in range(2):
                assert (await client.post(**asking.ask("openai-chat"))).status_code == 200
        assert len(told) == 1
        assert told[0].startswith(f"cannot write '{tmp_path}/large/reply-1.txt': ")
        assert [exchange.reply_file for exchange in standalone.server.journal.exchanges] == ["", ""]

    live.run(test)


def test_a_recorder_on_a_full_disk_still_passes_the_reply_through(
    live: Any, asking: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: ExchangeFile, __: object) -> None:
        raise CannotRecord("cannot write the recording: No space left on device")

    async def test() -> None:
        async with live.serving(live.script("one", "two")) as (server, _):
            recorder = Recorder(parse_upstream(server.base_url), Recording(tmp_path / "r.yaml", "u"))
            await recorder.start()
            async with httpx.AsyncClient(base_url=recorder.base_url, trust_env=False) as client:
                setup = Setup(server, recorder, client)
                monkeypatch.setattr(ExchangeFile, "write", full)
                answer = await client.post(**asking.ask("openai-chat", stream=False))
                (passed,) = await setup.heard()
            await recorder.stop()
            assert answer.json()["choices"][0]["message"]["content"] == "one"
            assert (passed.status, passed.ended) == (200, "complete")
            assert passed.problem == "cannot write the recording: No space left on device"

    live.run(test)


def test_an_exchange_whose_file_cannot_be_made_says_why(tmp_path: Path) -> None:
    recording = Recording(tmp_path / "r.yaml", "u")
    recording.folder.write_text("a file where the folder should be")
    with pytest.raises(CannotRecord, match="cannot write the recording: File exists"):
        recording.begin("a comment")


def test_without_a_folder_a_listener_still_sees_a_large_body_once(
    live: Any, asking: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spilling, "KEPT_BODY_BYTES", 500)

    async def test() -> None:
        async with live.serving(live.script("one")) as (server, client):
            seen: list[int] = []
            server.journal.listeners.append(
                lambda event: (
                    seen.append(len(event.exchange.request.body)) if event.kind == "request" else None
                )
            )
            body = asking.body("x" * 600)
            assert (await client.post("/v1/chat/completions", json=body)).status_code == 200
            assert seen == [len(body)]
            assert server.journal.exchanges[0].request.body == {}

    live.run(test)
