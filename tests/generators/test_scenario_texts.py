"""The shipped scenarios: each loop fires by the mechanism it names and by no other, healthy ones by none."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import pytest

from harness.detectors.guard import Guard
from harness.detectors.mechanisms import PUBLISHED
from harness.scenario_yaml import load_scenario
from harness.steps.arguments import Abort, Truncation
from mock_llm.turn import Part, Text, Thinking, Turn, content

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.detectors.finding import Finding, StreamKind
    from harness.detectors.mechanisms import Profile
    from harness.scenario import Scenario

_Args = TypeVar("_Args", Abort, Truncation)

FOLDER = Path(__file__).parents[2] / "scenarios"
MARKER = "[output interrupted by stream rule]"
SCENARIOS = [load_scenario(path) for path in sorted(FOLDER.glob("*.yaml"))]
LOOPS = [scenario for scenario in SCENARIOS if "ttsr" in scenario.tags]
OTHERS = [scenario for scenario in SCENARIOS if "ttsr" not in scenario.tags]
FIRST_INCIDENT = "ttsr-incident-2026-09-03"
# What fires, and where, when the mechanism that a scenario names is taken out; otherwise nothing does.
SEEN_BY_ANOTHER = {
    FIRST_INCIDENT: ("near-duplicate-paragraphs", 8_954),
    "ttsr-collapse": ("short-period", 571),
}


class Stop(NamedTuple):
    """One reply that a guard stops, and what the steps say of it."""

    name: str
    turn: Turn
    abort: Abort
    truncation: Truncation

    @property
    def text(self) -> str:
        return "".join(content(part) for part in self.turn.parts if stream_of(part) == self.abort.stream)


def stops_of(scenario: Scenario) -> list[Stop]:
    """The replies that are stopped for what they say themselves, not for what was said before."""
    aborts = [step.args for step in scenario.steps if isinstance(step.args, Abort)]
    cut = {step.args.reply: step.args for step in scenario.steps if isinstance(step.args, Truncation)}
    return [
        Stop(scenario.name, scenario.model[abort.reply - 1].turn, abort, cut[abort.reply])
        for abort in aborts
        if abort.rule != "repetitive-turns"
    ]


STOPS = [stop for scenario in LOOPS for stop in stops_of(scenario)]

each_loop = pytest.mark.parametrize("scenario", LOOPS, ids=lambda scenario: scenario.name)
each_other = pytest.mark.parametrize("scenario", OTHERS, ids=lambda scenario: scenario.name)
each_stop = pytest.mark.parametrize("stop", STOPS, ids=lambda stop: f"{stop.name}-{stop.abort.reply}")


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


@each_stop
def test_a_loop_fires_where_its_steps_say(stop: Stop) -> None:
    abort, truncation = stop.abort, stop.truncation
    finding = finding_in(stop.turn, PUBLISHED)
    assert finding is not None
    assert (finding.rule, finding.mechanism, finding.fired_at) == (
        abort.rule,
        abort.mechanism,
        abort.fired_at,
    )
    assert abort.within_chars is not None
    assert finding.fired_at <= abort.within_chars < len(stop.text)
    assert truncation.stream == abort.stream
    if abort.rule == "control-token-leak":
        assert (truncation.kept_chars, truncation.persisted_chars, truncation.marker) == (0, 0, False)
    else:
        assert truncation.kept_chars == finding.garbage_start
        assert truncation.persisted_chars == finding.garbage_start + len(MARKER)


@each_stop
@pytest.mark.parametrize("chars", [1, 41, 20])
def test_a_loop_fires_there_however_it_is_cut(stop: Stop, chars: int) -> None:
    assert finding_in(stop.turn, PUBLISHED, chars) == finding_in(stop.turn, PUBLISHED)


@each_stop
def test_a_loop_does_not_fire_there_once_its_mechanism_is_taken_out(stop: Stop) -> None:
    assert stop.abort.mechanism is not None
    finding = finding_in(stop.turn, PUBLISHED.without(stop.abort.mechanism))
    assert (finding and (finding.mechanism, finding.fired_at)) == SEEN_BY_ANOTHER.get(stop.name)


NAMED = {stop.abort.mechanism for stop in STOPS}


@pytest.mark.parametrize("mechanism", [name for name in PUBLISHED.ids if name != "repetitive-turns"])
def test_a_missing_mechanism_fails_the_scenarios_that_name_it_and_no_other(mechanism: str) -> None:
    def findings(profile: Profile) -> dict[str, list[Finding | None]]:
        return {each.name: [finding_in(turn.turn, profile) for turn in each.model] for each in SCENARIOS}

    whole, mutant = findings(PUBLISHED), findings(PUBLISHED.without(mechanism))
    naming = {stop.name for stop in STOPS if stop.abort.mechanism == mechanism}
    assert naming
    assert {name for name in whole if whole[name] != mutant[name]} == naming


@each_stop
def test_a_loop_fires_by_its_mechanism_alone(stop: Stop) -> None:
    others = [name for name in PUBLISHED.ids if name != stop.abort.mechanism]
    assert finding_in(stop.turn, PUBLISHED.without(*others)) == finding_in(stop.turn, PUBLISHED)


@each_loop
def test_a_loop_has_a_control_without_what_stops_it_and_recovers_or_fails(scenario: Scenario) -> None:
    abort = step(scenario, Abort)
    assert scenario.control is not None
    assert scenario.control.disable in ((abort.rule,), (abort.mechanism,))
    replies = [getattr(one.args, "reply", None) for one in scenario.steps if one.kind == "recovery"]
    last = (replies[0] if replies else None) or len(scenario.model)
    recovers = "RECOVERED {nonce}" in content(scenario.model[last - 1].turn.parts[0])
    code = next(step.args.code for step in scenario.steps if step.kind == "exit")
    assert recovers == (code == 0)
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


def test_the_first_incident_fires_in_its_third_cycle() -> None:
    stop = next(stop for stop in STOPS if stop.name == FIRST_INCIDENT)
    assert (len(stop.text), stop.abort.mechanism, stop.abort.fired_at) == (38_193, "paragraph-repeat", 8_954)
    cycle = stop.truncation.kept_chars
    assert cycle == 4_177
    assert 2 * cycle < 8_954 < 3 * cycle


def test_the_second_incident_is_silent_under_the_exact_rule() -> None:
    scenario = named("ttsr-incident-2026-09-16")
    (stop,) = stops_of(scenario)
    assert (stop.abort.mechanism, stop.abort.fired_at) == ("near-duplicate-paragraphs", 1_935)
    assert len(stop.text) == 39_835
    others = [name for name in PUBLISHED.ids if name != "paragraph-repeat"]
    assert finding_in(stop.turn, PUBLISHED.without(*others)) is None
    assert scenario.control is not None
    assert scenario.control.disable == ("near-duplicate-paragraphs",)


def _without_fence(text: str) -> str:
    return text.replace("```python\n", "").replace("```", "")


def _as_prose(text: str) -> str:
    """Code without what gives it away: its indentation and the last character of its lines."""
    return "\n".join(line.strip().rstrip("{}[](;,>") for line in text.split("\n"))


def _with_third_copy(text: str) -> str:
    callback = next(p for p in text.split("\n\n") if text.count(p) == 2)
    return f"{text}\n{callback}\n\n"


# What makes a healthy text one of the loops that it comes near to, and what then fires.
NEAR_MISSES: dict[str, tuple[Callable[[str], str], str]] = {
    "healthy-fenced-code": (_without_fence, "near-duplicate-paragraphs"),
    "healthy-code-lines": (_as_prose, "near-duplicate-paragraphs"),
    "healthy-box-table": (lambda text: text.replace("┼", "x"), "line-cycle"),
    "healthy-base64": (lambda text: text.replace("AB", "A*"), "short-period"),
    "healthy-base64-args": (lambda text: text.replace("AB", "A*"), "short-period"),
    "healthy-separators": (lambda text: text.replace("-=", "-!"), "short-period"),
    "healthy-callback": (_with_third_copy, "paragraph-repeat"),
    "healthy-few-echoes": (lambda text: text + text[-900:], "near-duplicate-paragraphs"),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_a_healthy_text_is_a_near_miss(name: str) -> None:
    change, mechanism = NEAR_MISSES[name]
    part = named(name).model[0].turn.parts[0]
    guard = Guard()
    finding = guard.feed(0, stream_of(part), change(content(part)))
    assert finding is not None
    assert finding.mechanism == mechanism


def test_every_false_alarm_that_is_avoided_on_purpose_has_a_scenario() -> None:
    assert set(NEAR_MISSES) < {scenario.name for scenario in OTHERS}


def test_the_scenarios_are_there() -> None:
    assert {scenario.name for scenario in SCENARIOS} >= {
        "gap-long-distinct-cycle",
        "gap-tool-args-lines",
        "healthy-item-list",
        "healthy-item-tools",
        "healthy-prose",
        "ttsr-collapse",
        "ttsr-digit-drift",
        "ttsr-incident-2026-09-03",
        "ttsr-incident-2026-09-16",
        "ttsr-leak",
        "ttsr-leak-twice",
        "ttsr-line-cycle",
        "ttsr-long-cycle",
        "ttsr-near-duplicate-loop",
        "ttsr-never-recovers",
        "ttsr-paragraph-loop",
        "ttsr-repetitive-turns",
        "ttsr-repetitive-turns-again",
        "ttsr-short-period",
        "ttsr-thinking-loop",
        "ttsr-tool-args",
        "ttsr-whitespace-flood",
    }


TURNS = [scenario for scenario in LOOPS if "turns" in scenario.tags]


@pytest.mark.parametrize("scenario", TURNS, ids=lambda scenario: scenario.name)
@pytest.mark.parametrize("chars", [1, 41, 1000])
def test_near_copies_fire_where_the_steps_say(scenario: Scenario, chars: int) -> None:
    aborts = {step.args.reply: step.args for step in scenario.steps if isinstance(step.args, Abort)}
    cut = {step.args.reply: step.args for step in scenario.steps if isinstance(step.args, Truncation)}
    said: list[str] = []
    turns = PUBLISHED.turns()
    assert turns is not None
    for number, scripted in enumerate(scenario.model, 1):
        text = content(scripted.turn.parts[0])
        guard = Guard(turns=turns)
        pieces = [text[at : at + chars] for at in range(0, len(text), chars)]
        found = next((f for f in [guard.feed(0, "text", piece) for piece in pieces] if f), None)
        if number in aborts:
            assert found is not None
            assert (found.mechanism, found.fired_at) == ("repetitive-turns", aborts[number].fired_at)
            assert (cut[number].kept_chars, cut[number].marker) == (found.fired_at, False)
            text = text[: found.fired_at]
        else:
            assert found is None
        turns.remember(text)
        if found:
            turns.rearm()
        said.append(text)
    assert set(aborts) <= set(range(1, len(said) + 1))


def test_one_of_them_is_told_over_a_restart() -> None:
    assert named("ttsr-repetitive-turns").then


def test_every_mechanism_of_a_single_reply_has_a_scenario() -> None:
    assert {*NAMED, "repetitive-turns"} == set(PUBLISHED.ids)
