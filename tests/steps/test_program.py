from __future__ import annotations

from typing import Any

import pytest

from harness.steps.arguments import Exit, Output
from harness.steps.program import check_exit, check_output, exit_words
from harness.steps.verdicts import Failed, Passed, Pending


def _failed(verdict: object) -> Failed:
    assert isinstance(verdict, Failed)
    return verdict


def test_printed_text_passes_as_soon_as_it_is_there(build: Any) -> None:
    args = Output(contains=("DONE {nonce}",), matches=r"^DONE \S+$")
    evidence = build.evidence(output="working\nDONE N-7\n", finished=False)
    assert check_output(args, evidence) == Passed("found 'DONE N-7', found 'DONE N-7'")
    assert check_output(args, build.evidence(output="work", finished=False)) == Pending("the output")


def test_text_that_never_came_fails_with_the_last_lines(build: Any) -> None:
    verdict = _failed(check_output(Output(contains=("DONE",)), build.evidence(output="one\n\ntwo\n")))
    assert (verdict.observed, verdict.expected) == ("the output lacks 'DONE'", "the output contains 'DONE'")
    assert verdict.evidence == ("last lines of the output:", "| one", "| two")
    near = _failed(check_output(Output(contains=("all is DONE",)), build.evidence(output="is it\nx\n")))
    assert near.evidence == ("| is it",)


def test_text_wrapped_over_lines_is_found_once_the_run_has_ended(build: Any) -> None:
    args = Output(contains=("all is well",))
    assert isinstance(check_output(args, build.evidence(output="all is\n  well")), Passed)
    assert isinstance(check_output(args, build.evidence(output="all is\n  well", finished=False)), Pending)


def test_text_that_must_lack_fails_at_once_and_passes_only_at_the_end(build: Any) -> None:
    args = Output(lacks=("Traceback",))
    clean = build.evidence(output="fine\n", finished=False)
    assert check_output(args, clean) == Pending("the end of the run")
    assert check_output(args, build.evidence(output="fine\n")) == Passed("lacks 'Traceback' in 5 characters")
    verdict = _failed(check_output(args, build.evidence(output="x Traceback y", finished=False)))
    assert verdict.evidence == ("| x Traceback y",)


def test_a_pattern_that_never_matched_fails(build: Any) -> None:
    verdict = _failed(check_output(Output(matches="^x+$"), build.evidence(output="y")))
    assert verdict.observed == "the output does not match /^x+$/"


def test_the_exit_code_is_compared_when_it_is_known(build: Any) -> None:
    assert check_exit(Exit(0), build.evidence(exit_code=0, finished=False)) == Passed("exit 0")
    assert check_exit(Exit(0), build.evidence(finished=False)) == Pending("the program's end")


def test_another_exit_code_fails_with_the_last_lines(build: Any) -> None:
    verdict = _failed(check_exit(Exit(0), build.evidence(exit_code=1, output="a\nboom\n")))
    assert (verdict.observed, verdict.expected) == ("exit 1", "exit 0")
    assert verdict.evidence == ("last lines of the output:", "| a", "| boom")
    assert _failed(check_exit(Exit(0), build.evidence(exit_code=1))).evidence == ("the output is empty",)


def test_a_program_that_never_ended_fails_with_the_last_lines(build: Any) -> None:
    verdict = _failed(check_exit(Exit(0), build.evidence(output="a\nLog in first?\n")))
    assert verdict.observed == "the program was still running when the run ended"
    assert verdict.evidence == ("last lines of the output:", "| a", "| Log in first?")


@pytest.mark.parametrize(
    ("code", "words"),
    [(-9, "killed by SIGKILL (-9)"), (-40, "killed by signal 40 (-40)"), (130, "exit 130 (128 + SIGINT)")],
)
def test_signals_are_named(code: int, words: str) -> None:
    assert exit_words(code) == words
