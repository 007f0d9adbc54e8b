"""What the tests of the recorder share."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx

from mock_llm.record_proxy import Passed, Recorder
from mock_llm.recorded import Recorded, read_recorded
from mock_llm.server import MockServer
from mock_llm.template import fill

CHAT_HEAD = b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\n"


class Setup:
    """A mock upstream, the recorder before it, and a client of the recorder."""

    def __init__(self, upstream: MockServer, recorder: Recorder, client: httpx.AsyncClient) -> None:
        self.upstream = upstream
        self.recorder = recorder
        self.client = client
        self.passed: list[Passed] = []
        self._more = asyncio.Event()
        recorder.tell = self._hear

    def _hear(self, passed: Passed) -> None:
        self.passed.append(passed)
        self._more.set()

    async def heard(self, count: int = 1) -> list[Passed]:
        while len(self.passed) < count:
            self._more.clear()
            await self._more.wait()
        return self.passed

    def exchange(self, number: int = 1) -> list[dict[str, Any]]:
        text = (self.recorder.recording.folder / f"{number:03}.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def recorded(self, *numbers: int) -> Recorded:
        texts = [(self.recorder.recording.folder / f"{n:03}.jsonl").read_text("utf-8") for n in numbers]
        recorded = read_recorded(texts)
        return recorded._replace(turn=fill(recorded.turn, {}))

    @property
    def script(self) -> str:
        return self.recorder.recording.script.read_text(encoding="utf-8")


async def dialled(recorder: Recorder) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, port = recorder.base_url.removeprefix("http://").split(":")
    return await asyncio.open_connection(host, int(port))
