"""What the gate finds, and what follows from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.gate.comparison import Known, compare, duration_class, failing, known, taken
from harness.place import Place
from harness.results import Attempt, Change, ScenarioResult
from tests.gate import made


def found(before: Known | None, *results: ScenarioResult, later_chars: int = 0) -> list[Change]:
    baseline = {} if before is None else {made.KEY: before}
    return list(compare(baseline, results, later_chars=later_chars))


def kinds(changes: list[Change]) -> list[tuple[str, str]]:
    return [(change.kind, change.level) for change in changes]


def test_a_run_that_is_as_before_has_no_finding() -> None:
    assert found(made.known(), made.result(), made.control()) == []


def test_a_loop_that_is_no_longer_caught_is_named_with_what_caught_it() -> None:
    (change,) = found(made.known(), made.result(stops=()), made.control())
    assert (change.kind, change.level) == ("loop-missed", "accept")
    assert change.text == (
        "the loop of reply 1 is no longer caught; it was, by paragraph-repeat at 1,046 of 1,362 characters"
    )
    assert change.place == Place("scenarios/loop.yaml", 11, 5)


def test_a_loop_that_is_caught_later_says_by_how_many_characters() -> None:
    late = replace(made.LOOP, fired_at=1700, text_chars=2000)
    (change,) = found(made.known(), made.result(stops=(late,)), made.control())
    assert (change.kind, change.level, change.by) == ("caught-later", "accept", 654)
    assert "caught 654 characters later" in change.text
    assert (change.before, change.after) == (
        "paragraph-repeat at 1,046 of 1,362 characters",
        "paragraph-repeat at 1,700 of 2,000 characters",
    )


@pytest.mark.parametrize(("late", "level"), [(20, "warns"), (21, "accept")])
def test_a_team_may_say_how_much_later_only_warns(late: int, level: str) -> None:
    stop = replace(made.LOOP, fired_at=1046 + late)
    changes = found(made.known(), made.result(stops=(stop,)), made.control(), later_chars=20)
    assert kinds(changes) == [("caught-later", level)]


def test_a_loop_that_is_caught_earlier_only_warns() -> None:
    early = replace(made.LOOP, fired_at=1000)
    changes = found(made.known(), made.result(stops=(early,)), made.control())
    assert kinds(changes) == [("caught-earlier", "warns")]
    assert changes[0].by == -46


def test_a_healthy_answer_that_is_now_interrupted_is_a_finding() -> None:
    (change,) = found(made.known(stops=()), made.result(), made.control())
    assert (change.kind, change.level) == ("healthy-interrupted", "accept")
    assert change.text.startswith(
        "reply 1, which was healthy, is now interrupted by paragraph-repeat at 1,046"
    )


def test_a_recovery_that_is_now_interrupted_is_told_from_a_healthy_answer() -> None:
    again = replace(made.LOOP, reply=2)
    (change,) = found(made.known(), made.result(stops=(made.LOOP, again)), made.control())
    assert change.text.startswith("reply 2, which was whole, is now interrupted")


@pytest.mark.parametrize(
    ("stop", "kind"),
    [
        (replace(made.LOOP, mechanism="line-cycle"), "other-mechanism"),
        (replace(made.LOOP, kept_chars=300), "keeps-other"),
        (replace(made.LOOP, kept_chars=None), "keeps-other"),
        (replace(made.LOOP, fired_at=None), "other-figures"),
    ],
)
def test_each_figure_of_a_stop_is_compared(stop: object, kind: str) -> None:
    assert kinds(found(made.known(), made.result(stops=(stop,)), made.control())) == [(kind, "accept")]


@pytest.mark.parametrize(
    ("kept", "text"),
    [
        (765, "765 characters of reply 1 are kept, 454 characters before"),
        (1, "1 character of reply 1 is kept, 454 characters before"),
        (0, "nothing of reply 1 is kept, 454 characters before"),
        (None, "an unknown part of reply 1 is kept, 454 characters before"),
    ],
)
def test_what_is_kept_is_said_in_a_sentence(kept: int | None, text: str) -> None:
    other = replace(made.LOOP, kept_chars=kept)
    (change,) = found(made.known(), made.result(stops=(other,)), made.control())
    assert change.text == text


def test_what_is_kept_stands_at_the_step_about_it() -> None:
    other = replace(made.LOOP, kept_chars=765)
    steps = (made.step("abort"), made.step("truncation", line=14))
    (change,) = found(made.known(), made.result(stops=(other,), steps=steps), made.control())
    assert change.place == Place("scenarios/loop.yaml", 14, 5)
    (change,) = found(made.known(), made.result(stops=(other,)), made.control())
    assert change.place == Place("scenarios/loop.yaml", 11, 5)


def test_one_character_is_one_character() -> None:
    late = replace(made.LOOP, fired_at=1047)
    (change,) = found(made.known(), made.result(stops=(late,)), made.control())
    assert "is caught 1 character later: by" in change.text


def test_what_was_sent_before_a_hang_up_came_through_is_not_compared() -> None:
    other = replace(made.LOOP, sent_chars=1112)
    assert found(made.known(), made.result(stops=(other,)), made.control()) == []


def test_another_number_of_requests_is_to_accept() -> None:
    changes = found(made.known(), made.result(requests=3), made.control())
    assert kinds(changes) == [("other-requests", "accept")]
    assert changes[0].text == "makes 3 requests instead of 2"


def test_a_scenario_that_fails_now_is_to_accept_and_stands_at_its_step() -> None:
    failed = made.result("failed", steps=(made.step("exit", "failed", "exit 1", line=17),))
    (change,) = found(made.known(), failed, made.control())
    assert (change.kind, change.level) == ("no-longer-passes", "accept")
    assert change.text == "no longer passes: 'exit': exit 1"
    assert change.place == Place("scenarios/loop.yaml", 17, 5)


def test_a_known_failure_stays_in_sight_and_one_that_passes_is_worth_keeping() -> None:
    failed = made.result("failed")
    assert kinds(found(made.known(verdict="failed"), failed, made.control())) == [("known-failure", "warns")]
    changes = found(made.known(verdict="failed"), made.result(), made.control())
    assert kinds(changes) == [("passes-now", "warns")]


def test_a_run_that_could_not_be_made_fails_whatever_the_baseline_says() -> None:
    error = made.result("error", problem="no program 'pi'\n  more", stops=())
    for before in (None, made.known(), made.known(verdict="error")):
        assert kinds(found(before, error, made.control())) == [("could-not-run", "fails")]


def test_a_control_that_no_longer_fails_cannot_be_accepted() -> None:
    broken = made.control("failed", problem="'abort' had to fail and passed")
    (change,) = found(made.known(), made.result(), broken)
    assert (change.kind, change.level, change.control) == ("control-broken", "fails", True)
    assert change.text == "the control no longer fails as it must: 'abort' had to fail and passed"
    assert failing(taken([change])) == [change]


def test_a_scenario_without_a_control_is_an_error_in_the_gate() -> None:
    assert kinds(found(made.known(), made.result())) == [("no-control", "fails")]
    assert kinds(found(None, made.result())) == [("new-scenario", "warns"), ("no-control", "fails")]


def test_a_control_that_the_agent_cannot_run_is_known_or_to_accept() -> None:
    skipped = made.control("skipped", problem="agent 'pi' has no switch")
    assert found(made.known(control="skipped"), made.result(), skipped) == []
    assert kinds(found(made.known(), made.result(), skipped)) == [("control-skipped", "accept")]


def test_new_scenarios_warn_when_they_pass_and_are_to_accept_when_they_fail() -> None:
    assert kinds(found(None, made.result(), made.control())) == [("new-scenario", "warns")]
    assert kinds(found(None, made.result("failed"), made.control())) == [("new-and-failing", "accept")]


def test_a_scenario_that_is_gone_is_to_accept() -> None:
    (change,) = compare({made.KEY: made.known()}, [], gone=[made.KEY])
    assert (change.kind, change.level, change.scenario) == ("scenario-gone", "accept", "loop")


def test_a_run_that_passed_only_when_made_again_is_flaky() -> None:
    flaky = made.result(attempts=(Attempt("failed", "exit: exit 1", "/e/1", 0.4),))
    (change,) = found(made.known(), flaky, made.control())
    assert (change.kind, change.level) == ("flaky", "warns")
    assert change.text == "is flaky: 1 of 2 attempts passed; exit: exit 1"


@pytest.mark.parametrize(("seconds", "changes"), [(2.9, []), (3.1, [("slower", "warns")])])
def test_a_duration_two_classes_away_warns(seconds: float, changes: list[tuple[str, str]]) -> None:
    assert kinds(found(made.known(), made.result(duration_s=seconds), made.control())) == changes


def test_a_new_baseline_says_what_was_seen_and_keeps_a_duration_that_is_near() -> None:
    results = [made.result(duration_s=1.5), made.control()]
    assert known(results, {made.KEY: made.known()}) == {made.KEY: made.known()}
    assert known(results, {})[made.KEY].duration == "under 3 s"
    assert duration_class(99) == "over 30 s"


def test_what_was_accepted_is_no_finding_any_more() -> None:
    late = made.result(stops=(replace(made.LOOP, fired_at=1700),), requests=3)
    results = [late, made.control()]
    assert len(compare({made.KEY: made.known()}, results)) == 2
    assert compare(known(results, {}), results) == ()


def test_taking_a_difference_settles_it_and_what_the_baseline_should_say_but_nothing_else() -> None:
    late = replace(made.LOOP, fired_at=1700)
    flaky = made.control(attempts=(Attempt("failed", "", "/e/1", 0.4),))
    changes = found(made.known(verdict="failed"), made.result(stops=(late,)), flaky)
    assert kinds(changes) == [("caught-later", "accept"), ("passes-now", "warns"), ("flaky", "warns")]
    settled = list(taken(changes))
    assert kinds(settled) == [("caught-later", "accepted"), ("passes-now", "accepted"), ("flaky", "warns")]
    assert [change.text for change in settled] == [change.text for change in changes]
    assert failing(settled) == []


def test_a_scenario_that_is_skipped_now_is_to_accept() -> None:
    skipped = made.result("skipped", problem="agent 'pi' cannot do that", stops=(made.LOOP,))
    changes = found(made.known(), skipped, made.control())
    assert kinds(changes) == [("skipped-now", "accept")]
    assert changes[0].text == "is skipped now: agent 'pi' cannot do that"


def test_a_control_that_could_not_be_run_fails_and_a_flaky_one_warns() -> None:
    error = made.control("error", problem="timed out")
    assert kinds(found(made.known(), made.result(), error)) == [("could-not-run", "fails")]
    flaky = made.control(attempts=(Attempt("failed", "", "/e/1", 0.4),))
    (change,) = found(made.known(), made.result(), flaky)
    assert (change.kind, change.control, change.text) == ("flaky", True, "is flaky: 1 of 2 attempts passed")
