"""An agent that keeps no session is judged by the wire and by what it prints."""

from __future__ import annotations

from typing import Any

from harness.evidence import GuardDescription, SessionSource
from harness.steps.abort import check as check_abort
from harness.steps.arguments import Abort, Recovery, Request, Silent, Truncation
from harness.steps.recovery import check as check_recovery
from harness.steps.request import check_request
from harness.steps.silent import check as check_silent
from harness.steps.truncation import check as check_truncation
from harness.steps.verdicts import Failed, Passed
from mock_llm.script import ScriptTurn
from mock_llm.turn import Text, ToolCall, Turn
from tests.steps.conftest import INTERRUPT

NO_SESSION = SessionSource(is_kept=False)
ARGS = Recovery(contains="RECOVERED {nonce}")


def _run(build: Any, *exchanges: Any, output: str = "RECOVERED N-7\n") -> Any:
    return build.evidence(*exchanges, session=NO_SESSION, output=output, exit_code=0)


def _observed(verdict: object) -> str:
    assert isinstance(verdict, Failed)
    return verdict.observed


def test_a_whole_reply_is_silence(build: Any) -> None:
    verdict = check_silent(Silent(), _run(build, build.exchange("All is well.")))
    assert verdict == Passed("1 reply, 12 characters, all arrived (session: this agent keeps none)")


def test_the_recovery_is_what_was_sent_whole_and_printed(build: Any) -> None:
    verdict = check_recovery(ARGS, _run(build, build.exchange("RECOVERED N-7")))
    assert verdict == Passed(
        "'RECOVERED N-7' in reply 1 (13 characters sent; session: this agent keeps none), shown in the output"
    )


def test_each_thing_that_a_recovery_lacks_is_named(build: Any) -> None:
    call = ScriptTurn(Turn((Text("RECOVERED N-7"), ToolCall("t1", "read", "{}")), stop="tool"))
    for evidence, observed in (
        (_run(build), "reply 1 was never sent"),
        (_run(build, build.exchange("Sorry.")), "reply 1 lacks 'RECOVERED N-7'"),
        (_run(build, build.exchange("RECOVERED N-7", 5, ended="reset")), "reply 1 did not arrive whole"),
        (_run(build, build.exchange(turn=call)), "reply 1 is no finished answer"),
        (
            _run(build, build.exchange("RECOVERED N-7"), output="nothing"),
            "the output does not show 'RECOVERED N-7'",
        ),
    ):
        assert _observed(check_recovery(ARGS, evidence)) == observed


def test_what_only_a_session_shows_is_said_to_be_unseen(build: Any) -> None:
    evidence = _run(build, build.exchange(build.text, 30, ended="client-hung-up"))
    unseen = "this agent keeps no session, so what it kept cannot be seen"
    assert _observed(check_truncation(Truncation(), evidence)) == unseen
    dropped = check_request(Request(number=1, lacks=("{reply_1.dropped}",)), evidence)
    assert unseen in _observed(dropped)


def test_what_was_sent_at_once_is_not_said_to_have_arrived(build: Any) -> None:
    evidence = _run(build, build.exchange("All is well.", exact=False))
    verdict = check_silent(Silent(), evidence)
    assert verdict == Passed("1 reply, 12 characters, all sent (session: this agent keeps none)")
    stopped = check_abort(Abort(), evidence)
    assert _observed(stopped) == "no sign that the guard fired: all 12 characters were sent"
    assert isinstance(stopped, Failed)
    assert "every_ms" in stopped.evidence[0]
    unguarded = check_abort(Abort(), evidence._replace(guard=GuardDescription()))
    assert _observed(unguarded) == "no guard: all 12 characters were sent"


def test_an_agent_that_failed_after_the_reply_may_not_have_read_it(build: Any) -> None:
    evidence = _run(build, build.exchange("All is well.", exact=False))._replace(exit_code=3)
    assert _observed(check_silent(Silent(), evidence)) == (
        "the agent exited with 3 after reply 1 was sent, and no session shows how much of it was read"
    )
    assert _observed(check_abort(Abort(), evidence)) == (
        "no sign that the guard fired: all 12 characters were sent, and then the agent exited with 3"
    )


def test_a_stop_that_came_too_late_for_a_hang_up_is_told_by_the_next_request(build: Any) -> None:
    first, correction = build.exchange(build.text, exact=False), f"{INTERRUPT} rule='x'>Go on."
    second = build.exchange("RECOVERED N-7", request=build.request("hello", correction))
    verdict = check_abort(Abort(), _run(build, first, second))
    assert isinstance(verdict, Passed)
    assert "the wire cannot tell" in verdict.observed
    quoted = build.exchange("Fine.", request=build.request("hello", ("assistant", correction)))
    assert "no sign" in _observed(check_abort(Abort(), _run(build, first, quoted)))


def test_it_is_told_by_what_the_agent_prints_too(build: Any) -> None:
    evidence = _run(build, build.exchange(build.text, exact=False), output="loop stopped\n")
    assert "no sign" in _observed(check_abort(Abort(), evidence))
    guard = build.guard._replace(output_marker="loop stopped")
    assert isinstance(check_abort(Abort(), evidence._replace(guard=guard)), Passed)
