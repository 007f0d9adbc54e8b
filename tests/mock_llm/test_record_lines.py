"""What the recorder writes of a reply, and that it reads back as the turn that was said."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mock_llm.delivery import Send, WaitUntil, cut, plan
from mock_llm.dialects import NAMES, by_name
from mock_llm.dialects.dialect import Ids
from mock_llm.pace import Beat
from mock_llm.record_files import ExchangeFile
from mock_llm.record_lines import Lines
from mock_llm.recorded import Recorded, read_recorded
from mock_llm.script import Stream
from mock_llm.template import fill
from mock_llm.turn import Refusal, Text, Thinking, ToolCall, Turn, Usage

TURN = Turn(
    (
        Thinking("The user wants both files. "),
        Text("I will read “a” and {nonce}.\n"),
        ToolCall("call_read", "read", '{"path": "a.txt"}'),
        ToolCall("call_list", "bash", '{"command": "ls {nonce}"}'),
    ),
    Usage(31, 27),
    "tool",
)
KEY = "sk-very-secret-1"


def lines_of(
    pieces: Sequence[bytes], name: str, *, kind: str = "text/event-stream", ended: Any = "complete"
) -> list[Any]:
    lines = Lines(name, "POST", "/v1/x?key=" + KEY, {"authorization": "Bearer " + KEY})
    found = [lines.begin(b'{"model": "m"}'), lines.head(5, 200, {"content-type": kind})]
    for number, piece in enumerate(pieces, 1):
        found += lines.feed(10.0 * number, piece)
    return [*found, *lines.end(1000, ended)]


def text_of(lines: Sequence[Any]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def said(recorded: Recorded) -> Turn:
    """The turn as it is played: its texts are templates until then."""
    return fill(recorded.turn, {"nonce": "never filled in"})


def streamed(name: str, turn: Turn = TURN, stream: Stream | None = None) -> bytes:
    request = request_for(name)
    deltas = cut(turn, stream or Stream(chars_per_delta=7))
    return b"".join(event.data for event in by_name(name).encode(turn, deltas, request, Ids(1)))


def request_for(name: str) -> Any:
    body = {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "hello"}],
        "input": "hello",
        "contents": [{"role": "user", "parts": [{"text": "hello"}]}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    path = "/v1/models/m:streamGenerateContent?alt=sse" if name == "gemini" else "/v1/x"
    return by_name(name).parse_request(body, path, {})


@pytest.mark.parametrize("name", NAMES)
@settings(deadline=None)
@given(cuts=st.lists(st.integers(0, 6000), max_size=8))
def test_a_stream_reads_back_as_its_turn_however_it_was_cut(name: str, cuts: list[int]) -> None:
    data = streamed(name)
    places = [0, *sorted(min(place, len(data)) for place in cuts), len(data)]
    pieces = [data[start:end] for start, end in pairwise(places)]

    assert said(read_recorded([text_of(lines_of(pieces, name))])) == TURN


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_reply_reads_back_as_its_turn(name: str) -> None:
    body = by_name(name).encode_whole(TURN, request_for(name), Ids(1))

    recorded = read_recorded([text_of(lines_of([body[:40], body[40:]], name, kind="application/json"))])

    assert said(recorded) == TURN
    assert {beat.at_ms for beat in recorded.stream.recorded} == {1000.0}


@pytest.mark.parametrize("name", ["openai-chat", "openai-responses"])
def test_a_refusal_of_the_model_reads_back(name: str) -> None:
    turn = Turn((Refusal("I cannot help with that."),), Usage(3, 4), "stop")

    assert said(read_recorded([text_of(lines_of([streamed(name, turn)], name))])) == turn


@pytest.mark.parametrize("name", NAMES)
def test_every_prefix_of_a_recording_can_be_read_and_only_grows(name: str) -> None:
    text = text_of(lines_of([streamed(name)[start : start + 90] for start in range(0, 9000, 90)], name))
    first = text.index("\n") + 1

    sizes = [said(read_recorded([text[:end]])).chars for end in range(first, len(text) + 1)]

    assert sizes == sorted(sizes)
    assert (sizes[0], sizes[-1]) == (0, TURN.chars)


def test_the_replay_keeps_the_cut_and_the_times_of_the_recording() -> None:
    turn = Turn((Text("abcdef"),), None)
    events = [
        event.data
        for event in by_name("openai-chat").encode(
            turn, cut(turn, Stream(chars_per_delta=2)), request_for("openai-chat"), Ids(1)
        )
    ]
    recorded = read_recorded([text_of(lines_of(events, "openai-chat"))])

    again = by_name("openai-chat").encode(
        turn, cut(turn, recorded.stream), request_for("openai-chat"), Ids(1)
    )
    commands = list(plan(again, recorded.stream))

    assert recorded.stream.recorded == (Beat(20.0, 2), Beat(30.0, 2), Beat(40.0, 2))
    assert [c.at_ms for c in commands if isinstance(c, WaitUntil)] == [20.0, 30.0, 40.0]
    assert [c.text for c in commands if isinstance(c, Send) and c.text] == ["ab", "cd", "ef"]


def test_keys_are_in_no_line() -> None:
    request = json.dumps({"model": "m", "note": f"my key is {KEY}"}).encode()
    lines = Lines(
        "openai-chat", "POST", f"/v1/chat/completions?key={KEY}", {"Authorization": f"Bearer {KEY}"}
    )
    turn = Turn((Text(f"Your key is {KEY}."),))
    found = [
        lines.begin(request),
        lines.head(1, 200, {"content-type": "text/event-stream", "set-cookie": KEY}),
    ]
    found += lines.feed(2, streamed("openai-chat", turn, Stream()))

    assert KEY not in text_of(found)
    assert "Your key is [redacted]." in text_of(found)


@pytest.mark.parametrize(
    ("status", "events", "ended", "fault"),
    [
        (429, b'{"error": {"message": "slow down"}}', "complete", ("status", 0)),
        (200, b'data: {"choices":[{"delta":{"content":"abc"}}]}\n\n', "complete", ("early-end", 3)),
        (200, b'data: {"choices":[{"delta":{"content":"abc"}}]}\n\n', "upstream-closed", ("close", 3)),
        (200, b'data: {"error":{"message":"Overloaded"}}\n\n', "complete", ("error-event", 0)),
        (200, b'data: {"choices":[{"delta":{"content":"abc"}}]}\n\n', "client-hung-up", None),
        (200, b'data: {"choices":[{"delta":{"content":"abc"}}]}\n\n', "recorder-stopped", None),
    ],
)
def test_what_went_wrong_upstream_goes_wrong_again(
    status: int, events: bytes, ended: Any, fault: tuple[str, int] | None
) -> None:
    lines = Lines("openai-chat", "POST", "/v1/chat/completions", {})
    kind = "text/event-stream" if status == 200 else "application/json"
    found = [lines.begin(b"{}"), lines.head(1, status, {"content-type": kind, "retry-after": "7"})]
    found += [*lines.feed(2, events), *lines.end(3, ended)]

    again = read_recorded([text_of(found)]).stream.fault

    assert (again and (again.kind, again.at)) == fault
    if again is not None and again.kind == "status":
        assert (again.status, again.body, dict(again.headers)["retry-after"]) == (429, events.decode(), "7")


def test_failed_attempts_are_faults_of_the_reply_that_came_in_the_end() -> None:
    refused = Lines("openai-chat", "POST", "/v1/chat/completions", {})
    attempt = text_of([refused.begin(b"{}"), refused.head(1, 503, {}), *refused.end(2, "complete")])

    recorded = read_recorded([attempt, attempt, text_of(lines_of([streamed("openai-chat")], "openai-chat"))])

    assert said(recorded) == TURN
    assert recorded.stream.fault is not None
    assert (recorded.stream.fault.status, recorded.stream.fault.attempts) == (503, 2)


def test_a_compressed_answer_is_read_too() -> None:
    import gzip

    lines = Lines("openai-chat", "POST", "/v1/chat/completions", {})
    head = lines.head(1, 200, {"content-type": "text/event-stream", "content-encoding": "gzip"})
    found = [lines.begin(b"{}"), head, *lines.feed(2, gzip.compress(streamed("openai-chat")))]

    assert said(read_recorded([text_of(found)])) == TURN


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file does not begin with a recorded request"),
        ('{"at_ms": 1}\n', "the file does not begin with a recorded request"),
        ('{"recorded": 1}\nhello\n{"at_ms": 1}\n', "line 2 is no JSON: the file is no recording"),
        ('{"recorded": 1}\n{"part": 0, "call": 3}\n', "a line is not as the recorder writes it"),
        ('{"recorded": 1}\n{"part": 5000, "say": "x"}\n', "part 5000 cannot begin behind 0 parts"),
        ('{"recorded": 1}\n{"part": 0, "args": "x"}\n', "a line is not as the recorder writes it"),
        ('{"recorded": 1}\n{"part": 0, "sang": "x"}\n', "a line is not as the recorder writes it"),
        ('{"recorded": 1}\n{"at_ms": 1}\n', "a line is not as the recorder writes it"),
        ("[]\n", "the file does not begin with a recorded request"),
        ("3\n", "a line is not as the recorder writes it"),
    ],
)
def test_a_file_that_is_no_recording_is_said_to_be_none(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="^" + message):
        read_recorded([text])


def test_a_part_that_never_said_anything_is_none() -> None:
    lines = [{"recorded": 1}, {"at_ms": 1, "part": 2, "say": "a"}, {"at_ms": 2, "part": 0, "say": ""}]

    assert read_recorded([text_of(lines)]).turn.parts == (Text("a"),)


def test_what_is_no_json_is_kept_as_text() -> None:
    lines = Lines("openai-chat", "POST", "/v1/chat/completions", {})
    assert lines.begin(b"hello")["asked"] == "hello"
    lines.head(1, 200, {"content-type": "application/json"})
    list(lines.feed(2, b"<html>"))

    assert list(lines.end(3, "complete")) == [
        {"at_ms": 3, "body": "<html>"},
        {"at_ms": 3, "ended": "early-end"},
    ]


def test_bytes_that_are_not_compressed_as_they_claim_say_nothing() -> None:
    lines = Lines("openai-chat", "POST", "/v1/chat/completions", {})
    lines.head(1, 200, {"content-type": "text/event-stream", "content-encoding": "gzip"})

    assert list(lines.feed(2, b"data: {}\n\n")) == []


def test_an_empty_answer_has_ended_early() -> None:
    lines = Lines("openai-chat", "POST", "/v1/chat/completions", {})
    lines.head(1, 200, {"content-type": "application/json"})

    assert list(lines.end(3, "complete")) == [{"at_ms": 3, "ended": "early-end"}]


def test_half_a_surrogate_pair_can_be_written(tmp_path: Path) -> None:
    file = ExchangeFile(tmp_path / "x.jsonl")
    file.write(
        [{"recorded": 1}, {"at_ms": 1, "part": 0, "say": "\ud83d"}, {"at_ms": 2, "part": 0, "say": "ü"}]
    )
    file.close()

    text = (tmp_path / "x.jsonl").read_text(encoding="utf-8")
    assert text.endswith('"say": "ü"}\n')
    assert read_recorded([text]).turn.parts == (Text("\ud83dü"),)
