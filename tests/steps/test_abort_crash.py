"""A crash hangs up too: what tells it from a guard that stopped the reply."""

from __future__ import annotations

from typing import Any

import pytest

from harness.evidence import SessionSource
from harness.steps.abort import check
from harness.steps.arguments import Abort, Silent
from harness.steps.silent import check as check_silent
from harness.steps.verdicts import Failed, Passed, Pending

NO_SESSION = SessionSource(is_kept=False)
ANY = Abort()


def _cut(build: Any, sent: int = 30, **facts: Any) -> Any:
    """A run in which the client hung up on reply 1 and nothing was saved."""
    return build.evidence(build.exchange(build.text, sent, ended="client-hung-up"), **facts)


def _observed(verdict: object) -> str:
    assert isinstance(verdict, Failed)
    return verdict.observed


@pytest.mark.parametrize(
    ("code", "words"), [(3, "exited with 3"), (0, "exited with 0"), (-9, "was ended by signal 9")]
)
@pytest.mark.parametrize("session", [SessionSource(), NO_SESSION])
def test_an_agent_that_ends_with_its_hang_up_has_stopped_nothing(
    build: Any, session: SessionSource, code: int, words: str
) -> None:
    evidence = _cut(build, exit_code=code, session=session)
    assert _observed(check(ANY, evidence)) == f"the agent {words} while reply 1 was streamed"


def test_in_a_terminal_it_is_not_said_when_the_agent_ended_for_it_may_have_been_asked_to(build: Any) -> None:
    evidence = _cut(build, exit_code=0, driven={"type": Passed("typed")})
    said = "the agent hung up on reply 1, made no further request, and exited with 0"
    assert _observed(check(ANY, evidence)) == said


def test_a_step_for_silence_calls_it_by_the_same_name(build: Any) -> None:
    evidence = _cut(build, exit_code=3)
    assert _observed(check_silent(Silent(), evidence)) == "the agent exited with 3 while reply 1 was streamed"


def test_a_rule_in_the_session_proves_the_stop_also_when_the_agent_then_ends(build: Any) -> None:
    saved = (build.message(build.text[:20], build.marker, stop="aborted"),)
    evidence = _cut(build, 66, saved=saved, rules=(build.record(),), exit_code=1)
    assert isinstance(check(ANY, evidence), Passed)


def test_a_rule_whose_message_was_not_saved_any_more_proves_it_too(build: Any) -> None:
    evidence = _cut(build, 66, saved=(), rules=(build.record(),), exit_code=1)
    assert "exited" not in _observed(check(Abort(rule="collapse-repetition"), evidence))


def test_a_rule_that_stopped_an_earlier_reply_says_nothing_of_the_crash_in_a_later_one(build: Any) -> None:
    saved = (build.message(build.text[:20], stop="aborted"), build.message("half", stop="stop"))
    first = build.exchange(build.text, 66, ended="client-hung-up")
    second = build.exchange(build.text, 30, ended="client-hung-up")
    evidence = build.evidence(first, second, saved=saved, rules=(build.record(),), exit_code=3)
    assert isinstance(check(ANY, evidence), Passed)
    assert _observed(check(Abort(reply=2), evidence)) == "the agent exited with 3 while reply 2 was streamed"


def test_without_a_session_another_request_proves_the_stop(build: Any) -> None:
    first = build.exchange(build.text, 30, ended="client-hung-up")
    evidence = build.evidence(first, build.exchange("RECOVERED"), exit_code=0, session=NO_SESSION)
    verdict = check(Abort(rule="collapse-repetition"), evidence)
    assert verdict == Passed(
        "reply 1 was stopped, by no named rule "
        "(session: this agent keeps none; client hung up after 30 characters)"
    )


def test_a_side_request_after_the_hang_up_proves_that_the_agent_lives(build: Any) -> None:
    title = build.exchange("ok", lane="title", started_s=0.9)
    evidence = build.evidence(
        build.exchange(build.text, 30, ended="client-hung-up"), title, exit_code=0, session=NO_SESSION
    )
    assert isinstance(check(ANY, evidence), Passed)
    title.started_s = 0.1
    assert "exited with 0" in _observed(check(ANY, evidence))


def test_what_the_agent_prints_about_its_stop_proves_it_when_it_ends_normally(build: Any) -> None:
    guard = build.guard._replace(output_marker="stopped a loop")
    told = {"guard": guard, "output": "... stopped a loop\n", "session": NO_SESSION}
    assert isinstance(check(ANY, _cut(build, exit_code=0, **told)), Passed)
    assert "exited with 1" in _observed(check(ANY, _cut(build, exit_code=1, **told)))


def test_a_reply_that_was_sent_at_once_did_not_arrive_at_an_agent_that_then_failed(build: Any) -> None:
    evidence = build.evidence(build.exchange(build.text, exact=False), exit_code=3)
    total = len(build.text)
    assert _observed(check(ANY, evidence)) == (
        f"guard did not fire: all {total} characters were sent, and then the agent exited with 3"
    )


@pytest.mark.parametrize("word", ["aborted", "interrupted", "cancelled"])
def test_the_session_may_use_another_word_for_a_stopped_message(build: Any, word: str) -> None:
    saved = (build.message(build.text[:20], stop=word),)
    assert isinstance(check(ANY, _cut(build, saved=saved, exit_code=1)), Passed)


def test_without_a_session_it_waits_for_what_the_agent_does_next(build: Any) -> None:
    evidence = _cut(build, session=NO_SESSION)._replace(finished=False)
    assert check(ANY, evidence) == Pending("what the agent does after the hang-up")


def test_a_guard_cannot_have_fired_behind_what_was_sent(build: Any) -> None:
    first = build.exchange(build.text, 30, ended="client-hung-up")
    evidence = build.evidence(first, build.exchange("RECOVERED"), exit_code=0, session=NO_SESSION)
    verdict = check(Abort(fired_at=60), evidence)
    assert isinstance(verdict, Failed)
    assert verdict.evidence[0] == "fired_at: only 30 characters were sent"
    assert isinstance(check(Abort(fired_at=30), evidence), Passed)


def test_a_word_that_is_not_known_for_a_stop_is_answered_with_those_that_are(build: Any) -> None:
    saved = (build.message(build.text[:20], stop="halted"),)
    verdict = check(ANY, _cut(build, 66, saved=saved, rules=(build.record(),), exit_code=0))
    assert _observed(verdict).endswith("but says that reply 1 ended with 'halted'")
    assert isinstance(verdict, Failed)
    assert verdict.evidence[:2] == (
        "the evidence contradicts itself",
        "stop reasons of a stopped message: 'aborted', 'cancelled', 'interrupted'",
    )
