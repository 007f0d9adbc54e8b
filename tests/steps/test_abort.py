from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.steps.abort import check
from harness.steps.arguments import Abort
from harness.steps.verdicts import Failed, Passed, Pending

ARGS = Abort(rule="collapse-repetition", mechanism="paragraph-repeat", within_chars=80)


def _stopped(build: Any, **facts: Any) -> Any:
    """A reply that the guard stopped at 60; the client hung up after 66 characters."""
    exchange = build.exchange(build.text, facts.pop("sent", 66), ended="client-hung-up", **facts)
    saved = (build.message(build.text[:40], build.marker, stop="aborted"),)
    return build.evidence(exchange, saved=saved, rules=(build.record(),))


def test_a_stop_seen_on_both_sides_passes_with_both_figures(build: Any) -> None:
    total = len(build.text)
    assert check(ARGS, _stopped(build)) == Passed(
        f"paragraph-repeat fired at 60 of {total} characters (session; client hung up after 66 characters)"
    )


def test_a_count_that_is_only_a_bound_is_said_to_be_one(build: Any) -> None:
    verdict = check(ARGS, _stopped(build, exact=False))
    assert isinstance(verdict, Passed)
    assert "client hung up after at most 66 characters" in verdict.observed


def test_where_everything_was_sent_at_once_it_is_the_sessions_word_and_the_step_says_so(build: Any) -> None:
    total = len(build.text)
    evidence = _stopped(build)
    evidence.main[0].ended, evidence.main[0].chars_sent, evidence.main[0].exact = "complete", total, False
    verdict = check(ARGS, evidence)
    assert isinstance(verdict, Passed)
    words = f"the wire cannot tell, as all {total} characters were sent at once: 'every_ms' paces them"
    assert f"(session; {words})" in verdict.observed
    evidence.main[0].exact = True
    verdict = check(ARGS, evidence)
    assert isinstance(verdict, Passed)
    assert f"(session; all {total} characters were sent before a hang-up could show)" in verdict.observed


def test_a_whole_reply_fails_and_says_whether_the_agent_has_a_guard_at_all(build: Any) -> None:
    total = len(build.text)
    evidence = build.evidence(build.exchange(build.text), saved=(build.message(build.text),))
    verdict = check(ARGS, evidence)
    assert isinstance(verdict, Failed)
    assert verdict.observed == f"guard did not fire: all {total} characters arrived"
    assert verdict.expected == (
        "reply 1 stopped by collapse-repetition / paragraph-repeat, within 80 characters"
    )
    unguarded = check(ARGS, evidence._replace(guard=build.guard._replace(rules=())))
    assert isinstance(unguarded, Failed)
    assert unguarded.observed == f"no guard: all {total} characters arrived"


def test_an_endless_reply_that_nobody_stops_fails_at_the_models_cap(build: Any) -> None:
    turn = build.turn(build.text, until_hang_up=True)
    exchange = build.exchange(turn=turn, sent=200_000, ended="cap")
    verdict = check(ARGS, build.evidence(exchange, saved=(build.message(build.text),)))
    assert isinstance(verdict, Failed)
    assert verdict.observed == (
        "guard did not fire: the model stopped at its own cap after 200,000 characters"
    )


def test_another_rule_or_mechanism_fails_and_is_named(build: Any) -> None:
    for args, reason in (
        (ARGS._replace(rule="repetitive-turns"), "rule: 'collapse-repetition' fired, not 'repetitive-turns'"),
        (ARGS._replace(mechanism="line-cycle"), "mechanism: 'paragraph-repeat', not 'line-cycle'"),
        (ARGS._replace(fired_at=61), "fired_at: 60, not 61"),
        (ARGS._replace(fired_at=1042), "fired_at: 60, not 1,042"),
        (ARGS._replace(within_chars=59), "within_chars: 1 character too late"),
    ):
        verdict = check(args, _stopped(build))
        assert isinstance(verdict, Failed)
        assert verdict.evidence[0] == reason
        assert "at 60 of" in verdict.observed


def test_a_rule_of_another_name_stands_in_the_observed_text(build: Any) -> None:
    verdict = check(ARGS._replace(rule="repetitive-turns"), _stopped(build))
    assert isinstance(verdict, Failed)
    assert verdict.observed.startswith("collapse-repetition / paragraph-repeat fired at 60")


def test_the_limit_and_the_exact_offset_include_their_own_figure(build: Any) -> None:
    assert isinstance(check(ARGS._replace(within_chars=60, fired_at=60), _stopped(build)), Passed)


def test_without_an_offset_in_the_session_the_limit_holds_for_the_wire(build: Any) -> None:
    evidence = _stopped(build)
    rules = (build.record(fired_at=None),)
    evidence = evidence._replace(transcript=replace(evidence.transcript, rules=rules))
    assert isinstance(check(ARGS._replace(within_chars=66), evidence), Passed)
    assert isinstance(check(ARGS._replace(within_chars=65), evidence), Failed)


def test_a_figure_that_the_session_leaves_out_fails_unless_the_agent_is_known_for_it(build: Any) -> None:
    evidence = _stopped(build)
    rules = (build.record(mechanism=None),)
    evidence = evidence._replace(transcript=replace(evidence.transcript, rules=rules))
    verdict = check(ARGS, evidence)
    assert isinstance(verdict, Failed)
    assert verdict.evidence[:2] == (
        "mechanism: the session does not state it",
        "leave 'mechanism' out, or list it in 'guard: unrecorded' of the description",
    )
    guard = build.guard._replace(unrecorded=("mechanism",))
    assert isinstance(check(ARGS, evidence._replace(guard=guard)), Passed)


def test_an_abort_without_a_record_cannot_be_given_to_a_rule(build: Any) -> None:
    evidence = _stopped(build)
    evidence = evidence._replace(transcript=replace(evidence.transcript, rules=()))
    verdict = check(ARGS, evidence)
    assert isinstance(verdict, Failed)
    assert verdict.evidence[0] == "no record in the session names the rule"
    assert verdict.evidence[1].startswith(
        "let the session record it (docs/agents.md, 'What a step needs'), or "
    )
    assert "leave 'rule' and 'mechanism'" in verdict.evidence[1]
    assert isinstance(check(Abort(within_chars=66), evidence), Passed)


def test_a_hang_up_without_a_session_names_no_rule(build: Any) -> None:
    evidence = _stopped(build)._replace(transcript=None)
    assert isinstance(check(ARGS, evidence), Failed)
    verdict = check(Abort(), evidence)
    assert isinstance(verdict, Passed)
    assert "no session names the rule; client hung up after 66 characters" in verdict.observed


def test_a_finding_in_the_other_stream_fails(build: Any) -> None:
    evidence = _stopped(build)
    rules = (build.record(data={"stream": "thinking"}),)
    evidence = evidence._replace(transcript=replace(evidence.transcript, rules=rules))
    verdict = check(ARGS, evidence)
    assert isinstance(verdict, Failed)
    assert verdict.evidence[0] == "stream: it fired in 'thinking', not in 'text'"


def test_a_loop_in_the_thinking_is_measured_by_the_thinking(build: Any) -> None:
    exchange = build.exchange("Short.", 66, thinking=build.text, ended="client-hung-up")
    saved = (build.message(build.marker, thinking=build.text[:40], stop="aborted"),)
    rules = (build.record(data={"stream": "thinking"}),)
    verdict = check(ARGS._replace(stream="thinking"), build.evidence(exchange, saved=saved, rules=rules))
    assert isinstance(verdict, Passed)
    assert f"at 60 of {len(build.text)} characters" in verdict.observed


def test_of_two_records_the_one_with_the_wanted_mechanism_counts(build: Any) -> None:
    evidence = _stopped(build)
    rules = (build.record(20, mechanism="line-cycle"), build.record())
    evidence = evidence._replace(transcript=replace(evidence.transcript, rules=rules))
    assert isinstance(check(ARGS._replace(fired_at=60), evidence), Passed)


def test_a_record_of_another_message_says_nothing_about_this_one(build: Any) -> None:
    evidence = _stopped(build)
    rules = (build.record(message=3),)
    evidence = evidence._replace(transcript=replace(evidence.transcript, rules=rules))
    assert isinstance(check(ARGS, evidence), Failed)


def test_it_waits_for_the_reply_its_end_and_the_session(build: Any) -> None:
    nothing = build.evidence(finished=False)
    assert check(ARGS, nothing) == Pending("reply 1")
    running = build.evidence(build.exchange(build.text, 30, ended="open"), finished=False)
    assert check(ARGS, running) == Pending("the end of reply 1")
    unsaved = build.evidence(build.exchange(build.text), finished=False)
    assert check(ARGS, unsaved) == Pending("assistant message 1 in the session")
    assert isinstance(check(ARGS, _stopped(build)._replace(finished=False)), Passed)


def test_a_reply_that_was_never_asked_for_fails_at_the_end(build: Any) -> None:
    verdict = check(ARGS._replace(reply=2), _stopped(build))
    assert isinstance(verdict, Failed)
    assert verdict.observed == "the agent asked for 1 reply, so reply 2 never came"


def test_a_reply_that_never_ended_is_described_as_it_is(build: Any) -> None:
    exchange = build.exchange(build.text, 30, ended="open")
    verdict = check(ARGS, build.evidence(exchange))
    assert isinstance(verdict, Failed)
    assert verdict.observed == f"guard did not fire: 30 of {len(build.text)} characters sent, 'open'"
    open_and_aborted = _stopped(build)
    open_and_aborted.main[0].ended = "open"
    verdict = check(ARGS, open_and_aborted)
    assert isinstance(verdict, Passed)
    assert verdict.observed.endswith("(session; 66 characters sent, 'open')")


def test_an_endless_reply_has_no_total(build: Any) -> None:
    turn = build.turn(build.text, until_hang_up=True)
    exchange = build.exchange(turn=turn, sent=900, ended="client-hung-up")
    saved = (build.message(build.text[:40], build.marker, stop="aborted"),)
    verdict = check(ARGS, build.evidence(exchange, saved=saved, rules=(build.record(),)))
    assert verdict == Passed(
        "paragraph-repeat fired at 60 characters (session; client hung up after 900 characters)"
    )


def test_a_limit_that_neither_side_can_show_fails(build: Any) -> None:
    evidence = _stopped(build, sent=len(build.text))
    rules = (build.record(fired_at=None),)
    evidence = evidence._replace(transcript=replace(evidence.transcript, rules=rules))
    verdict = check(ARGS, evidence)
    assert isinstance(verdict, Failed)
    assert verdict.evidence[0] == "within_chars: neither side says where it fired"
