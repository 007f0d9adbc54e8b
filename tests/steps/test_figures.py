"""Which replies were stopped, in figures: whatever either side says, and no opinion."""

from __future__ import annotations

from typing import Any

from harness.figures import stops
from harness.results import Stop
from harness.transcript import RuleRecord


def test_a_reply_that_arrived_whole_is_no_stop(build: Any) -> None:
    assert stops(build.evidence(build.exchange(build.text), saved=(build.message(build.text),))) == ()


def test_a_recorded_stop_has_every_figure(build: Any) -> None:
    evidence = build.evidence(
        build.exchange(build.text, sent=80, ended="client-hung-up"),
        saved=(build.message(build.text[:35], build.marker, stop="aborted"),),
        rules=(build.record(),),
    )
    assert stops(evidence) == (
        Stop(1, "text", "collapse-repetition", "paragraph-repeat", 60, 35, 80, len(build.text)),
    )


def test_a_stop_that_came_too_late_for_a_hang_up_counts_by_the_session_alone(build: Any) -> None:
    evidence = build.evidence(
        build.exchange(build.text), saved=(build.message(build.text[:35]),), rules=(build.record(),)
    )
    (stop,) = stops(evidence)
    assert (stop.fired_at, stop.sent_chars, stop.text_chars) == (60, len(build.text), len(build.text))


def test_an_agent_without_a_session_shows_the_hang_up_alone(build: Any) -> None:
    (stop,) = stops(build.evidence(build.exchange(build.text, sent=80, ended="client-hung-up")))
    assert stop == Stop(1, "text", sent_chars=80, text_chars=len(build.text))


def test_the_stream_is_what_the_record_says_or_else_what_the_turn_is_about(build: Any) -> None:
    thought = build.exchange(build.text, thinking="I think. " * 9, sent=40, ended="client-hung-up")
    saved = (build.message(thinking="I think. ", stop="aborted"),)
    named: RuleRecord = build.record(data={"stream": "thinking"})
    (stop,) = stops(build.evidence(thought, saved=saved, rules=(named,)))
    assert (stop.stream, stop.kept_chars, stop.text_chars) == ("thinking", 9, 81)
    (stop,) = stops(build.evidence(thought, saved=saved, rules=(build.record(),)))
    assert stop.stream == "text"


def test_an_endless_reply_has_no_length(build: Any) -> None:
    turn = build.turn(build.text, until_hang_up=True)
    exchange = build.exchange(turn=turn, sent=500, ended="client-hung-up")
    (stop,) = stops(build.evidence(exchange))
    assert (stop.sent_chars, stop.text_chars) == (500, 0)


def test_each_stopped_reply_is_one(build: Any) -> None:
    cut = {"sent": 80, "ended": "client-hung-up"}
    evidence = build.evidence(
        build.exchange(build.text, **cut), build.exchange("fine"), build.exchange(build.text, **cut)
    )
    assert [stop.reply for stop in stops(evidence)] == [1, 3]
