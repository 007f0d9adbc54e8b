"""A stop by a guard that is no stream rule: its words, and what the other sides have to say of them."""

from __future__ import annotations

from typing import Any

import pytest

from harness.agents.spec import AgentSpec, Install, OtherGuard
from harness.evidence import SessionSource
from harness.steps.abort import check
from harness.steps.abort_words import Says, guards_say, line_of
from harness.steps.arguments import Abort
from harness.steps.verdicts import Failed, Passed

ERROR = "Thinking loop detected: an exact cycle, 4 times"
SAYS = (
    Says("thinking-loop", "session", "Thinking loop detected"),
    Says("thinking-loop", "request", "<loop-found>"),
    Says("modal", "output", "A potential loop was detected"),
)


def _run(build: Any, *exchanges: Any, **facts: Any) -> Any:
    """A run of an agent without stream rules, whose guards say these words."""
    guard = build.guard._replace(rules=(), says=SAYS)
    return build.evidence(*exchanges, **({"guard": guard, "exit_code": 0} | facts))


def _cut(build: Any, **facts: Any) -> Any:
    return build.exchange(build.text, 66, ended="client-hung-up", **facts)


def test_an_error_record_beside_a_hang_up_passes_and_names_every_side(build: Any) -> None:
    retry = build.exchange("RECOVERED", request=build.request("hello", "<loop-found> go on"))
    saved = (build.message(stop="error", error=ERROR), build.message("RECOVERED"))
    verdict = check(Abort(), _run(build, _cut(build), retry, saved=saved))
    assert verdict == Passed(
        f"thinking-loop stopped it (wire: client hung up after 66 of {len(build.text)} characters; "
        f"session: stop reason 'error', 0 characters kept, '{ERROR}'; request 2: '<loop-found> go on'; "
        "output: nothing of it)"
    )


def test_a_question_on_the_screen_stops_a_reply_that_was_read_to_its_end(build: Any) -> None:
    evidence = _run(build, build.exchange(build.text), saved=(), typed=("hello",))
    asked = evidence._replace(output="│ A potential loop was detected │")
    verdict = check(Abort(), asked)
    assert verdict == Passed(
        f"modal stopped it (wire: all {len(build.text)} characters were sent; "
        "session: it has no message of the reply; screen: 'A potential loop was detected')"
    )
    unasked = check(Abort(), evidence)
    assert isinstance(unasked, Failed)
    assert unasked.observed.startswith("no guard: all ")


def test_words_on_the_screen_beside_a_whole_answer_in_the_session_contradict_each_other(build: Any) -> None:
    output = "A potential loop was detected"
    evidence = _run(build, build.exchange(build.text), saved=(build.message(build.text),), output=output)
    verdict = check(Abort(), evidence)
    assert isinstance(verdict, Failed)
    total = len(build.text)
    assert verdict.observed == (
        f"the output says '{output}', but all {total} characters of reply 1 were sent "
        "and the session keeps them, ended with 'stop'"
    )
    assert verdict.evidence[0] == "the evidence contradicts itself"


def test_words_and_a_hang_up_beside_an_answer_that_ended_normally_contradict_each_other(build: Any) -> None:
    saved = (build.message(build.text[:40]),)
    verdict = check(Abort(), _run(build, _cut(build), saved=saved, output="A potential loop was detected"))
    assert isinstance(verdict, Failed)
    assert f"the client hung up after 66 of {len(build.text)} characters, but the session" in verdict.observed


@pytest.mark.parametrize("code", [0, 1])
def test_an_agent_that_says_why_it_ends_has_not_crashed(build: Any, code: int) -> None:
    none = SessionSource(is_kept=False)
    told = _run(build, _cut(build), session=none, exit_code=code, output="A potential loop was detected")
    verdict = check(Abort(), told)
    assert isinstance(verdict, Passed)
    assert "session: this agent keeps none" in verdict.observed
    silent = check(Abort(), told._replace(output=""))
    assert isinstance(silent, Failed)
    assert silent.observed == f"the agent exited with {code} while reply 1 was streamed"


def test_a_step_may_ask_for_the_guard_by_its_name(build: Any) -> None:
    evidence = _run(build, _cut(build), saved=(build.message(stop="error", error=ERROR),))
    assert isinstance(check(Abort(rule="thinking-loop"), evidence), Passed)
    other = check(Abort(rule="collapse-repetition"), evidence)
    assert isinstance(other, Failed)
    assert other.evidence[0] == "rule: 'thinking-loop' fired, not 'collapse-repetition'"


def test_a_limit_is_held_against_the_wire_and_an_offset_is_never_stated(build: Any) -> None:
    evidence = _run(build, _cut(build), saved=(build.message(stop="error", error=ERROR),))
    assert isinstance(check(Abort(within_chars=66), evidence), Passed)
    late = check(Abort(within_chars=65), evidence)
    assert isinstance(late, Failed)
    assert late.evidence[0] == "within_chars: 1 character too late"
    exact = check(Abort(fired_at=66), evidence)
    assert isinstance(exact, Failed)
    assert exact.evidence[0] == "fired_at: the session does not state it"


def test_words_of_an_earlier_reply_say_nothing_of_a_later_one(build: Any) -> None:
    second = build.exchange(build.text, request=build.request("hello", "<loop-found> go on"))
    saved = (build.message(stop="error", error=ERROR), build.message(build.text))
    evidence = _run(build, _cut(build), second, saved=saved)
    assert isinstance(check(Abort(), evidence), Passed)
    later = check(Abort(reply=2), evidence)
    assert isinstance(later, Failed)
    assert later.observed.startswith("no guard: all ")


def test_what_the_model_says_itself_is_no_word_of_a_guard(build: Any) -> None:
    text = f"{ERROR}, said the model."
    verdict = check(Abort(), _run(build, build.exchange(text), saved=(build.message(text),)))
    assert isinstance(verdict, Failed)
    assert verdict.observed.startswith("no guard: all ")


def test_the_words_come_from_the_description_and_a_screen_is_output() -> None:
    guard = OtherGuard("modal", ("text",), "a loop", shows={"screen": "Loop?", "session": "", "request": "r"})
    spec = AgentSpec("a", "a.yaml", ("a",), ("{prompt}",), (), "", "", Install("own"), guards=(guard,))
    assert guards_say(spec) == (Says("modal", "output", "Loop?"), Says("modal", "request", "r"))


def test_of_a_long_line_what_follows_the_words_is_shown() -> None:
    assert line_of("x" * 300 + " loop " + "y" * 300, "loop") == f"loop {'y' * 195}"
