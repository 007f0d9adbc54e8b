"""Faults as values: what the events of a reply become, by properties and by transcripts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm import fault_shape
from mock_llm.delivery import (
    ENDINGS,
    Close,
    Drain,
    Finish,
    Hold,
    Reset,
    Send,
    Stall,
    WaitUntil,
    cut,
    held,
    plan,
    split,
)
from mock_llm.dialects import NAMES, by_name
from mock_llm.dialects.dialect import Ids, WireEvent
from mock_llm.fault_events import Wire, broken, raw_utf8
from mock_llm.faults import KINDS, Fault, error_answer, objection
from mock_llm.located import parse_yaml
from mock_llm.problems import Problems, Source
from mock_llm.reading import read
from mock_llm.script import Stream
from mock_llm.turn import Text, Thinking, Turn

CHAT = by_name("openai-chat")
REQUEST = CHAT.parse_request(
    {"model": "m", "messages": [{"role": "user", "content": "hello"}]}, "/v1beta/models/m:x?alt=sse", {}
)
WIRE = Wire(CHAT, REQUEST)
texts = st.text(min_size=1, max_size=30)
streams = st.builds(
    Stream,
    chars_per_delta=st.integers(1, 9),
    every_ms=st.sampled_from([0, 5]),
    first_after_ms=st.sampled_from([0, 40]),
)
POINTS = sorted(kind for kind, takes in KINDS.items() if "at" in takes)
BREAKS = ["reset", "close", "early-end", "half-event", "no-blank-line", "error-event", "stall"]


def events_of(turn: Turn, stream: Stream, offset: int = 0, name: str = "openai-chat") -> Any:
    deltas = split(cut(turn, stream), offset)
    return by_name(name).encode(turn, deltas, REQUEST, Ids(1), 1)


def commands(turn: Turn, stream: Stream, fault: Fault, offset: int) -> list[Any]:
    events = broken(events_of(turn, stream, offset), fault, offset, WIRE, stream)
    return list(plan(events, stream))


def sent(found: list[Any]) -> str:
    return "".join(command.text for command in found if isinstance(command, Send))


@given(st.data(), st.lists(texts, min_size=1, max_size=3), streams, st.sampled_from(BREAKS))
def test_exactly_so_many_characters_come_before_what_breaks_the_reply(
    data: st.DataObject, said: list[str], stream: Stream, kind: str
) -> None:
    turn = Turn((Thinking(said[0]), *map(Text, said[1:])))
    offset = data.draw(st.integers(0, turn.chars))

    found = commands(turn, stream, Fault(kind, offset), offset)

    assert sent(found) == "".join(said)[:offset]
    assert [c for c in found if isinstance(c, ENDINGS)] == [found[-1]]


@given(st.data(), texts, streams, st.sampled_from(sorted(set(POINTS) - set(BREAKS))))
def test_what_does_not_break_the_reply_leaves_all_its_characters(
    data: st.DataObject, said: str, stream: Stream, kind: str
) -> None:
    offset = data.draw(st.integers(0, len(said)))

    fault = Fault(kind, offset, bytes=50, megabytes=0.001)

    found = commands(Turn((Text(said),)), stream, fault, offset)

    assert sent(found) == said
    assert found[-1] == Finish("complete")


@given(texts, streams, st.sampled_from(sorted(KINDS)))
def test_the_same_fault_gives_the_same_commands(said: str, stream: Stream, kind: str) -> None:
    fault = Fault(kind, (0, len(said)), seed=7, bytes=50, megabytes=0.001)
    offset = fault.offset(1)
    if not fault.changes_events:
        return

    once, again = (commands(Turn((Text(said),)), stream, fault, offset) for _ in range(2))

    assert once == again


@given(st.integers(0, 99), st.integers(1, 9), st.integers(0, 500), st.integers(0, 500))
def test_a_range_gives_a_place_within_it_and_each_seed_its_own(
    seed: int, attempt: int, low: int, more: int
) -> None:
    fault = Fault("reset", (low, low + more), seed=seed)

    assert low <= fault.offset(attempt) <= low + more
    assert fault.offset(attempt) == fault.offset(attempt)


def test_seeds_and_attempts_pick_different_places() -> None:
    places = {
        Fault("reset", (0, 10_000), seed=seed).offset(attempt) for seed in range(9) for attempt in (1, 2)
    }

    assert len(places) > 15


def test_a_fault_lasts_for_its_attempts() -> None:
    assert [Fault("reset", attempts=2).is_due(n) for n in (1, 2, 3)] == [True, True, False]
    assert all(Fault("reset", attempts=0).is_due(n) for n in (1, 2, 99))


@pytest.mark.parametrize(
    ("fault", "rest"),
    [
        (Fault("reset"), [Reset()]),
        (Fault("close"), [Close()]),
        (Fault("early-end"), [Finish("fault")]),
        (Fault("stall", for_ms=5), [Stall(5), Close()]),
        (Fault("half-event"), [Send(b"data: b"), Finish("fault")]),
        (Fault("half-event", ending="close"), [Send(b"data: b"), Close()]),
        (Fault("no-blank-line"), [Send(b"data: bbbbbbbb\n"), Finish("fault")]),
        (Fault("bad-json"), [Send(b"data: b\n\ndata: bbbbbbbb\n\n", 2, "bb"), Finish()]),
        (Fault("duplicate-event"), [Send(b"data: bbbbbbbb\n\n" * 2, 2, "bb"), Finish()]),
        (Fault("error-event", message="m"), [Send(CHAT.error_event("m")), Finish("fault")]),
    ],
)
def test_a_fault_between_two_events_reads_as_a_transcript(fault: Fault, rest: list[Any]) -> None:
    found = [WireEvent(b"data: aaaaaaaa\n\n", 2, "aa"), WireEvent(b"data: bbbbbbbb\n\n", 2, "bb")]

    got = list(plan(broken(found, fault, 2, WIRE, Stream()), Stream()))

    before, *after = got
    if isinstance(rest[0], Send) and rest[0].chars:
        assert got == [Send(b"data: aaaaaaaa\n\n" + rest[0].data, 4, "aabb"), rest[1]]
    else:
        assert (before, after) == (Send(b"data: aaaaaaaa\n\n", 2, "aa"), rest)


def test_at_nothing_the_reply_is_open_and_has_no_content() -> None:
    found = [WireEvent(b"open"), WireEvent(b"a", 1, "a"), WireEvent(b"end")]

    assert list(plan(broken(found, Fault("reset"), 0, WIRE, Stream()), Stream())) == [Send(b"open"), Reset()]
    assert list(plan(broken(found, Fault("reset"), 1, WIRE, Stream()), Stream())) == [
        Send(b"opena", 1, "a"),
        Reset(),
    ]


def test_a_gate_stands_where_the_fault_does_not_reach() -> None:
    found = [WireEvent(b"a", 1, "a"), WireEvent(b"b", 1, "b"), WireEvent(b"c", 1, "c")]
    both = held(broken(found, Fault("close"), 2, WIRE, Stream()), 1, "g")

    assert list(plan(both, Stream())) == [Send(b"a", 1, "a"), Hold("g"), Send(b"b", 1, "b"), Close()]


def test_a_slow_trickle_keeps_a_schedule_and_counts_at_the_last_byte() -> None:
    found = [WireEvent(b"aa", 1, "a"), WireEvent(b"bcd", 2, "bc")]
    fault = Fault("trickle", bytes=2, every_ms=10)

    assert list(plan(broken(found, fault, 1, WIRE, Stream()), Stream())) == [
        Send(b"aa", 1, "a"),
        WaitUntil(10),
        Send(b"bc"),
        WaitUntil(20),
        Send(b"d", 2, "bc"),
        Finish(),
    ]


@given(st.text(max_size=40))
def test_raw_text_is_the_same_json_in_plain_utf8(said: str) -> None:
    raw = raw_utf8(json.dumps(said).encode())

    assert json.loads(raw) == said
    if not any(0xD800 <= ord(c) < 0xE000 for c in said):
        assert b"\\u00e" not in raw
        assert (
            re.findall(rb"\\u[0-9a-f]{4}", raw)
            == re.findall(rb"\\u[0-9a-f]{4}", json.dumps(said, ensure_ascii=False).encode())
            or "\x7f" in said
            or "\\u" in said
        )


@given(st.text(min_size=1, max_size=20).filter(lambda s: not s.isascii()))
def test_split_utf8_cuts_inside_every_character_beyond_ascii(said: str) -> None:
    said = said.encode("utf-8", "ignore").decode() or "é"
    if said.isascii():
        said += "é"
    data = f"data: {json.dumps(said)}\n\n".encode()

    got = list(
        plan(broken([WireEvent(data, len(said), said)], Fault("split-utf8"), 0, WIRE, Stream()), Stream())
    )

    pieces = [c.data for c in got if isinstance(c, Send)]
    assert json.loads(b"".join(pieces)[6:]) == said
    assert len(pieces) == 1 + sum(ord(c) > 0x7F for c in said)
    for piece in pieces[:-1]:
        with pytest.raises(UnicodeDecodeError, match="unexpected end of data"):
            piece.lstrip(bytes(range(0x80, 0xC0))).decode()
    assert sum(isinstance(c, Drain) for c in got) == len(pieces) - 1


@pytest.mark.parametrize(
    ("kind", "wire"),
    [
        ("bom", b"\xef\xbb\xbfevent: e\ndata: {}\n\nevent: e\ndata: {}\n\n"),
        ("crlf", b"event: e\r\ndata: {}\r\n\r\n" * 2),
        ("comments", b": keep-alive\n\nevent: e\ndata: {}\n\n" * 2),
        ("ids", b"id: 1\nevent: e\ndata: {}\n\nid: 2\nevent: e\ndata: {}\n\n"),
        ("retry-lines", b"retry: 1000\nevent: e\ndata: {}\n\n" * 2),
        ("no-space", b"event:e\ndata:{}\n\n" * 2),
    ],
)
def test_a_rewrite_changes_lines_and_no_content(kind: str, wire: bytes) -> None:
    found = [WireEvent(b"event: e\ndata: {}\n\n", 1, "x")] * 2

    got = list(plan(broken(found, Fault(kind), 0, WIRE, Stream()), Stream()))

    assert got == [Send(wire, 2, "xx"), Finish()]


@pytest.mark.parametrize("name", NAMES)
def test_an_oversized_event_is_the_same_value_in_megabytes(name: str) -> None:
    turn, stream = Turn((Text("abcdef"),)), Stream(chars_per_delta=3)
    plain = list(events_of(turn, stream, 0, name))
    fault = Fault("oversized-event", 3, megabytes=2)

    made = list(broken(plain, fault, 3, Wire(by_name(name), REQUEST), stream))
    grown = [event for event in made if isinstance(event, WireEvent)]

    assert grown == made
    sizes = [len(after.data) - len(before.data) for before, after in zip(plain, grown, strict=True)]
    assert sorted(sizes)[-2:] == [0, 2 * 2**20]
    big = max(grown, key=lambda event: len(event.data))
    (line,) = (part for part in big.data.split(b"\n") if part.startswith(b"data: "))
    assert json.loads(line[6:])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [k for k in POINTS if k not in {"oversized-event", "trickle"}])
def test_every_dialect_can_have_every_fault_at_every_place(name: str, kind: str) -> None:
    turn, stream = Turn((Text("abcdef"),)), Stream(chars_per_delta=2)
    for offset in range(7):
        events = events_of(turn, stream, offset, name)
        found = list(
            plan(broken(events, Fault(kind, offset), offset, Wire(by_name(name), REQUEST), stream), stream)
        )
        assert sent(found) == ("abcdef"[:offset] if kind in BREAKS else "abcdef")


def test_an_error_answer_has_the_providers_shape_and_the_headers_that_clients_obey() -> None:
    fault = Fault(
        "status",
        status=529,
        message="busy",
        retry_after="0.25",
        retry_after_ms=250,
        should_retry=False,
        headers=(("X-Note", "n"),),
    )
    headers, body = error_answer(fault, by_name("anthropic-messages"))

    assert dict(headers) == {
        "content-type": "application/json",
        "retry-after": "0.25",
        "retry-after-ms": "250",
        "x-should-retry": "false",
        "x-note": "n",
    }
    assert json.loads(body) == {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}


def test_an_error_answer_may_be_no_json_at_all() -> None:
    headers, body = error_answer(Fault("status", status=502, body="<h1>Bad Gateway</h1>"), CHAT)

    assert dict(headers)["content-type"].startswith("text/html")
    assert body == b"<h1>Bad Gateway</h1>"


def test_what_cannot_happen_is_objected_to() -> None:
    turn = Turn((Text("plain"),))

    assert "needs a streamed reply" in objection(Fault("ids"), turn, 5, 0, is_streamed=False)
    assert objection(Fault("reset", 6), turn, 5, 6, is_streamed=True) == (
        "is at 6 characters, and the reply has 5"
    )
    assert "beyond ASCII" in objection(Fault("split-utf8"), turn, 5, 0, is_streamed=True)
    assert objection(Fault("reset", 5), turn, 5, 5, is_streamed=True) == ""
    assert objection(Fault("status"), turn, 5, 0, is_streamed=False) == ""


def parsed(text: str) -> tuple[Any, list[str]]:
    problems = Problems(Source("f.yaml", text))
    node = parse_yaml(problems)
    assert node is not None
    return read(fault_shape.FAULT, node, problems), [problem.message for problem in problems.found]


def test_the_shape_names_every_kind() -> None:
    assert set(fault_shape.NAMES) == set(KINDS)


def test_yaml_reads_as_a_fault() -> None:
    assert parsed("{kind: reset, at: [10, 20], seed: 3, attempts: 0}") == (
        Fault("reset", (10, 20), 0, 3),
        [],
    )
    assert parsed("{kind: status, status: 429, retry_after: 1, headers: {a: b}}")[0] == Fault(
        "status", retry_after="1", headers=(("a", "b"),)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{kind: reset, status: 500}",
            "'status' says nothing of a 'reset' fault; it takes at, attempts, seed",
        ),
        ("{kind: reset, at: [9, 3]}", "expected a range in 'at', got 9 to 3"),
        ("{kind: rest}", "unknown value 'rest'"),
        ("{at: 3}", "missing key 'kind' in a fault"),
    ],
)
def test_a_mistake_in_a_fault_is_named(text: str, message: str) -> None:
    assert parsed(text)[1] == [message]


def test_the_page_on_faults_names_every_kind_with_its_settings() -> None:
    page = (Path(__file__).parents[2] / "docs/faults.md").read_text(encoding="utf-8")
    rows = [line.split(" |")[:3] for line in page.splitlines() if line.startswith("| `")]

    told = {row[0].strip("| `"): set(re.findall(r"`(\w+)`", row[2])) for row in rows}
    assert told == {kind: set(takes) - {"attempts", "seed"} for kind, takes in KINDS.items()}


@pytest.mark.parametrize("offset", [0, 5])
@pytest.mark.parametrize("kind", ["reset", "close", "early-end", "stall", "half-event", "error-event"])
def test_a_gate_at_the_character_of_a_fault_comes_before_it(live: Any, kind: str, offset: int) -> None:
    async def test() -> None:
        fault = Fault(kind, at=offset, for_ms=1.0)
        stream = Stream(hold="gate", hold_after=offset, chars_per_delta=3, fault=fault)
        async with live.serving(live.script("abcdefghij", stream=stream)) as (server, _):
            _, writer = await live.dial(server)
            body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
            writer.write(live.post(body))
            held = await server.wait_for_hold(1, 5)
            assert (held.held_at, held.chars_sent) == ("gate", offset)
            server.release("gate")
            assert (await server.wait_for_end(1, 5)).ended in ("fault", "client-hung-up")

    live.run(test)
