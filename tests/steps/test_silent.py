from __future__ import annotations

from typing import Any

from harness.steps.arguments import Silent
from harness.steps.silent import check
from harness.steps.verdicts import Failed, Passed, Pending

ARGS = Silent()


def _run(build: Any, *texts: str, **facts: Any) -> Any:
    exchanges = [build.exchange(text) for text in texts or ("First.", "Second.")]
    saved = tuple(build.message(text) for text in texts or ("First.", "Second."))
    return build.evidence(*exchanges, saved=facts.pop("saved", saved), **facts)


def _observed(verdict: object) -> str:
    assert isinstance(verdict, Failed)
    return verdict.observed


def test_replies_that_all_arrived_pass_with_their_count(build: Any) -> None:
    assert check(ARGS, _run(build)) == Passed("2 replies, 13 characters, all arrived")
    assert check(Silent(reply=1), _run(build)) == Passed("1 reply, 6 characters, all arrived")


def test_a_rule_that_fired_is_named_with_its_place(build: Any) -> None:
    evidence = _run(build, rules=(build.record(5),))
    assert _observed(check(ARGS, evidence)) == (
        "collapse-repetition / paragraph-repeat at 5 fired on reply 1"
    )
    assert isinstance(check(Silent(reply=2), evidence), Passed)


def test_a_record_that_belongs_to_no_reply_counts_too(build: Any) -> None:
    assert _observed(check(ARGS, _run(build, rules=(build.record(5, message=9),)))).endswith("at 5 fired")


def test_a_hang_up_fails(build: Any) -> None:
    evidence = _run(build)
    evidence.main[1].ended, evidence.main[1].chars_sent = "client-hung-up", 3
    assert _observed(check(ARGS, evidence)) == "the client hung up on reply 2 after 3 of 7 characters"


def test_a_hang_up_after_the_last_character_is_how_some_clients_end(build: Any) -> None:
    evidence = _run(build)
    evidence.main[1].ended = "client-hung-up"
    assert isinstance(check(ARGS, evidence), Passed)


def test_a_message_that_the_agent_stopped_fails(build: Any) -> None:
    saved = (build.message("First.", stop="aborted"), build.message("Second."))
    assert _observed(check(ARGS, _run(build, saved=saved))) == (
        "the session says that reply 1 ended with 'aborted'"
    )


def test_an_interrupt_in_any_request_fails(build: Any) -> None:
    evidence = _run(build)
    evidence.main[0].request = build.request("hello", '<system-interrupt rule="x">no')
    assert _observed(check(ARGS, evidence)).startswith("request 1 carries an interrupt")
    evidence.main[0].request, evidence.main[1].request = build.request("hi"), evidence.main[0].request
    assert _observed(check(ARGS, evidence)).startswith("request 2 carries an interrupt")


def test_the_interrupt_that_follows_a_numbered_reply_fails(build: Any) -> None:
    evidence = _run(build)
    evidence.main[1].request = build.request("hello", '<system-interrupt rule="x">no')
    assert _observed(check(Silent(reply=1), evidence)).startswith("request 2 carries an interrupt")
    assert isinstance(check(Silent(reply=2), evidence), Passed)


def test_signs_fail_before_the_run_has_ended_and_nothing_passes_before(build: Any) -> None:
    evidence = _run(build, finished=False)
    assert check(ARGS, evidence) == Pending("the end of the run")
    evidence.main[1].request = build.request('<system-interrupt rule="x">no')
    assert isinstance(check(ARGS, evidence), Failed)


def test_text_that_was_changed_on_the_way_fails_where_it_differs(build: Any) -> None:
    saved = (build.message("First."), build.message("Sec0nd."))
    assert _observed(check(ARGS, _run(build, saved=saved))) == (
        "the text of reply 2 was changed at character 3: 7 of 7 characters saved"
    )
    cut = (build.message("First."), build.message("Sec"))
    assert "at character 3: 3 of 7 characters saved" in _observed(check(ARGS, _run(build, saved=cut)))


def test_trimmed_white_space_at_the_end_passes_and_is_said(build: Any) -> None:
    evidence = _run(build, "First.\n\n", saved=(build.message("First."),))
    assert check(ARGS, evidence) == Passed(
        "1 reply, 8 characters, all arrived (the agent trims white space at the end)"
    )


def test_thinking_must_be_whole_where_the_session_keeps_it(build: Any) -> None:
    exchange = build.exchange("Answer.", thinking="Because.")
    whole = build.evidence(exchange, saved=(build.message("Answer.", thinking="Because."),))
    assert check(ARGS, whole) == Passed("1 reply, 15 characters, all arrived")
    cut = build.evidence(exchange, saved=(build.message("Answer.", thinking="Bec"),))
    assert "the thinking of reply 1 was changed" in _observed(check(ARGS, cut))
    without = check(ARGS, build.evidence(exchange, saved=(build.message("Answer."),)))
    assert isinstance(without, Passed)
    assert "the session does not keep the thinking" in without.observed


def test_a_reply_that_is_missing_on_one_side_fails(build: Any) -> None:
    assert _observed(check(ARGS, _run(build, saved=(build.message("First."),)))) == (
        "no assistant message 2: reader pi-jsonl found 1 assistant message in a.jsonl"
    )
    assert _observed(check(ARGS, _run(build, saved=None))) == (
        "no session file matched {home}/.agent/*.jsonl; files there: none"
    )
    assert _observed(check(Silent(reply=3), _run(build))) == "reply 3 was never sent"
    assert _observed(check(ARGS, build.evidence())) == "the agent made no request"


def test_a_reply_still_open_or_capped_at_the_end_did_not_arrive(build: Any) -> None:
    evidence = _run(build)
    evidence.main[1].ended, evidence.main[1].chars_sent = "open", 2
    assert _observed(check(ARGS, evidence)) == "reply 2 ended 'open' after 2 of 7 characters"


def test_an_agent_without_interrupts_is_judged_by_the_rest(build: Any) -> None:
    guard = build.guard._replace(interrupt_marker="", rules=())
    assert isinstance(check(ARGS, _run(build, guard=guard)), Passed)
