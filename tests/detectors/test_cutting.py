"""Properties of every incremental machine here: cuts, reset, memory and cost."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import pairwise
from types import FrameType
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from harness.detectors.bounded_text import BoundedText
from harness.detectors.guard import Guard
from harness.detectors.near_duplicate import NearDuplicateParagraphs
from harness.detectors.paragraph_repeat import ParagraphRing
from harness.detectors.paragraphs import Paragraph, ParagraphSplitter, is_eligible

LINES = (
    "",
    "",
    " \t",
    "The importer reads the ledger once and keeps the totals of every branch in memory.",
    "The importer reads the journal once and keeps the totals of every branch in memory.",
    "Nobody had looked at the boiler since the winter, so the pressure valve was stuck open.",
    "```python",
    "```",
    "~~~~",
    "    return totals;",
    "  - a nested item of a list with enough words to be counted as prose",
    "🙂 короткая строка без точки",
    "-" * 70,
)
texts = st.lists(
    st.tuples(st.sampled_from(LINES), st.sampled_from(("\n", "\n", "\n", "\r\n", "\r"))), max_size=60
).map(lambda lines: "".join(line + end for line, end in lines))
cuts = st.lists(st.integers(0, 4000), max_size=12)


def pieces_of(text: str, at: list[int]) -> list[str]:
    edges = [0, *sorted(min(cut, len(text)) for cut in at), len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


def split(pieces: list[str], cap: int) -> list[Paragraph]:
    splitter = ParagraphSplitter(cap)
    return [paragraph for piece in pieces for paragraph in splitter.feed(piece)]


@given(texts, cuts, st.sampled_from((1, 7, 100, 16_384)))
@example("x" * 300 + "\n\n", [99, 100, 101, 102], 100)
def test_cuts_never_change_the_paragraphs(text: str, at: list[int], cap: int) -> None:
    assert split(pieces_of(text, at), cap) == split([text], cap) == split(list(text), cap)


@given(texts.map(lambda text: text.replace("\r", "")), cuts, st.sampled_from((1, 7, 100, 16_384)))
@example("x" * 300 + "\n\n", [100, 101, 102, 300, 301], 100)
def test_a_paragraph_is_the_same_whatever_its_lines_end_with(text: str, at: list[int], cap: int) -> None:
    crlf = split(pieces_of(text.replace("\n", "\r\n"), at), cap)
    assert [(p.text, p.is_fenced) for p in crlf] == [(p.text, p.is_fenced) for p in split([text], cap)]


@given(texts)
def test_paragraphs_are_the_stretches_between_blank_lines(text: str) -> None:
    for paragraph in split([text], 16_384):
        stretch = text[paragraph.start : paragraph.end]
        *lines, blank = stretch.split("\n")[:-1]
        assert not blank.strip()
        assert "\n".join(line.removesuffix("\r") for line in lines) == paragraph.text
        assert all(line.strip() for line in lines)


@given(st.lists(texts, min_size=1, max_size=3), cuts)
def test_cuts_never_change_the_finding(parts: list[str], at: list[int]) -> None:
    text = "".join(parts) * 3
    whole = Guard()
    expected = whole.feed(0, "text", text)
    guard = Guard()
    found = [guard.feed(0, "text", piece) for piece in pieces_of(text, at)]
    assert [finding for finding in found if finding] == ([expected] if expected else [])
    assert guard.finding == whole.finding


@given(texts, texts)
def test_a_guard_after_reset_equals_a_new_one(before: str, after: str) -> None:
    used = Guard()
    used.feed(0, "text", before * 4)
    used.reset()
    assert used.feed(0, "text", after * 4) == Guard().feed(0, "text", after * 4)


@given(texts, texts)
def test_a_splitter_after_reset_equals_a_new_one(before: str, after: str) -> None:
    splitter = ParagraphSplitter(cap=50)
    splitter.feed(before)
    splitter.reset()
    assert list(splitter.feed(after)) == split([after], 50)


@given(st.text(max_size=60), st.text(max_size=60), st.integers(0, 20), cuts)
def test_bounded_texts_are_equal_exactly_when_the_texts_are(a: str, b: str, cap: int, at: list[int]) -> None:
    def value(pieces: list[str]) -> str:
        bounded = BoundedText(cap)
        for piece in pieces:
            bounded.add(piece)
        return bounded.value()

    assert value(pieces_of(a, at)) == value([a])
    both_blank = not (a + b).strip()
    assert (value([a]) == value([b])) == (a == b) or both_blank


def test_an_endless_line_stays_within_the_cap() -> None:
    splitter = ParagraphSplitter(cap=1000)
    for _ in range(2000):
        splitter.feed("no newline in sight ")
    assert splitter._long is not None
    held = sum(map(len, splitter._pieces)) + sum(map(len, splitter._long._pieces))
    assert held <= 2020


def test_an_endless_paragraph_stays_within_the_cap_and_still_has_an_identity() -> None:
    body = "".join(f"line {n} of a paragraph that never ends\n" for n in range(2000))
    splitter = ParagraphSplitter(cap=1000)
    splitter.feed(body)
    assert splitter._body is not None
    assert sum(map(len, splitter._body._pieces)) <= 1000
    first, second, other = splitter.feed("\n" + body + "\n" + body[:-2] + "\n\n")
    assert first.text == second.text != other.text
    assert len(first.text) < 1200


def numbered(count: int) -> list[Paragraph]:
    names = "abcdefghijklmnop"
    text = "".join(
        " ".join(f"{names[n >> 4 & 15]}{names[n & 15]}{names[k]}{n}x" for k in range(16)) + "\n\n"
        for n in range(count)
    )
    return list(ParagraphSplitter().feed(text))


def test_the_ring_and_the_lookback_stay_within_their_windows() -> None:
    ring, near = ParagraphRing(), NearDuplicateParagraphs()
    for paragraph in numbered(500):
        assert is_eligible(paragraph.text)
        assert ring.judge([paragraph]) is None
        near.judge([paragraph])
    assert len(ring._ring) == len(ring._starts) == 64
    assert len(near._remembered) == 32 + 12


def calls_of(work: Callable[[], object]) -> int:
    """How many Python and built-in functions some work calls."""
    count = 0

    def note(_frame: FrameType, event: str, _arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_cost_grows_with_the_text_and_not_faster() -> None:
    text = "".join(paragraph.text + "\n\n" for paragraph in numbered(400))
    deltas = [text[at : at + 20] for at in range(0, len(text), 20)]

    def read(part: list[str]) -> None:
        guard = Guard(disabled=["near-duplicate-paragraphs"])
        for delta in part:
            guard.feed(0, "text", delta)

    half, whole = (calls_of(lambda part=part: read(part)) for part in (deltas[: len(deltas) // 2], deltas))  # type: ignore[misc]
    assert whole <= 2.1 * half


def test_a_paragraph_is_compared_with_the_lookback_at_most(monkeypatch: Any) -> None:
    compared = 0

    def count(_left: frozenset[str], _right: frozenset[str]) -> float:
        nonlocal compared
        compared += 1
        return 0.0

    monkeypatch.setattr("harness.detectors.near_duplicate._jaccard", count)
    near = NearDuplicateParagraphs()
    (paragraph,) = numbered(1)
    for _ in range(100):
        near.judge([paragraph])
    # Five of twelve known to be no echoes rule a finding out, so only as many are looked at.
    looked_at = [n for n in range(7, 100) if n % 12 in {7, 8, 9, 10, 11}]
    assert compared == sum(min(n, 32) for n in looked_at)
