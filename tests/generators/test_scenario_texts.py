"""The shipped scenarios: each loop fires by the mechanism it names and by no other, healthy ones by none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pytest

from harness.detectors.guard import Guard
from harness.detectors.mechanisms import PUBLISHED
from harness.scenario_yaml import load_scenario
from harness.steps.arguments import Abort, Truncation
from mock_llm.turn import Part, Text, Thinking, content

if TYPE_CHECKING:
    from harness.detectors.finding import Finding, StreamKind
    from harness.detectors.mechanisms import Profile
    from harness.scenario import Scenario
    from mock_llm.turn import Turn

_Args = TypeVar("_Args", Abort, Truncation)

FOLDER = Path(__file__).parents[2] / "scenarios"
MARKER = "[output interrupted by stream rule]"
SCENARIOS = [load_scenario(path) for path in sorted(FOLDER.glob("*.yaml"))]
LOOPS = [scenario for scenario in SCENARIOS if "ttsr" in scenario.tags]
OTHERS = [scenario for scenario in SCENARIOS if "ttsr" not in scenario.tags]

each_loop = pytest.mark.parametrize("scenario", LOOPS, ids=lambda scenario: scenario.name)
each_other = pytest.mark.parametrize("scenario", OTHERS, ids=lambda scenario: scenario.name)


def named(name: str) -> Scenario:
    return next(scenario for scenario in SCENARIOS if scenario.name == name)


def step(scenario: Scenario, kind: type[_Args]) -> _Args:
    return next(step.args for step in scenario.steps if isinstance(step.args, kind))


def stream_of(part: Part) -> StreamKind:
    if isinstance(part, Text):
        return "text"
    return "thinking" if isinstance(part, Thinking) else "tool"


def finding_in(turn: Turn, profile: Profile, chars: int | None = None) -> Finding | None:
    """What a guard says about a turn, whole or cut into pieces of so many characters."""
    guard = Guard(profile=profile)
    for index, part in enumerate(turn.parts):
        text = content(part)
        size = chars or len(text)
        for at in range(0, len(text), size):
            guard.feed(index, stream_of(part), text[at : at + size])
    return guard.finding


def looping_text(scenario: Scenario) -> str:
    return content(scenario.model[0].turn.parts[0])


def paragraphs_of(scenario: Scenario) -> list[str]:
    return looping_text(scenario).removesuffix("\n\n").split("\n\n")


@each_loop
def test_a_loop_fires_where_its_steps_say(scenario: Scenario) -> None:
    abort, truncation = step(scenario, Abort), step(scenario, Truncation)
    finding = finding_in(scenario.model[0].turn, PUBLISHED)
    assert finding is not None
    assert (finding.rule, finding.mechanism, finding.fired_at) == (
        abort.rule,
        abort.mechanism,
        abort.fired_at,
    )
    assert finding.garbage_start == truncation.kept_chars
    assert finding.garbage_start + len(MARKER) == truncation.persisted_chars
    assert abort.within_chars is not None
    assert finding.fired_at <= abort.within_chars < len(looping_text(scenario))


@each_loop
@pytest.mark.parametrize("chars", [1, 41, 20])
def test_a_loop_fires_there_however_it_is_cut(scenario: Scenario, chars: int) -> None:
    turn = scenario.model[0].turn
    assert finding_in(turn, PUBLISHED, chars) == finding_in(turn, PUBLISHED)


@each_loop
def test_a_loop_does_not_fire_once_its_mechanism_is_taken_out(scenario: Scenario) -> None:
    mechanism = step(scenario, Abort).mechanism
    assert mechanism is not None
    assert finding_in(scenario.model[0].turn, PUBLISHED.without(mechanism)) is None


NAMED = {step(loop, Abort).mechanism for loop in LOOPS}


@pytest.mark.parametrize("mechanism", [name for name in PUBLISHED.ids if name in NAMED])
def test_a_missing_mechanism_fails_the_scenarios_that_name_it_and_no_other(mechanism: str) -> None:
    def findings(profile: Profile) -> dict[str, list[Finding | None]]:
        return {each.name: [finding_in(turn.turn, profile) for turn in each.model] for each in SCENARIOS}

    whole, mutant = findings(PUBLISHED), findings(PUBLISHED.without(mechanism))
    naming = {loop.name for loop in LOOPS if step(loop, Abort).mechanism == mechanism}
    assert naming
    assert {name for name in whole if whole[name] != mutant[name]} == naming


@each_loop
def test_a_loop_fires_by_its_mechanism_alone(scenario: Scenario) -> None:
    mechanism = step(scenario, Abort).mechanism
    others = [name for name in PUBLISHED.ids if name != mechanism]
    finding = finding_in(scenario.model[0].turn, PUBLISHED.without(*others))
    assert finding == finding_in(scenario.model[0].turn, PUBLISHED)


@each_loop
def test_a_loop_has_a_control_without_its_rule_and_recovers_in_the_second_turn(scenario: Scenario) -> None:
    assert scenario.control is not None
    assert scenario.control.disable == (step(scenario, Abort).rule,)
    assert content(scenario.model[1].turn.parts[0]) == "RECOVERED {nonce}"
    assert "RECOVERED {nonce}" in scenario.prompt
    assert "gate" in scenario.tags


@each_other
def test_no_guard_stops_a_healthy_scenario_and_its_control_is_a_loop(scenario: Scenario) -> None:
    assert all(finding_in(turn.turn, PUBLISHED) is None for turn in scenario.model)
    assert scenario.control is not None
    assert finding_in(scenario.control.model[0].turn, PUBLISHED) is not None


def test_the_published_figures_of_the_paragraph_loop() -> None:
    paragraphs = paragraphs_of(named("ttsr-paragraph-loop"))
    assert len(looping_text(named("ttsr-paragraph-loop"))) == 1362
    assert (len(paragraphs), len(set(paragraphs))) == (9, 3)
    assert step(named("ttsr-paragraph-loop"), Truncation).persisted_chars == 489


def test_the_published_figures_of_the_near_duplicate_loop() -> None:
    scenario = named("ttsr-near-duplicate-loop")
    paragraphs = paragraphs_of(scenario)
    assert len(looping_text(scenario)) == 2446
    assert (len(paragraphs), len(set(paragraphs))) == (15, 15)
    assert (step(scenario, Abort).fired_at, step(scenario, Truncation).kept_chars) == (1797, 492)
    assert step(scenario, Truncation).persisted_chars == 527


@pytest.mark.parametrize("name", ["ttsr-long-cycle", "gap-long-distinct-cycle"])
def test_a_long_cycle_has_114_paragraphs_and_at_most_two_equal_ones_in_a_ring(name: str) -> None:
    paragraphs = paragraphs_of(named(name))
    assert (len(paragraphs), len(set(paragraphs))) == (228, 114)
    for end in range(64, len(paragraphs) + 1):
        ring = paragraphs[end - 64 : end]
        assert max(ring.count(paragraph) for paragraph in set(ring)) <= 2


def test_the_gap_is_no_part_of_the_gate() -> None:
    assert named("gap-long-distinct-cycle").tags[0] == "gap"
    assert "gate" not in named("gap-long-distinct-cycle").tags


def test_the_eight_scenarios_are_there() -> None:
    assert {scenario.name for scenario in SCENARIOS} >= {
        "gap-long-distinct-cycle",
        "healthy-item-list",
        "healthy-item-tools",
        "healthy-prose",
        "ttsr-long-cycle",
        "ttsr-near-duplicate-loop",
        "ttsr-paragraph-loop",
        "ttsr-thinking-loop",
    }
