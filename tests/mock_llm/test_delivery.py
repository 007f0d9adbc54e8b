"""Cutting and planning, by properties over arbitrary turns."""

from __future__ import annotations

from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from mock_llm.delivery import (
    COALESCE_BYTES,
    Finish,
    Send,
    WaitUntil,
    as_played,
    cut,
    plan,
    plan_whole,
    total_chars,
)
from mock_llm.dialects.dialect import WireEvent
from mock_llm.script import Stream
from mock_llm.turn import Part, Text, Thinking, ToolCall, Turn, content

texts = st.text(max_size=40)
parts: st.SearchStrategy[Part] = st.one_of(
    texts.map(Text), texts.map(Thinking), texts.map(lambda text: ToolCall("id", "read", text))
)
turns = st.lists(parts, max_size=5).map(lambda found: Turn(tuple(found)))
cuts = st.one_of(
    st.just(Stream()),
    st.integers(1, 60).map(lambda n: Stream(deltas=n)),
    st.integers(1, 60).map(lambda n: Stream(chars_per_delta=n)),
)
events = st.lists(
    st.tuples(st.binary(min_size=1, max_size=9), texts).map(lambda e: WireEvent(e[0], len(e[1]), e[1])),
    max_size=12,
)
pacing = st.builds(
    Stream,
    first_after_ms=st.sampled_from([0, 40]),
    every_ms=st.sampled_from([0, 5]),
    until_hang_up=st.booleans(),
)


@given(turns, cuts)
def test_deltas_join_back_to_the_parts_and_none_is_empty(turn: Turn, stream: Stream) -> None:
    deltas = list(cut(turn, stream))

    assert all(delta.text for delta in deltas)
    assert [delta.part for delta in deltas] == sorted(delta.part for delta in deltas)
    for index, part in enumerate(turn.parts):
        assert "".join(d.text for d in deltas if d.part == index) == content(part)


@given(turns, st.integers(1, 80))
def test_deltas_counts_the_pieces_of_the_whole_turn(turn: Turn, wanted: int) -> None:
    filled = sum(1 for part in turn.parts if content(part))

    found = len(list(cut(turn, Stream(deltas=wanted))))

    assert found == min(max(wanted, filled), turn.chars)


@given(turns, st.integers(1, 80))
def test_the_pieces_of_one_part_differ_by_one_character_at_most(turn: Turn, wanted: int) -> None:
    for index in range(len(turn.parts)):
        sizes = {len(d.text) for d in cut(turn, Stream(deltas=wanted)) if d.part == index}
        assert not sizes or max(sizes) - min(sizes) <= 1


def test_chars_per_delta_leaves_the_rest_to_the_last_piece() -> None:
    deltas = cut(Turn((Text("abcdefgh"),)), Stream(chars_per_delta=3))

    assert [delta.text for delta in deltas] == ["abc", "def", "gh"]


@given(turns, cuts, st.integers(0, 200))
def test_a_runaway_reply_repeats_its_text_up_to_the_cap_exactly(turn: Turn, stream: Stream, cap: int) -> None:
    endless = Stream(stream.deltas, stream.chars_per_delta, until_hang_up=True, cap_chars=cap)

    deltas = list(cut(turn, endless))

    played = "".join(delta.text for delta in deltas)
    assert len(played) == total_chars(turn, endless)
    assert all(delta.text for delta in deltas)
    once = "".join(content(part) for part in turn.parts)
    kind = Text if any(isinstance(p, Text) and p.text for p in turn.parts) else Thinking
    loop = "".join(p.text for p in turn.parts if isinstance(p, kind))
    assert (once + loop * cap)[:cap] == played


def test_a_runaway_reply_is_made_as_it_is_asked_for() -> None:
    endless = Stream(chars_per_delta=4, until_hang_up=True, cap_chars=10**12)

    first = list(islice(cut(Turn((Thinking("why"), Text("loop"))), endless), 4))

    assert [(delta.part, delta.text) for delta in first] == [
        (0, "why"),
        (1, "loop"),
        (1, "loop"),
        (1, "loop"),
    ]


def test_a_runaway_reply_that_reaches_the_cap_stopped_for_length() -> None:
    turn = Turn((Text("loop"),))

    assert as_played(turn, Stream(until_hang_up=True)).stop == "length"
    assert as_played(turn, Stream()) is turn


@given(events, pacing)
def test_a_plan_keeps_every_byte_and_character_in_order(found: list[WireEvent], stream: Stream) -> None:
    commands = list(plan(found, stream))

    sends = [command for command in commands if isinstance(command, Send)]
    assert b"".join(send.data for send in sends) == b"".join(event.data for event in found)
    assert "".join(send.text for send in sends) == "".join(event.text for event in found)
    assert all(send.data and send.chars == len(send.text) for send in sends)
    assert [c for c in commands if isinstance(c, Finish)] == [commands[-1]]


@given(events, pacing)
def test_deadlines_count_from_the_start_and_never_go_back(found: list[WireEvent], stream: Stream) -> None:
    commands = list(plan(found, stream))

    deadlines = [command.at_ms for command in commands if isinstance(command, WaitUntil)]
    assert deadlines == sorted(deadlines)
    if stream.every_ms:
        filled = sum(1 for event in found if event.chars)
        schedule = [stream.first_after_ms + k * stream.every_ms for k in range(filled)]
        assert deadlines == [at_ms for at_ms in schedule if at_ms > 0]


@given(events)
def test_a_paced_delta_travels_alone(found: list[WireEvent]) -> None:
    sends = [c for c in plan(found, Stream(every_ms=5)) if isinstance(c, Send) and c.chars]

    assert [send.text for send in sends] == [event.text for event in found if event.chars]


def test_a_paced_plan_reads_as_a_transcript() -> None:
    found = [
        WireEvent(b"<", 0),
        WireEvent(b"a", 1, "a"),
        WireEvent(b"-"),
        WireEvent(b"b", 1, "b"),
        WireEvent(b">"),
    ]

    assert list(plan(found, Stream(first_after_ms=100, every_ms=10))) == [
        Send(b"<"),
        WaitUntil(100),
        Send(b"a", 1, "a"),
        WaitUntil(110),
        Send(b"-b", 1, "b"),
        Send(b">"),
        Finish("complete"),
    ]


def test_an_unpaced_reply_leaves_in_one_write_and_a_long_one_in_few() -> None:
    short = [WireEvent(b"x" * 100, 1, "x")] * 10
    long = [WireEvent(b"x" * 100, 1, "x")] * 4000

    assert len(list(plan(short, Stream()))) == 2
    writes = [command.data for command in plan(long, Stream()) if isinstance(command, Send)]
    assert len(writes) == -(-400_000 // COALESCE_BYTES)
    assert max(map(len, writes)) < COALESCE_BYTES + 100


def test_a_whole_reply_waits_for_its_first_deadline_only() -> None:
    assert list(plan_whole(b"{}", "hi", Stream(first_after_ms=30, every_ms=5))) == [
        WaitUntil(30),
        Send(b"{}", 2, "hi"),
        Finish("complete"),
    ]


def test_a_runaway_plan_ends_at_the_cap() -> None:
    assert list(plan([], Stream(until_hang_up=True))) == [Finish("cap")]
