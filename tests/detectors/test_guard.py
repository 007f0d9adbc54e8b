"""Which streams a guard reads, which finding wins, and what it remembers."""

from __future__ import annotations

from typing import ClassVar

import pytest

from harness.detectors.finding import Finding
from harness.detectors.guard import Guard
from harness.detectors.mechanisms import MECHANISMS, Mechanism, Profile

PARAGRAPH = "The lighthouse keeper wrote down the wind, the tide and the name of every passing ship.\n\n"
LOOP = PARAGRAPH * 3


class FiresAt:
    """A detector that fires after a number of characters."""

    fires_on: ClassVar[str] = ""
    quiet = 0

    def __init__(self, chars: int, mechanism: str) -> None:
        self.chars = chars
        self.mechanism = mechanism
        self.read = 0

    def feed(self, delta: str) -> Finding | None:
        before, self.read = self.read, self.read + len(delta)
        if before < self.chars <= self.read:
            return Finding("collapse-repetition", self.mechanism, "", 0, 0, self.chars)
        return None

    def finish(self) -> Finding | None:
        return None

    def reset(self) -> None:
        self.read = 0


def row(chars: int, name: str) -> Mechanism:
    return Mechanism(name, "collapse-repetition", detector=lambda: FiresAt(chars, name))


def test_a_loop_is_found_in_text_and_in_thinking() -> None:
    for kind in ("text", "thinking"):
        finding = Guard().feed(0, kind, LOOP)
        assert finding is not None
        assert (finding.anomaly_start, finding.garbage_start, finding.fired_at) == (0, 89, 267)


def test_tool_arguments_may_repeat() -> None:
    assert Guard().feed(0, "tool", LOOP * 10) is None


def test_a_loop_does_not_carry_over_into_the_next_block() -> None:
    guard = Guard()
    assert guard.feed(0, "text", PARAGRAPH * 2) is None
    assert guard.feed(1, "text", PARAGRAPH * 2) is None
    assert guard.feed(1, "thinking", PARAGRAPH * 2) is None


def test_offsets_count_from_the_start_of_the_block() -> None:
    guard = Guard()
    guard.feed(0, "thinking", "A short thought comes first.")
    finding = guard.feed(1, "text", LOOP)
    assert finding is not None
    assert finding.fired_at == len(LOOP)
    assert guard.block == 1


def test_the_first_finding_is_returned_once_and_kept() -> None:
    guard = Guard()
    finding = guard.feed(0, "text", LOOP)
    assert finding is not None
    assert guard.feed(0, "text", LOOP) is None
    assert guard.feed(1, "text", LOOP) is None
    assert guard.finish() is None
    assert guard.finding is finding


def test_a_paragraph_that_has_not_ended_is_not_judged() -> None:
    guard = Guard()
    assert guard.feed(0, "text", LOOP[:-1]) is None
    assert guard.finish() is None
    assert Guard().feed(0, "text", LOOP) is not None


@pytest.mark.parametrize("name", ["collapse-repetition", "paragraph-repeat"])
def test_a_disabled_rule_or_mechanism_does_not_run(name: str) -> None:
    assert Guard(disabled=[name]).feed(0, "text", LOOP) is None


def test_the_earliest_finding_in_the_stream_wins_even_in_one_delta() -> None:
    profile = Profile("test", (row(300, "late"), *MECHANISMS, row(200, "early")))
    finding = Guard(profile=profile).feed(0, "text", LOOP * 2)
    assert finding is not None
    assert finding.mechanism == "early"


def test_the_first_mechanism_of_the_profile_wins_a_tie() -> None:
    for first, second in (("one", "two"), ("two", "one")):
        profile = Profile("test", (row(9, first), row(9, second)))
        finding = Guard(profile=profile).feed(0, "text", "x" * 20)
        assert finding is not None
        assert finding.mechanism == first


def test_paragraph_repeat_wins_over_near_duplicates_in_the_same_paragraph() -> None:
    restated = [
        PARAGRAPH.replace("tide", word) for word in ("moon", "rain", "swell", "fog", "current", "haze")
    ]
    text = PARAGRAPH * 2 + "".join(restated) + PARAGRAPH
    mechanisms = [
        Guard([off]).feed(0, "text", text) for off in ("paragraph-repeat", "near-duplicate-paragraphs")
    ]
    assert len({finding.fired_at for finding in mechanisms if finding}) == 1
    finding = Guard().feed(0, "text", text)
    assert finding is not None
    assert finding.mechanism == "paragraph-repeat"


def test_a_mechanism_for_some_streams_only_does_not_see_the_others() -> None:
    prose = row(5, "prose-only")._replace(streams=frozenset({"text"}))
    guard = Guard(profile=Profile("test", (prose,)))
    assert guard.feed(0, "tool", "0123456789") is None
    assert guard.feed(1, "text", "0123456789") is not None


def test_the_rules_of_a_profile_can_be_listed() -> None:
    every = ("collapse-repetition", "control-token-leak", "repetitive-turns")
    assert Guard().profile.rules == every
    assert Guard(["collapse-repetition"]).profile.rules == every[1:]
