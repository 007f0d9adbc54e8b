"""Cuts: the same deltas one by one and in runs."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from mock_llm.delivery import COALESCE_BYTES, MAX_BATCH, Send, cut, plan
from mock_llm.dialects import NAMES, by_name
from mock_llm.dialects.dialect import Ids
from mock_llm.script import Stream
from mock_llm.turn import Text, Thinking, Turn

texts = st.text(max_size=60)
turns = st.lists(texts.map(Text) | texts.map(Thinking), max_size=4).map(lambda parts: Turn(tuple(parts)))
streams = st.integers(1, 9).map(lambda n: Stream(chars_per_delta=n)) | st.integers(1, 90).map(
    lambda n: Stream(deltas=n)
)


@given(turns, streams, st.integers(1, 7))
def test_runs_are_the_deltas_in_order_and_no_longer_than_asked(turn: Turn, stream: Stream, most: int) -> None:
    cuts = cut(turn, stream)
    runs = [(index, list(lists)) for index, lists in cuts.runs(most)]  # type: ignore[attr-defined]

    assert [(i, text) for i, lists in runs for texts in lists for text in texts] == list(cuts)
    assert all(0 < len(texts) <= most for _, lists in runs for texts in lists)


@given(turns, streams, st.sampled_from(NAMES))
def test_what_is_joined_is_byte_for_byte_what_is_sent_one_by_one(
    turn: Turn, stream: Stream, name: str
) -> None:
    dialect = by_name(name)
    body = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "q"}], "input": "q"}
    gemini = {"contents": [{"role": "user", "parts": [{"text": "q"}]}]}
    request = dialect.parse_request({**body, **gemini}, "/v1beta/models/m:streamGenerateContent?alt=sse", {})

    one_by_one = dialect.encode(turn, iter(cut(turn, stream)), request, Ids(1), 1)
    joined = dialect.encode(turn, cut(turn, stream), request, Ids(1), MAX_BATCH)

    assert b"".join(e.data for e in joined) == b"".join(e.data for e in one_by_one)


def test_a_long_text_is_never_in_memory_as_deltas() -> None:
    cuts = cut(Turn((Text("x" * 10**6),)), Stream(chars_per_delta=1))
    tracemalloc.start()

    count = sum(1 for _ in cuts)

    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 10**6
    assert peak_bytes < 100_000


def test_a_long_reply_leaves_in_writes_that_do_not_grow_with_it() -> None:
    dialect = by_name("openai-chat")
    request = dialect.parse_request({"model": "m", "messages": [{"role": "user", "content": "q"}]}, "/", {})
    for length in (10_000, 1_000_000):
        turn, stream = Turn((Text("abcdefghij" * (length // 10)),)), Stream(chars_per_delta=10)
        events = dialect.encode(turn, cut(turn, stream), request, Ids(1), MAX_BATCH)
        sizes = [len(c.data) for c in plan(events, stream) if isinstance(c, Send)]
        assert max(sizes) < COALESCE_BYTES + MAX_BATCH * 300
