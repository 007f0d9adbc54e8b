"""From the evidence of a run to its cell: where a loop was stopped, by which side, and what is no stop."""

from __future__ import annotations

from typing import Any

import pytest

from harness.agents.spec import AgentSpec, GuardSwitches, Install, OtherGuard
from harness.lab.survey import Row
from harness.lab.survey_measure import Seen, measure
from harness.lab.survey_words import shown_chars
from tests.steps.conftest import Build

LOOP = Row("loop-exact", "loop", "text", "")
THINKING = Row("loop-thinking", "loop", "thinking", "")
CALLS = Row("loop-calls", "loop", "calls", "")
PROSE = Row("plain-prose", "healthy", "text", "")
SPEC = AgentSpec(
    "a", "a.yaml", ("a",), ("{prompt}",), (), "", "", Install("own"),
    guards=(
        OtherGuard("loop", ("text",), "a loop", shows={"session": "Loop found", "request": "<loop>"}),
        OtherGuard("modal", ("text",), "a loop", shows={"screen": "A loop was detected"}),
    ),
    guard=GuardSwitches(interrupt_marker="<system-interrupt"),
)  # fmt: skip


@pytest.fixture
def build() -> Build:
    return Build()


def _cell(row: Row, evidence: Any, **facts: Any) -> Any:
    return measure("a", SPEC, row, Seen(evidence, **facts))


def _cut(build: Build, **facts: Any) -> Any:
    return build.exchange(build.text, 66, ended="client-hung-up", **facts)


def test_a_loop_that_arrives_whole_was_never_stopped(build: Build) -> None:
    evidence = build.evidence(build.exchange(build.text), saved=(build.message(build.text),), exit_code=0)
    cell = _cell(LOOP, evidence)
    assert (cell.sentence, cell.of, cell.words) == ("never", len(build.text), "")
    assert _cell(PROSE, evidence).sentence == "left alone"


def test_a_hang_up_with_the_guards_words_is_a_stop_where_the_wire_ended(build: Build) -> None:
    saved = (build.message(stop="error", error="Loop found: 4 times"),)
    cell = _cell(LOOP, build.evidence(_cut(build), saved=saved, exit_code=0))
    assert cell.sentence == f"stopped at 66 of {len(build.text)}"
    assert cell.words == "Loop found: 4 times"
    assert cell.sides[0] == f"wire: client hung up after 66 of {len(build.text)} characters"
    assert cell.sides[-1] == "session: 'Loop found: 4 times'"


def test_a_recorded_rule_is_the_guards_word(build: Build) -> None:
    saved = (build.message(build.text[:40], build.marker, stop="aborted"),)
    cell = _cell(LOOP, build.evidence(_cut(build), saved=saved, rules=(build.record(),), exit_code=0))
    assert cell.words == "collapse-repetition / paragraph-repeat at 60"


def test_a_stop_of_a_healthy_answer_is_an_interruption(build: Build) -> None:
    saved = (build.message(stop="error", error="Loop found"),)
    cell = _cell(PROSE, build.evidence(_cut(build), saved=saved, exit_code=0))
    assert cell.sentence == f"interrupted a healthy answer at 66 of {len(build.text)}"


@pytest.mark.parametrize("row", [LOOP, PROSE])
def test_a_crash_is_an_error_and_no_guard(build: Build, row: Row) -> None:
    cell = _cell(row, build.evidence(_cut(build), exit_code=3))
    assert cell.sentence == "error: hung up after 66 characters; it exited with 3, without a word of a guard"


def test_a_nonzero_exit_with_the_guards_words_is_a_stop(build: Build) -> None:
    cell = _cell(LOOP, build.evidence(_cut(build), exit_code=1, output="x\nA loop was detected (1)\n"))
    assert cell.sentence == f"stopped at 66 of {len(build.text)}"
    assert cell.words == "A loop was detected (1)"


def test_a_hang_up_after_which_the_agent_asks_again_is_a_stop_without_words(build: Build) -> None:
    evidence = build.evidence(_cut(build), build.exchange("All is told."), exit_code=0)
    assert _cell(LOOP, evidence).outcome == "stopped"


def test_a_guard_that_asks_beside_the_running_reply_fired_where_the_screen_ends(build: Build) -> None:
    """Its request comes late: the text that is shown is nearer to where it fired."""
    asks = build.exchange("ok", lane="none", request=build.request("<loop> step back"))
    evidence = build.evidence(build.exchange(build.text), asks, exit_code=0, output=build.text[:50])
    cell = _cell(LOOP, evidence, under_way={2: 90})
    assert (cell.outcome, cell.at) == ("stopped", 50)
    assert "place: 50 characters are shown; request 2 came when 90 characters had been sent" in cell.sides
    unseen = _cell(LOOP, evidence._replace(output=""), under_way={2: 90})
    assert (unseen.outcome, unseen.at) == ("stopped", 90)
    late = _cell(LOOP, evidence)
    assert (late.outcome, late.at) == ("stopped", None)


def test_a_question_on_the_screen_alone_stops_at_an_unknown_place(build: Build) -> None:
    evidence = build.evidence(build.exchange(build.text), output="│ A loop was detected │", exit_code=0)
    assert _cell(LOOP, evidence).sentence == "stopped at an unknown place"


def test_a_loop_in_the_thinking_is_counted_in_the_thinking(build: Build) -> None:
    exchange = build.exchange("Short.", 66, thinking=build.text, ended="client-hung-up")
    saved = (build.message(stop="error", error="Loop found"),)
    cell = _cell(THINKING, build.evidence(exchange, saved=saved, exit_code=0))
    assert cell.sentence == f"stopped at 66 of {len(build.text)}"


def test_a_run_that_did_not_come_to_its_end_says_nothing_of_the_guard(build: Build) -> None:
    evidence = build.evidence(build.exchange(build.text))
    assert _cell(LOOP, evidence, problem="still running").sentence == "error: still running"
    assert _cell(LOOP, build.evidence(), problem="never asked").sentence == "error: never asked"


def _asked(build: Build, count: int, told: int = 0, **facts: Any) -> Any:
    """So many requests; one of them carries words of the guard."""
    asked = [
        build.exchange("x", request=build.request("hello", "<loop>" if number == told else "go on"))
        for number in range(1, count + 1)
    ]
    return build.evidence(*asked, **({"exit_code": 0} | facts))


@pytest.mark.parametrize(
    ("count", "told", "facts", "sentence"),
    [
        (5, 0, {}, "never"),
        (5, 4, {}, "told the model at call 3 of 4, stopped nothing"),
        (3, 0, {}, "stopped at call 3 of 4"),
        (3, 3, {}, "stopped at call 2 of 4"),
        (3, 0, {"exit_code": 1, "output": "A loop was detected"}, "stopped at call 3 of 4"),
        (3, 0, {"exit_code": 1}, "error: it exited with 1 after 3 of 4 calls"),
    ],
)
def test_a_loop_of_calls_is_counted_in_calls(
    build: Build, count: int, told: int, facts: dict[str, Any], sentence: str
) -> None:
    assert _cell(CALLS, _asked(build, count, told, **facts), calls=4).sentence == sentence


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("one two three four", 18),
        ("* one two\n  thr  Stopped.", 11),
        ("│ one │\n│ two │ x", 7),
        ("All quiet.", 0),
        ("", 0),
    ],
)
def test_how_far_a_screen_shows_a_text(output: str, shown: int) -> None:
    assert shown_chars("one two three four", output) == shown
