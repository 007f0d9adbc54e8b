"""Recordings are read back, and their mistakes are placed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.terminal.cast import Cast, CastError, Event, header, parse_cast, resized

EVENTS = st.lists(
    st.one_of(
        st.builds(Event, st.floats(0, 1e6), st.sampled_from("oi"), st.text()),
        st.builds(
            Event,
            st.floats(0, 1e6),
            st.just("r"),
            st.builds(resized, st.integers(1, 999), st.integers(1, 999)),
        ),
    )
)


def written(columns: int, rows: int, events: list[Event]) -> str:
    lines = [json.dumps(header(columns, rows)), *(json.dumps(list(event)) for event in events)]
    return "\n".join(lines) + "\n"


@given(st.integers(1, 500), st.integers(1, 500), EVENTS)
def test_what_is_written_is_read_back(columns: int, rows: int, events: list[Event]) -> None:
    assert parse_cast(written(columns, rows, events)) == Cast(columns, rows, tuple(events))


def test_a_resize_has_a_size() -> None:
    assert Event(1.0, "r", "120x40").size == (120, 40)


def test_a_line_that_was_cut_off_at_the_end_is_left_out() -> None:
    text = written(80, 24, [Event(0.5, "o", "hello")])
    assert parse_cast(text + '[1.0, "o", "wor').events == (Event(0.5, "o", "hello"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: this is no asciicast of version 2"),
        ('{"version": 3}\n', "line 1: this is no asciicast of version 2"),
        ('{"version": 2, "width": 80}\n', "line 1: no 'width' and 'height'"),
        ('{"version": 2, "width": 80, "height": 24}\nx\n', "line 2: not JSON"),
        (
            '{"version": 2, "width": 80, "height": 24}\n[1, "o"]\n',
            "line 2: not an event [seconds, code, data]",
        ),
        (
            '{"version": 2, "width": 80, "height": 24}\n[1, "r", "0x9"]\n',
            "line 2: not an event [seconds, code, data]",
        ),
    ],
)
def test_a_mistake_is_placed(text: str, message: str) -> None:
    with pytest.raises(CastError) as error:
        parse_cast(text)
    assert str(error.value) == message


@given(st.text())
def test_any_text_is_a_recording_or_refused(text: str) -> None:
    try:
        assert isinstance(parse_cast(text), Cast)
    except CastError:
        return
