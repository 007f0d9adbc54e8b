"""Replies that restate the one before: whole, in mid-stream, and after a restart."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.detectors.guard import Guard
from harness.detectors.mechanisms import PUBLISHED
from harness.detectors.turns import RepetitiveTurns

STATUS = (
    "The build of the release branch is still running on the shared worker, so I wait for it and look again."
)
OTHER = (
    "Nobody had opened the window since autumn, and the room smelled of paint, dust and cold tobacco smoke."
)


def watcher(*replies: str) -> RepetitiveTurns:
    turns = PUBLISHED.turns(replies)
    assert turns is not None
    return turns


def fires(*replies: str) -> list[bool]:
    turns = RepetitiveTurns()
    return [turns.remember(reply) is not None for reply in replies]


def test_the_third_near_copy_fires_once_and_a_dissimilar_reply_arms_the_rule_again() -> None:
    assert fires(STATUS, STATUS, STATUS, STATUS, OTHER, STATUS, STATUS, STATUS) == [
        *(False, False, True, False),
        *(False, False, False, True),
    ]


def test_short_replies_are_passed_over() -> None:
    assert fires(STATUS, "ok", STATUS, "Done, as asked.", STATUS)[-1]
    assert not any(fires(*["Still waiting for it."] * 5))


def test_numbers_and_hashes_make_no_difference() -> None:
    assert fires(*(f"{STATUS} Run {n}, commit {n * 7:07x}ab." for n in range(3)))[-1]


def test_in_mid_stream_the_rule_fires_when_enough_of_a_copy_has_arrived() -> None:
    guard = Guard(turns=watcher(STATUS, STATUS))
    found = [guard.feed(0, "text", char) for char in STATUS]
    (finding,) = filter(None, found)
    assert found.index(finding) + 1 == finding.fired_at == finding.garbage_start < len(STATUS)
    assert STATUS[finding.fired_at - 1] == " "
    assert finding.rule == finding.mechanism == "repetitive-turns"
    assert 0.55 <= finding.details["similarity"] < 0.65  # type: ignore[operator]
    assert finding.details["streak"] == 3


@given(st.lists(st.integers(0, 110), max_size=8))
def test_cuts_never_change_where_it_fires(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(STATUS)]
    guard, whole = Guard(turns=watcher(STATUS, STATUS)), Guard(turns=watcher(STATUS, STATUS))
    found = [guard.feed(0, "text", STATUS[a:b]) for a, b in pairwise(edges)]
    assert list(filter(None, found)) == [whole.feed(0, "text", STATUS)]


def test_offsets_count_in_the_block_in_which_it_fires() -> None:
    whole = Guard(turns=watcher(STATUS, STATUS)).feed(0, "text", STATUS)
    guard = Guard(turns=watcher(STATUS, STATUS))
    assert guard.feed(0, "text", STATUS[:30]) is None
    assert guard.feed(1, "thinking", STATUS) is None
    finding = guard.feed(2, "text", STATUS[30:])
    assert whole is not None
    assert finding is not None
    assert (guard.block, finding.fired_at) == (2, whole.fired_at - 30)


def test_what_fired_in_mid_stream_does_not_fire_again_when_it_is_remembered() -> None:
    turns = watcher(STATUS, STATUS)
    finding = Guard(turns=turns).feed(0, "text", STATUS)
    assert finding is not None
    assert turns.remember(STATUS[: finding.fired_at]) is None
    assert Guard(turns=turns).feed(0, "text", STATUS) is None


def test_a_guard_that_has_the_rule_off_or_no_replies_to_compare_with_is_silent() -> None:
    assert Guard(["repetitive-turns"], turns=watcher(STATUS, STATUS)).feed(0, "text", STATUS) is None
    assert Guard().feed(0, "text", STATUS) is None
    assert PUBLISHED.without("repetitive-turns").turns([STATUS]) is None


@pytest.mark.parametrize("restart", range(8))
def test_the_rule_survives_a_restart_at_any_reply(restart: int) -> None:
    path = Path(__file__).parent / "vectors" / "parity-turns.jsonl"
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        replies = row["replies"]
        turns = watcher(*replies[:restart])
        found = [n for n in range(restart, len(replies)) if turns.remember(replies[n])]
        assert [n + 1 for n in found] == [fire["turn"] for fire in row["fires"] if fire["turn"] > restart]


def test_only_the_last_replies_are_needed_after_a_restart() -> None:
    assert (
        watcher(*[STATUS] * 3, *[OTHER] * 2, *["ok"] * 6).is_armed
        is watcher(*[OTHER] * 2, *["ok"] * 6).is_armed
    )


@pytest.mark.parametrize(
    ("options", "message"), [({"min_streak": 1}, "min_streak is 1"), ({"history": 2}, "history is 2")]
)
def test_numbers_that_do_not_go_together_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RepetitiveTurns(**options)
