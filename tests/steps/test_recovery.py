from __future__ import annotations

from typing import Any

import pytest

from harness.steps.arguments import Recovery
from harness.steps.recovery import check
from harness.steps.verdicts import Failed, Passed, Pending

ARGS = Recovery("RECOVERED {nonce}")


def _run(build: Any, text: str = "RECOVERED N-7", output: str = "RECOVERED N-7\n", **facts: Any) -> Any:
    exchanges = (build.exchange(build.text), build.exchange("RECOVERED N-7"))
    last = build.message(text, stop=facts.pop("stop", "stop"), error=facts.pop("error", ""))
    saved = (build.message(build.text, stop="aborted"), last)
    return build.evidence(*exchanges, saved=saved, output=output, **facts)


def _failed(verdict: object) -> Failed:
    assert isinstance(verdict, Failed)
    return verdict


def test_the_last_reply_is_the_recovery(build: Any) -> None:
    assert check(ARGS, _run(build)) == Passed(
        "'RECOVERED N-7' in reply 2 (13 characters, ended with 'stop'), shown in the output"
    )


def test_a_reply_that_says_something_else_fails(build: Any) -> None:
    verdict = _failed(check(ARGS, _run(build, "RECOVERED N-8")))
    assert verdict.observed == "reply 2 lacks 'RECOVERED N-7'"
    assert "reply 2: 'RECOVERED N-8'" in verdict.evidence


@pytest.mark.parametrize("stop", ["aborted", "error", "length", "toolUse", "tool_use"])
def test_a_reply_that_did_not_end_normally_fails(build: Any, stop: str) -> None:
    verdict = _failed(check(ARGS, _run(build, stop=stop)))
    assert verdict.observed == f"reply 2 did not end normally: '{stop}'"


@pytest.mark.parametrize("stop", ["stop", "end_turn", ""])
def test_every_agents_own_word_for_an_end_is_fine(build: Any, stop: str) -> None:
    assert isinstance(check(ARGS, _run(build, stop=stop)), Passed)


def test_an_answer_that_the_user_never_saw_fails(build: Any) -> None:
    verdict = _failed(check(ARGS, _run(build, output="Working...\n")))
    assert verdict.observed == "the output does not show 'RECOVERED N-7'"
    assert "| Working..." in verdict.evidence


def test_an_answer_that_was_wrapped_on_the_screen_was_seen(build: Any) -> None:
    assert isinstance(check(ARGS, _run(build, output="RECOVERED\n   N-7\n")), Passed)


def test_a_numbered_reply_is_judged_by_itself(build: Any) -> None:
    assert isinstance(check(ARGS._replace(reply=2), _run(build)), Passed)
    assert _failed(check(ARGS._replace(reply=1), _run(build))).observed.startswith("reply 1 lacks")
    missing = _failed(check(ARGS._replace(reply=3), _run(build)))
    assert missing.observed == "no assistant message 3: reader pi-jsonl found 2 assistant messages in a.jsonl"


def test_it_passes_early_only_when_no_reply_is_under_way(build: Any) -> None:
    evidence = _run(build, finished=False)
    assert isinstance(check(ARGS, evidence), Passed)
    evidence.main[1].ended = "open"
    assert check(ARGS, evidence) == Pending("the end of the reply under way")


def test_what_may_still_come_is_pending(build: Any) -> None:
    assert check(ARGS, _run(build, "RECOV", finished=False)) == Pending("reply 2 lacks 'RECOVERED N-7'")


def test_no_session_fails(build: Any) -> None:
    evidence = build.evidence(build.exchange("RECOVERED N-7"), output="RECOVERED N-7")
    verdict = _failed(check(ARGS, evidence))
    assert verdict.observed == "no session file matched {home}/.agent/*.jsonl; files there: none"
    assert verdict.evidence == ("last lines of the output:", "| RECOVERED N-7"), "and that is said once"


def test_a_numbered_reply_passes_while_the_run_goes_on(build: Any) -> None:
    assert isinstance(check(ARGS._replace(reply=2), _run(build, finished=False)), Passed)


def test_an_answer_that_no_reply_on_the_wire_holds_is_none(build: Any) -> None:
    saved = (build.message(build.text, stop="aborted"), build.message("RECOVERED N-7"))
    output = "RECOVERED N-7\n"
    never = build.evidence(build.exchange(build.text), saved=saved, output=output)
    observed = "the session has 'RECOVERED N-7', and no reply that arrived holds it"
    assert _failed(check(ARGS, never)).observed == observed
    cut = build.exchange("RECOVERED N-7", sent=4, ended="client-hung-up")
    assert (
        _failed(
            check(ARGS, build.evidence(build.exchange(build.text), cut, saved=saved, output=output))
        ).observed
        == observed
    )


def test_the_prompt_as_the_program_repeats_it_does_not_show_the_answer(build: Any) -> None:
    variables = {"nonce": "N-7", "prompt": "Go on, then answer RECOVERED N-7."}
    repeated = "> Go on, then\n  answer RECOVERED N-7.\n"
    verdict = check(ARGS, _run(build, output=repeated, variables=variables))
    assert _failed(verdict).observed == (
        "the output shows 'RECOVERED N-7' only where it repeats what was typed, which does not count"
    )
    shown = _run(build, output=f"{repeated}RECOVERED N-7\n", variables=variables)
    assert isinstance(check(ARGS, shown), Passed)


def test_a_prompt_that_is_the_answer_cannot_be_told_from_it(build: Any) -> None:
    evidence = _run(build, variables={"nonce": "N-7", "prompt": "RECOVERED N-7"})
    assert isinstance(check(ARGS, evidence), Passed)
