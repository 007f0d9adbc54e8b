"""How fast the mock server is, beside the physical limit and public mock servers, in one run.

``python benchmarks/mock_server.py --write`` measures everything and writes the tables of docs/performance.md.
One client reads all servers on loopback; servers take turns in every round, so that all see the same machine.
A stream counts only if its text arrived whole.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
from pathlib import Path
from statistics import median

from own_measures import hang_ups, pacing
from performance_page import ROOT, Measures, Table, write_page
from rivals import Rival, install, rivals
from server_process import Running
from stream_client import ask, faults_of, together

PAGE = ROOT / "docs/performance.md"
CACHE = ROOT / ".qa/benchmarks"
WORD = "abcdefghi "  # ten characters, so that a server that cuts at spaces cuts like the others
ENOUGH_MS = 6000  # a slow server is not asked more often than this takes
LONG, SHORT, STREAMS, MANY = WORD * 3800, WORD * 200, 200, 500


def streamed(servers: list[Rival], text: str, streams: int, rounds: int) -> tuple[Table, Table]:
    """Milliseconds until the last byte of all streams, and peak memory, by server."""
    times: dict[str, list[float]] = {rival.name: [] for rival in servers}
    with contextlib.ExitStack() as stack:
        running = {rival.name: stack.enter_context(_started(rival, text)) for rival in servers}
        for _ in range(rounds):
            for name, server in running.items():
                if sum(times[name]) > ENOUGH_MS:
                    continue
                took_s, answers = asyncio.run(together(server.port, streams))
                wrong = faults_of(answers, text)
                if wrong:
                    sys.exit(f"{name}: {len(wrong)} of {streams} streams are wrong, as {wrong[0]}")
                times[name].append(took_s * 1000)
        memory = {name: server.peak_mb() for name, server in running.items()}
    return {name: median(each) for name, each in times.items()}, memory


def _running(rival: Rival, text: str) -> Running:
    return Running(lambda port, folder: rival.argv(port, text, folder))


def started(servers: list[Rival], rounds: int) -> Table:
    """Milliseconds from the start of the process to the first byte of an answer."""
    times: dict[str, list[float]] = {rival.name: [] for rival in servers}
    for _ in range(rounds):
        for rival in servers:
            with _running(rival, WORD) as server:
                times[rival.name].append(server.first_byte_ms())
    return {name: median(each) for name, each in times.items()}


def many(servers: list[Rival], text: str, streams: int) -> Table:
    """How many of so many streams at a time went wrong."""
    found: Table = {}
    for rival in servers:
        with _started(rival, text) as server:
            _, answers = asyncio.run(together(server.port, streams))
            found[rival.name] = len(faults_of(answers, text))
    return found


@contextlib.contextmanager
def _started(rival: Rival, text: str):  # type: ignore[no-untyped-def]  # noqa: ANN202
    with _running(rival, text) as server:
        server.until_ready().close()
        if rival.ready is not None:
            rival.ready(server.port, text)
        asyncio.run(ask(server.port))  # what a first request loads is loaded
        yield server


def measured(servers: list[Rival], rounds: int) -> Measures:
    """Everything, for all servers."""
    say("one stream")
    one, memory = streamed(servers, LONG, 1, rounds)
    say("many streams at a time")
    together_ms, _ = streamed(servers, SHORT, STREAMS, max(rounds // 2, 3))
    say("start-up")
    start = started(servers, 5)
    say("ten times longer")
    growing = [rival for rival in servers if rival.can_grow]
    longer, longer_memory = streamed(growing, LONG * 10, 1, max(rounds // 4, 3))
    say("500 streams at a time")
    errors = many(growing, SHORT, MANY)
    say("pacing and hang-ups of this server")
    return Measures(
        one,
        together_ms,
        start,
        memory,
        longer,
        longer_memory,
        errors,
        asyncio.run(pacing()),
        asyncio.run(hang_ups()),
    )


def say(what: str) -> None:
    print(f"measuring {what} ...", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-n", type=int, default=20, help="rounds of the single stream (default: 20)")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where public servers are installed")
    parser.add_argument("--only", action="append", help="servers whose name contains this; may be repeated")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.relative_to(ROOT)}")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a goal is missed")
    options = parser.parse_args()
    install(options.cache)
    servers = rivals(options.cache)
    if options.only:
        servers = [
            r for r in servers if any(word in r.name for word in ("this server", "raw", *options.only))
        ]
    measures = measured(servers, options.n)
    notes = {rival.name: rival.note for rival in servers}
    page = measures.render(notes)
    print(page)
    if options.write:
        write_page(PAGE, page)
    missed = measures.missed()
    for each in missed:
        print(f"missed: {each}", file=sys.stderr)
    return int(options.check and bool(missed))


if __name__ == "__main__":
    sys.exit(main())
