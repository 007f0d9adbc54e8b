"""The stream 'tool': the arguments of a reply's calls."""

from __future__ import annotations

from typing import Any

from harness.steps import abort, truncation
from harness.steps.arguments import Abort, Truncation
from harness.steps.replies import main_stream
from harness.steps.resolve import resolve
from harness.steps.verdicts import Failed, Passed
from harness.transcript import TranscriptMessage, TranscriptPart
from mock_llm.script import ScriptTurn, Stream
from mock_llm.turn import Text, ToolCall, Turn

ARGUMENTS = '{"path": "a.txt", "content": "again and again and again and again"}'
TURN = Turn((Text("I write it down."), ToolCall("c1", "write", ARGUMENTS)))


def evidence(build: Any, kept: str = ARGUMENTS[:40], stream: str = "tool") -> Any:
    """A reply of a text and a call; the call was stopped after 50 characters of its arguments."""
    parts = (
        TranscriptPart("text", "I write it down."),
        TranscriptPart("tool_call", kept, "write"),
        TranscriptPart("text", build.marker),
    )
    message = TranscriptMessage("assistant", parts, stop_reason="aborted")
    exchange = build.exchange(turn=ScriptTurn(TURN, Stream()), sent=16 + 55, ended="client-hung-up")
    record = build.record(fired_at=50, mechanism="short-period", data={"stream": stream})
    return build.evidence(exchange, saved=(message,), rules=(record,))


def test_the_place_is_counted_in_the_arguments(build: Any) -> None:
    args = Abort(1, "collapse-repetition", "short-period", within_chars=60, fired_at=50, stream="tool")
    verdict = abort.check(args, evidence(build))
    assert isinstance(verdict, Passed)
    assert verdict.observed.startswith(f"short-period fired at 50 of {len(ARGUMENTS)} characters")


def test_a_rule_that_fired_in_the_text_is_not_one_in_the_call(build: Any) -> None:
    verdict = abort.check(Abort(stream="tool"), evidence(build, stream="text"))
    assert isinstance(verdict, Failed)
    assert verdict.evidence[0] == "stream: it fired in 'text', not in 'tool'"


def test_what_was_kept_of_the_arguments_is_counted_without_the_text(build: Any) -> None:
    verdict = truncation.check(Truncation(kept_chars=40, persisted_chars=75, stream="tool"), evidence(build))
    assert verdict == Passed("40 characters kept, 75 persisted with the marker")


def test_arguments_that_were_changed_are_not_the_beginning_of_what_was_sent(build: Any) -> None:
    verdict = truncation.check(
        Truncation(kept_chars=40, stream="tool"), evidence(build, "x" + ARGUMENTS[1:40])
    )
    assert isinstance(verdict, Failed)
    assert "the kept text differs from what was sent at character 0:" in verdict.evidence


def test_what_was_dropped_of_a_call_can_be_named(build: Any) -> None:
    assert resolve("{reply_1.tool.dropped}", evidence(build)) == ARGUMENTS[40:]


def test_a_reply_of_nothing_but_a_call_is_about_its_arguments() -> None:
    assert main_stream(TURN) == "text"
    assert main_stream(Turn(TURN.parts[1:])) == "tool"
    assert main_stream(Turn(())) == "thinking"
