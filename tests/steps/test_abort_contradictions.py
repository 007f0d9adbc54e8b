from __future__ import annotations

from typing import Any

from harness.steps.abort import check
from harness.steps.arguments import Abort
from harness.steps.verdicts import Failed, Passed

ARGS = Abort(rule="collapse-repetition")


def _observed(verdict: object) -> str:
    assert isinstance(verdict, Failed)
    assert verdict.evidence[0] == "the evidence contradicts itself"
    return verdict.observed


def test_a_hang_up_beside_a_message_that_ended_normally(build: Any) -> None:
    exchange = build.exchange(build.text, 66, ended="client-hung-up")
    verdict = check(ARGS, build.evidence(exchange, saved=(build.message(build.text),)))
    total = len(build.text)
    assert _observed(verdict) == (
        f"the client hung up after 66 of {total} characters, but the session says that reply 1 ended with 'stop'"
    )


def test_a_rule_that_fired_beside_a_message_that_ended_normally(build: Any) -> None:
    exchange = build.exchange(build.text)
    evidence = build.evidence(exchange, saved=(build.message(build.text),), rules=(build.record(),))
    assert _observed(check(ARGS, evidence)) == (
        "the session records collapse-repetition / paragraph-repeat at 60, but says that reply 1 ended with 'stop'"
    )


def test_an_offset_past_what_was_sent(build: Any) -> None:
    exchange = build.exchange(build.text, 50, ended="client-hung-up")
    saved = (build.message(build.text[:40], stop="aborted"),)
    evidence = build.evidence(exchange, saved=saved, rules=(build.record(),))
    assert _observed(check(ARGS, evidence)) == (
        "the session says that the guard fired at 60, but only 50 characters were sent"
    )


def test_an_offset_past_the_end_of_its_stream(build: Any) -> None:
    exchange = build.exchange("Short.", thinking=build.text, exact=False)
    saved = (build.message("Short.", stop="aborted"),)
    evidence = build.evidence(exchange, saved=saved, rules=(build.record(),))
    assert _observed(check(ARGS, evidence)) == ("the guard fired at 60, but the text stream has 6 characters")


def test_an_offset_that_fits_another_stream_says_where_to_look(build: Any) -> None:
    exchange = build.exchange("Short.", thinking=build.text, exact=False)
    saved = (build.message("Short.", stop="aborted"),)
    evidence = build.evidence(exchange, saved=saved, rules=(build.record(),))
    verdict = check(ARGS, evidence)
    assert isinstance(verdict, Failed)
    assert verdict.evidence[1] == (
        f"the thinking stream has {len(build.text)} characters: 'stream: thinking' in the step looks there"
    )


def test_a_stream_that_the_session_names_is_the_reason_and_no_contradiction(build: Any) -> None:
    exchange = build.exchange("Short.", thinking=build.text, exact=False)
    saved = (build.message("Short.", stop="aborted"),)
    record = build.record(data={"stream": "thinking"})
    verdict = check(ARGS, build.evidence(exchange, saved=saved, rules=(record,)))
    assert isinstance(verdict, Failed)
    assert verdict.observed.startswith(f"paragraph-repeat fired at 60 of {len(build.text)} characters (")
    assert verdict.evidence[:2] == (
        "stream: it fired in 'thinking', not in 'text'",
        "'stream: thinking' in the step looks there",
    )


def test_a_client_that_went_on_reading_a_paced_stream_did_not_stop(build: Any) -> None:
    def after(seconds: float, **facts: Any) -> Any:
        exchange = build.exchange(build.text, ended_s=seconds, **facts)
        saved = (build.message(build.text[:40], build.marker, stop="aborted"),)
        return check(ARGS, build.evidence(exchange, saved=saved, rules=(build.record(),)))

    total = len(build.text)
    share = (total - 60) / total
    assert f"went on reading for {4.0 * share:.1f} s, all {total} characters" in _observed(after(4.0))
    assert isinstance(after(0.9), Passed)
    assert isinstance(after(4.0, exact=False), Passed)


def test_what_was_sent_before_the_stream_counts_as_read(build: Any) -> None:
    exchange = build.exchange(build.text, thinking="t" * 10_000, ended_s=20.0)
    saved = (build.message(build.text[:40], stop="aborted"),)
    evidence = build.evidence(exchange, saved=saved, rules=(build.record(),))
    assert isinstance(check(ARGS, evidence), Passed)


def test_a_dropped_generation_that_ended_in_an_error_is_no_contradiction(build: Any) -> None:
    exchange = build.exchange(build.text, 66, ended="client-hung-up")
    saved = (build.message(stop="error", error="Degeneration guard"),)
    evidence = build.evidence(exchange, saved=saved, rules=(build.record(),))
    assert isinstance(check(ARGS, evidence), Passed)


def test_without_a_known_end_nothing_is_said_about_further_reading(build: Any) -> None:
    exchange = build.exchange(build.text, ended_s=None)
    saved = (build.message(build.text[:40], build.marker, stop="aborted"),)
    evidence = build.evidence(exchange, saved=saved, rules=(build.record(),))
    assert isinstance(check(ARGS, evidence), Passed)


def test_a_client_that_read_long_past_what_the_session_keeps_did_not_stop(build: Any) -> None:
    """Where the guard fired is not said: it was not before the end of what was kept."""

    def after(seconds: float, **facts: Any) -> Any:
        exchange = build.exchange(build.text, ended_s=seconds, **facts)
        saved = (build.message(build.text[:40], stop="aborted"),)
        return check(Abort(), build.evidence(exchange, saved=saved))

    total = len(build.text)
    share = (total - 40) / total
    assert _observed(after(4.0)) == (
        "the session says that reply 1 was stopped and keeps 40 characters, "
        f"but the client went on reading for {4.0 * share:.1f} s, all {total} characters"
    )
    assert "went on reading" in _observed(after(4.0, ended="cap"))
    assert isinstance(after(0.9), Passed)  # data in flight, or a guard that fired at the end
    assert isinstance(after(4.0, exact=False), Passed)  # sent at once: the client may have read none of it
    assert isinstance(after(4.0, ended="fault"), Passed)


def test_a_reply_that_the_session_left_out_is_not_mistaken_for_the_next_one(build: Any) -> None:
    given_up = build.exchange(build.text, 66, ended="client-hung-up")
    answer = build.exchange("RECOVERED N-7")
    evidence = build.evidence(given_up, answer, saved=(build.message("RECOVERED N-7"),))
    verdict = check(Abort(), evidence)
    assert isinstance(verdict, Passed)  # by the further request
    assert verdict.observed.startswith("reply 1 was stopped, by no named rule (")
