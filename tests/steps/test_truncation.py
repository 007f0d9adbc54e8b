from __future__ import annotations

from typing import Any

from harness.steps.arguments import Truncation
from harness.steps.truncation import check
from harness.steps.verdicts import Failed, Passed, Pending

ARGS = Truncation(kept_chars=40, persisted_chars=75)


def _run(build: Any, *texts: str, thinking: str = "", **facts: Any) -> Any:
    exchange = build.exchange(build.text, 66, ended="client-hung-up")
    saved = (build.message(*texts, stop="aborted", thinking=thinking),)
    return build.evidence(facts.pop("exchange", exchange), saved=saved, **facts)


def _failed(verdict: object) -> Failed:
    assert isinstance(verdict, Failed)
    return verdict


def test_the_kept_beginning_and_its_marker_pass_with_both_counts(build: Any) -> None:
    verdict = check(ARGS, _run(build, build.text[:40], build.marker))
    assert verdict == Passed("40 characters kept, 75 persisted with the marker")


def test_each_count_fails_by_itself_when_it_is_one_off(build: Any) -> None:
    evidence = _run(build, build.text[:41], build.marker)
    verdict = _failed(check(ARGS, evidence))
    assert verdict.evidence[:2] == ("kept_chars: 41, not 40", "persisted_chars: 76, not 75")
    assert verdict.expected == "reply 1: 40 characters kept, 75 persisted with the marker"
    only = _failed(check(Truncation(persisted_chars=75), evidence))
    assert only.evidence[0] == "persisted_chars: 76, not 75"


def test_a_missing_marker_fails(build: Any) -> None:
    verdict = _failed(check(Truncation(kept_chars=40), _run(build, build.text[:40])))
    assert verdict.observed == "40 characters kept, 40 persisted and no marker"
    assert verdict.evidence[0] == f"marker: no text block equal to '{build.marker}'"


def test_a_marker_inside_the_kept_text_is_not_the_marker_block(build: Any) -> None:
    assert _failed(check(ARGS, _run(build, build.text[:40] + build.marker)))


def test_a_marker_that_should_not_be_there_fails(build: Any) -> None:
    args = Truncation(kept_chars=40, marker=False)
    assert isinstance(check(args, _run(build, build.text[:40])), Passed)
    assert _failed(check(args, _run(build, build.text[:40], build.marker)))


def test_text_that_the_model_never_sent_fails_at_the_first_difference(build: Any) -> None:
    kept = build.text[:30] + "X" + build.text[31:40]
    verdict = _failed(check(ARGS, _run(build, kept, build.marker)))
    assert verdict.evidence[0] == "the kept text differs from what was sent at character 30:"
    assert "X" in verdict.evidence[1]
    assert "X" not in verdict.evidence[2]


def test_a_tail_instead_of_the_beginning_fails(build: Any) -> None:
    assert _failed(check(ARGS, _run(build, build.text[-40:], build.marker)))


def test_a_reply_that_was_kept_whole_was_not_truncated(build: Any) -> None:
    verdict = _failed(check(ARGS, _run(build, build.text)))
    assert verdict.observed == f"nothing was cut: all {len(build.text)} characters persisted"
    assert _failed(check(Truncation(marker=False), _run(build, build.text)))


def test_a_reply_of_which_the_guard_had_read_no_more_than_was_kept_was_not_truncated(build: Any) -> None:
    """The garbage stands in the session with the marker behind it."""
    evidence = _run(build, build.text[:60], build.marker, rules=(build.record(fired_at=60),))
    verdict = _failed(check(Truncation(), evidence))
    assert verdict.observed == "60 characters kept, 95 persisted with the marker"
    assert verdict.evidence[0] == (
        "the session keeps all that the guard had read when it fired: nothing was cut off"
    )
    assert isinstance(check(Truncation(kept_chars=60), evidence), Passed), "a near copy may stay"
    cut = _run(build, build.text[:40], build.marker, rules=(build.record(fired_at=60),))
    assert isinstance(check(Truncation(), cut), Passed)


def test_what_a_guard_had_read_of_another_stream_says_nothing_of_this_one(build: Any) -> None:
    record = build.record(fired_at=30, data={"stream": "thinking"})
    assert isinstance(
        check(Truncation(), _run(build, build.text[:40], build.marker, rules=(record,))), Passed
    )


def test_a_loop_in_the_thinking_keeps_thinking_and_a_marker_in_text(build: Any) -> None:
    args = ARGS._replace(stream="thinking")
    exchange = build.exchange(thinking=build.text)
    evidence = _run(build, build.marker, thinking=build.text[:40], exchange=exchange)
    assert check(args, evidence) == Passed("40 characters kept, 75 persisted with the marker")
    assert _failed(check(ARGS, evidence))


def test_an_endless_reply_is_compared_over_its_repetitions(build: Any) -> None:
    turn = build.turn("ab ", until_hang_up=True)
    exchange = build.exchange(turn=turn, sent=50, ended="client-hung-up")
    kept = ("ab " * 14)[:40]
    assert isinstance(check(ARGS, _run(build, kept, build.marker, exchange=exchange)), Passed)
    assert _failed(check(ARGS, _run(build, "b" + kept[1:], build.marker, exchange=exchange)))


def test_it_waits_for_the_message_and_fails_when_none_comes(build: Any) -> None:
    evidence = build.evidence(build.exchange(build.text), finished=False)
    assert check(ARGS, evidence) == Pending("assistant message 1 in the session")
    verdict = _failed(check(ARGS, evidence._replace(finished=True)))
    assert verdict.observed == "no session file matched {home}/.agent/*.jsonl; files there: none"
    assert verdict.evidence[0].startswith("wire: reply 1 ended"), "the session is not spoken of twice"


def test_an_agent_without_a_marker_is_said_to_have_none(build: Any) -> None:
    guard = build.guard._replace(truncation_marker="")
    verdict = _failed(check(ARGS, _run(build, build.text[:40], guard=guard)))
    assert "marker: the agent's description has no 'guard.truncation_marker'" in verdict.evidence


def test_a_reply_that_no_turn_answered_cannot_be_compared(build: Any) -> None:
    evidence = _run(build, build.text[:40], build.marker)
    evidence.main[0].turn = None
    verdict = _failed(check(ARGS, evidence))
    assert verdict.evidence[0] == "the kept text cannot be compared: no turn answered this reply"


def test_a_stream_without_the_loop_of_which_nothing_is_kept_fails_and_names_the_other(build: Any) -> None:
    exchange = build.exchange("The answer.", 66, ended="client-hung-up", thinking=build.text)
    saved = (build.message("", build.marker, stop="aborted", thinking=build.text[:40]),)

    def judged(args: Truncation, stream: str) -> object:
        record = build.record(data={"stream": stream})
        return check(args, build.evidence(exchange, saved=saved, rules=(record,)))

    verdict = _failed(judged(Truncation(), "thinking"))
    assert verdict.evidence[:2] == (
        "stream: the rule fired in 'thinking', not in 'text'",
        "'stream: thinking' in the step looks there",
    )
    assert isinstance(judged(Truncation(), "text"), Passed)
    assert isinstance(judged(Truncation(kept_chars=0), "thinking"), Passed)
