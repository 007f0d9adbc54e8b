from __future__ import annotations

from typing import Any

import pytest

from harness.steps.arguments import Interrupt
from harness.steps.interrupt import check
from harness.steps.verdicts import Failed, Passed, Pending

ARGS = Interrupt(rule="collapse-repetition")
TAG = '<system-interrupt reason="rule_violation" rule="collapse-repetition">'
INTERRUPT = f"{TAG}\nStop repeating.</system-interrupt>"


def _run(build: Any, *second: Any, first: tuple[Any, ...] = ("Analyse N-7",), **facts: Any) -> Any:
    requests = [build.request(*first), *([build.request(*second)] if second else [])]
    return build.evidence(*(build.exchange("x", request=r) for r in requests), **facts)


def _failed(verdict: object) -> Failed:
    assert isinstance(verdict, Failed)
    return verdict


def test_a_new_interrupt_passes_with_its_first_line(build: Any) -> None:
    verdict = check(ARGS, _run(build, "Analyse N-7", INTERRUPT))
    assert verdict == Passed(f"request 2: '{TAG}'")


def test_one_message_with_the_prompt_passes_and_says_so(build: Any) -> None:
    verdict = check(ARGS, _run(build, f"Analyse N-7\n{INTERRUPT}"))
    assert verdict == Passed(f"request 2: '{TAG}' (in one message with other text)")


def test_a_request_without_one_fails_and_shows_its_messages(build: Any) -> None:
    verdict = _failed(check(ARGS, _run(build, "Analyse N-7", ("assistant", "Paragraph"))))
    assert verdict.observed == "request 2 carries no interrupt"
    assert verdict.expected == (
        "request 2 carries a new interrupt for rule 'collapse-repetition', in a user message"
    )
    assert verdict.evidence == ("| user: Analyse N-7", "| assistant: Paragraph")


def test_what_the_user_has_typed_before_is_no_interrupt(build: Any) -> None:
    typed = f"What does this mean: {INTERRUPT}"
    verdict = _failed(check(ARGS, _run(build, typed, "and this?", first=(typed,))))
    assert verdict.observed == "the interrupt in request 2 is not new: the request before has it too"


def test_an_interrupt_for_another_rule_fails(build: Any) -> None:
    verdict = _failed(check(Interrupt(rule="repetitive-turns"), _run(build, "Analyse", INTERRUPT)))
    assert verdict.observed.startswith("the interrupt in request 2 is for another rule")


def test_a_rule_named_only_in_the_body_does_not_count(build: Any) -> None:
    text = '<system-interrupt reason="x">rule="collapse-repetition"</system-interrupt>'
    assert _failed(check(ARGS, _run(build, "Analyse", text)))


@pytest.mark.parametrize("role", ["system", "assistant", "tool"])
def test_only_a_user_message_carries_it(build: Any, role: str) -> None:
    verdict = _failed(check(ARGS, _run(build, "Analyse", (role, INTERRUPT))))
    assert verdict.observed == f"the interrupt came in a {role} message"


@pytest.mark.parametrize(
    ("earlier", "observed"),
    [
        ("", "the interrupt came in a system message"),
        (f"{INTERRUPT}\n", "request 2 carries no interrupt"),
    ],
)
def test_one_in_the_system_text_is_found_there_unless_it_is_old(
    build: Any, earlier: str, observed: str
) -> None:
    """A dialect hands the system messages over apart from the others."""
    first = build.request("Analyse")._replace(system=f"{earlier}Be brief.")
    second = build.request("Analyse")._replace(system=f"{earlier}Be brief.\n{INTERRUPT}")
    evidence = build.evidence(*(build.exchange("x", request=r) for r in (first, second)))
    verdict = _failed(check(ARGS, evidence))
    assert verdict.observed == observed
    assert (verdict.evidence == (f"| system: {TAG}",)) is (not earlier)


def test_its_text_is_checked_with_templates_resolved(build: Any) -> None:
    evidence = _run(build, "Analyse", f"{TAG}stay on N-7</system-interrupt>")
    assert isinstance(check(ARGS._replace(contains="on {nonce}"), evidence), Passed)
    verdict = _failed(check(ARGS._replace(contains="off {nonce}"), evidence))
    assert verdict.observed == "the interrupt in request 2 lacks 'off N-7'"


def test_it_waits_for_the_request_and_fails_when_none_comes(build: Any) -> None:
    assert check(ARGS, _run(build, finished=False)) == Pending("request 2")
    assert _failed(check(ARGS, _run(build))).observed == "the agent made 1 request, and no request 2"


def test_an_agent_without_interrupts_fails_at_once(build: Any) -> None:
    guard = build.guard._replace(interrupt_marker="")
    verdict = _failed(check(ARGS, _run(build, finished=False, guard=guard)))
    assert (
        verdict.observed
        == "no interrupt to look for: the agent's description has no 'guard.interrupt_marker'"
    )
