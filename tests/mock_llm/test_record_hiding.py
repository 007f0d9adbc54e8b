"""Keys that a reply repeats never reach a recording, however they were cut."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mock_llm.record_hiding import MOST_WAITING, Hiding
from mock_llm.redaction import REDACTED

KEY = "sk-sk-secret"


def said(text: str, part: int = 0, kind: str = "say") -> dict[str, Any]:
    return {"at_ms": 1.0, "part": part, kind: text}


def hidden(lines: list[dict[str, Any]], *secrets: str) -> list[dict[str, Any]]:
    hiding = Hiding(secrets or (KEY,))
    return [ready for line in lines for ready in hiding.feed(dict(line))] + hiding.finish()


def cut(text: str, places: list[int]) -> list[str]:
    ends = sorted({0, len(text), *(place % (len(text) + 1) for place in places)})
    return [text[start:end] for start, end in pairwise(ends)]


@given(
    st.lists(st.sampled_from([KEY, "sk-", "s", "secret", "sk-sk-", "other ", "t"]), max_size=8).map("".join),
    st.lists(st.integers(0, 200), max_size=12),
)
def test_a_key_is_hidden_wherever_the_text_is_cut(text: str, places: list[int]) -> None:
    lines = hidden([said(piece) for piece in cut(text, places)])

    assert "".join(line["say"] for line in lines) == text.replace(KEY, REDACTED)
    assert len(lines) == len(cut(text, places))


def test_what_cannot_begin_a_key_is_written_at_once() -> None:
    hiding = Hiding((KEY,))

    assert hiding.feed(said("hello ")) == [said("hello ")]
    assert hiding.feed(said("my sk-")) == []
    assert hiding.feed({"at_ms": 2.0, "usage": {}}) == []
    assert hiding.feed(said("ate")) == [said("my sk-"), {"at_ms": 2.0, "usage": {}}, said("ate")]


def test_parts_that_come_by_turns_are_texts_of_their_own() -> None:
    first, second = said(KEY[:5], 0), said(KEY[5:], 1)

    assert hidden([first, second]) == [first, second]
    assert hidden([first, second, said(KEY[5:], 0)]) == [said(REDACTED), second, said("")]


def test_a_line_does_not_wait_for_ever() -> None:
    hiding = Hiding((KEY,))
    assert hiding.feed(said("s")) == []
    waiting = [hiding.feed(said("x", part)) for part in range(1, MOST_WAITING + 1)]

    assert waiting[:-1] == [[]] * (MOST_WAITING - 1)
    assert len(waiting[-1]) == MOST_WAITING + 1


def test_a_key_that_is_the_mark_itself_is_hidden_too() -> None:
    assert hidden([said("the reda"), said("cted one")], "redacted") == [said("the [redacted]"), said(" one")]
