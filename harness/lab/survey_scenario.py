"""A scenario as a survey plays it: at one pace for all, its steps out of the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.lab.survey import Row
from harness.place import Place
from harness.scenario import Step
from harness.steps.driving_arguments import Type, WaitFor
from harness.steps.replies import main_stream, turn_text
from mock_llm.matchers import Check
from mock_llm.script import Lane, ScriptTurn
from mock_llm.turn import Text, ToolCall, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from harness.lab.survey import Kind
    from harness.scenario import Scenario
    from mock_llm.matchers import Matcher

CHARS_PER_DELTA = 24
EVERY_MS = 10
"""About 2,400 characters a second, the pace at which the published stops were measured."""
MOST_CHARS = 24_000
"""Where a loop without an end ends in a survey: ten seconds."""
LAST_WORDS = "All is told."
GUARD_LANE = "guard"

_LOOPS = frozenset({"loop", "ttsr", "gap"})
_SHORT = 400


def kind_of(scenario: Scenario) -> Kind | None:
    """Whether it is a loop or a healthy answer; None for any other scenario, and for a terminal's."""
    if scenario.mode == "terminal" or scenario.then:
        return None
    if "healthy" in scenario.tags:
        return "healthy"
    return "loop" if _LOOPS & set(scenario.tags) else None


def row_of(scenario: Scenario, kind: Kind) -> Row:
    """Its line of the survey."""
    calls = calls_in(scenario)
    turn = scenario.model[looked_at(scenario) - 1].turn
    looks = "calls" if calls > 1 and kind == "loop" else main_stream(turn)
    if looks == "text" and len(turn_text(turn, "thinking")) > len(turn_text(turn, "text")):
        looks = "thinking"
    return Row(scenario.name, kind, looks, scenario.summary)


def looked_at(scenario: Scenario) -> int:
    """Which reply is the loop: that of its first ``abort`` step, else the first one."""
    replies = [step.args.reply for step in scenario.steps if step.kind == "abort"]
    return min(replies[0], len(scenario.model)) if replies else 1


def calls_in(scenario: Scenario) -> int:
    """How many of its replies just call a tool, without a word."""
    return sum(_is_call(turn.turn) for turn in scenario.model)


def missing_tools(scenario: Scenario, tools: Mapping[str, str]) -> list[str]:
    """Which of the tools that it calls an agent does not have, given those that it has."""
    parts = [part for turn in scenario.model for part in turn.turn.parts]
    return sorted({part.name for part in parts if isinstance(part, ToolCall)} - {*tools})


def surveyed(
    scenario: Scenario, *, timeout_s: float, terminal: bool = False, guards_say: Sequence[str] = ()
) -> Scenario:
    """The scenario at the survey's pace, with a last reply for whatever the agent asks then.

    A guard may ask again without the user's prompt: a request with a text of ``guards_say`` is answered too.
    """
    turns = tuple(_paced(turn) for turn in scenario.model)
    last = ScriptTurn(Turn((Text(LAST_WORDS),)))
    asks = tuple(Lane(GUARD_LANE, _without_prompt(text), (last,), when_exhausted=last) for text in guards_say)
    return scenario._replace(
        model=(*turns, last),
        when_exhausted=last,
        steps=_driving(len(turns), timeout_s) if terminal else (),
        mode="terminal" if terminal else "one-shot",
        control=None,
        invariants=(),
        lanes=(*scenario.lanes, *asks),
        timeout_s=timeout_s,
        max_requests=max(scenario.max_requests, len(turns) + 20),
    )


def _without_prompt(text: str) -> Matcher:
    return (Check("user", "contains", text), Check("user", "lacks", "{nonce}"))


def _paced(turn: ScriptTurn) -> ScriptTurn:
    if turn.turn.chars < _SHORT and not turn.stream.until_hang_up:
        return turn
    stream = turn.stream._replace(
        deltas=None,
        chars_per_delta=CHARS_PER_DELTA,
        every_ms=EVERY_MS,
        cap_chars=min(turn.stream.cap_chars, MOST_CHARS),
    )
    return turn._replace(stream=stream)


def _is_call(turn: Turn) -> bool:
    return bool(turn.parts) and all(isinstance(part, ToolCall) for part in turn.parts)


def _driving(turns: int, timeout_s: float) -> tuple[Step, ...]:
    """The prompt is typed. A guard that asks the user leaves its question on the screen, which is kept."""
    over = 1 if turns < 3 else turns  # a loop, and the answer after it
    steps: Iterable[tuple[str, object]] = (
        ("wait_for", WaitFor(ready=True, within_s=timeout_s / 2)),
        ("type", Type("{prompt}", within_s=timeout_s / 2)),
        ("wait_for", WaitFor(reply=over, within_s=timeout_s / 2)),
        ("wait_for", WaitFor(ready=True, within_s=6)),
    )
    labels = ("wait_for", "type", "wait_for#2", "wait_for#3")
    place = Place("qa survey", 1, 1)
    return tuple(Step(kind, label, args, place) for (kind, args), label in zip(steps, labels, strict=True))
