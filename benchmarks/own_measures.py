"""What only this server promises: a schedule that holds, and a client that hangs up is noticed."""

from __future__ import annotations

import asyncio
import json
import time
from statistics import median
from typing import TYPE_CHECKING, Any

from rivals import serve
from server_process import Running
from stream_client import ask, open_stream

if TYPE_CHECKING:
    from pathlib import Path

EVERY_MS = 5
DELTAS = 400
PACED_STREAMS = (1, 20)
HANG_UPS = 40
HOUR_MS = 3_600_000
LINE_LIMIT_S = 10


async def pacing() -> dict[str, float]:
    """How late a delta is at the client, in milliseconds at the median, by streams at a time."""
    text = "abcdefghi " * DELTAS
    stream = {"chars_per_delta": 10, "every_ms": EVERY_MS}
    script = {"max_requests": 1000, "model": [{"say": text, "stream": stream}]}
    late: dict[str, float] = {}
    with Running(lambda port, folder: serve(port, script, folder)) as server:
        server.until_ready().close()
        for streams in PACED_STREAMS:
            answers = await asyncio.gather(*(ask(server.port) for _ in range(streams)))
            late[f"{streams} at a time"] = median(
                ms for answer in answers for ms in _lateness_ms(answer.chunks)
            )
    return late


def _lateness_ms(chunks: list[tuple[float, bytes]]) -> list[float]:
    """Of each delta against its deadline, counted from the first one."""
    arrivals = [at_s for at_s, data in chunks for _ in range(data.count(b'"content":"abc'))]
    assert len(arrivals) == DELTAS, f"{len(arrivals)} deltas instead of {DELTAS}"
    first_s = arrivals[0]
    return [abs((at_s - first_s) * 1000 - place * EVERY_MS) for place, at_s in enumerate(arrivals)]


async def hang_ups() -> dict[str, tuple[float, float]]:
    """Milliseconds from the close at the client to the end in the journal: median and worst, by situation."""
    text = "abcdefghi " * 1000
    paced = {"chars_per_delta": 10, "every_ms": EVERY_MS}
    situations: dict[str, dict[str, Any]] = {
        "a paced stream": paced,
        "a wait before the first token": {"first_after_ms": HOUR_MS},
        "a gate": {"chars_per_delta": 10, "hold_after": 500},
    }
    stall = {"kind": "stall", "at": 500, "attempts": 0}
    return {
        **{name: await _noticed({"say": text, "stream": stream}) for name, stream in situations.items()},
        "a stall": await _noticed({"say": text, "stream": {"chars_per_delta": 10}, "fault": stall}),
    }


async def _noticed(turn: dict[str, Any]) -> tuple[float, float]:
    script = {"max_requests": 1000, "model": [turn]}
    took: list[float] = []
    with Running(
        lambda port, folder: serve(port, script, folder, "--journal", str(folder / "j.jsonl"))
    ) as server:
        server.until_ready().close()
        for _ in range(HANG_UPS):
            known = len(_ends(server.folder / "j.jsonl"))
            reader = await open_stream(server.port)
            while not reader.answer.chunks:  # noqa: ASYNC110 - another process is waited for
                await asyncio.sleep(0.002)
            await asyncio.sleep(0.05)  # well into the wait
            closed_s = time.monotonic()
            reader.transport.abort()
            took.append((await _next_end_s(server.folder / "j.jsonl", known) - closed_s) * 1000)
    return median(took), max(took)


async def _next_end_s(journal: Path, known: int) -> float:
    """When the next exchange ended. The journal's clock is ``time.monotonic``, as ours is."""
    async with asyncio.timeout(LINE_LIMIT_S):
        while len(ends := _ends(journal)) == known:  # noqa: ASYNC110 - a file is waited for
            await asyncio.sleep(0.005)
    return ends[-1]


def _ends(journal: Path) -> list[float]:
    lines = journal.read_text().splitlines() if journal.exists() else []
    events = [json.loads(line) for line in lines]
    ended = [event for event in events if event["event"] == "ended"]
    assert all(event["ended"] == "client-hung-up" for event in ended)
    return [event["at_s"] for event in ended]
