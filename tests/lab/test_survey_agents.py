"""The agents of a survey by their words, and how their scenarios are played."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from harness.agents.locate import load_agent
from harness.lab.survey_agents import Wanted, aimed, parse_agent, usual
from harness.lab.survey_scenario import calls_in, kind_of, looked_at, row_of, surveyed
from harness.problems import UserError
from harness.scenario_yaml import load_scenario

SCENARIOS = Path(__file__).parents[2] / "scenarios"
SURVEYED = sorted((SCENARIOS / "survey").glob("*.yaml"))


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("pi", Wanted("pi", "pi")),
        ("./my.yaml", Wanted("./my.yaml", "./my.yaml")),
        ("qwen:on=loop-detection", Wanted("qwen:on=loop-detection", "qwen", on=("loop-detection",))),
        ("gemini:terminal", Wanted("gemini:terminal", "gemini", terminal=True)),
        ("omp:model=a/b:c,off=x", Wanted("omp:model=a/b:c,off=x", "omp", off=("x",), model="a/b:c")),
        ("pi:dialect=gemini", Wanted("pi:dialect=gemini", "pi", dialect="gemini")),
    ],
)
def test_a_word_names_an_agent_and_what_is_different(word: str, wanted: Wanted) -> None:
    assert parse_agent(word) == wanted


@pytest.mark.parametrize("word", ["qwen:on=", "omp:model=x,of=y"])
def test_a_setting_that_there_is_not_is_named_with_those_that_there_are(word: str) -> None:
    with pytest.raises(UserError, match="there is no setting") as caught:
        parse_agent(word)
    assert "model=ID" in str(caught.value)


def test_a_guard_is_switched_in_the_agents_own_settings() -> None:
    spec = aimed(load_agent("qwen"), parse_agent("qwen:on=loop-detection"))
    assert json.loads(spec.files["{home}/.qwen/settings.json"])["model"] == {"skipLoopDetection": False}
    assert aimed(load_agent("omp"), parse_agent("omp:model=gemini-3.5-flash")).model == "gemini-3.5-flash"


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("qwen:on=loop-detektion", "did you mean 'loop-detection'"),
        ("pi:off=loop", "it has none"),
        ("qwen:off=tool-call-loop", "no switch 'off'"),
        ("codex:dialect=gemini", "does not speak 'gemini'"),
    ],
)
def test_what_an_agent_cannot_is_said(word: str, reason: str) -> None:
    wanted = parse_agent(word)
    with pytest.raises(UserError, match=reason):
        aimed(load_agent(wanted.name), wanted)


def test_an_agent_without_a_terminal_mode_cannot_be_surveyed_in_one() -> None:
    wanted = parse_agent("cline:terminal")
    assert aimed(load_agent("cline"), wanted).terminal
    with pytest.raises(UserError, match="run only one-shot"):
        aimed(load_agent("cline")._replace(terminal=None), wanted)


def test_every_word_of_the_page_names_an_agent_that_can_be_had_so() -> None:
    page = (SCENARIOS.parent / "docs" / "survey.md").read_text(encoding="utf-8")
    words = re.findall(r"`([a-z]+:(?:on|off|model|dialect|terminal)[^`]*)`", page)
    assert len(words) >= 6
    for word in words:
        assert aimed(load_agent(word.partition(":")[0]), parse_agent(word)).name == word.partition(":")[0]


def test_a_guard_that_is_off_gives_the_agent_a_second_column() -> None:
    assert usual(load_agent("qwen")) == ["qwen", "qwen:on=loop-detection"]
    assert usual(load_agent("omp")) == ["omp"]


def test_loops_and_healthy_answers_are_told_by_their_tags() -> None:
    kinds = {path.stem: kind_of(load_scenario(path)) for path in SCENARIOS.glob("*.yaml")}
    assert kinds["ttsr-paragraph-loop"] == kinds["gap-tool-args-lines"] == "loop"
    assert kinds["healthy-prose"] == "healthy"
    assert kinds["ttsr-terminal-loop"] is kinds["ttsr-repetitive-turns"] is None


@pytest.mark.parametrize("path", SURVEYED, ids=lambda path: str(path.stem))
def test_a_scenario_of_the_survey_says_what_its_name_says(path: Path) -> None:
    scenario = load_scenario(path)
    kind = kind_of(scenario)
    assert kind is not None
    row = row_of(scenario, kind)
    assert row.kind == ("loop" if path.stem.startswith("loop-") else "healthy")
    wanted = "thinking" if "thinking" in path.stem else "calls" if "calls" in path.stem else "text"
    assert row.looks == wanted


def test_reports_in_nearly_the_same_words_are_a_loop_of_text_though_each_calls_a_tool() -> None:
    scenario = load_scenario(SCENARIOS / "ttsr-repetitive-turns-again.yaml")
    assert row_of(scenario, "loop").looks == "text"
    assert looked_at(scenario) > 1


def test_the_loops_have_the_published_sizes() -> None:
    turns = {path.stem: load_scenario(path).model[0].turn for path in SURVEYED}
    assert turns["loop-exact"].chars == 4032
    assert turns["loop-sentence"].chars == 72 * 60
    assert calls_in(load_scenario(SCENARIOS / "survey" / "loop-tool-calls.yaml")) == 14


def test_every_long_reply_is_streamed_at_one_pace_and_an_endless_one_ends() -> None:
    played = surveyed(load_scenario(SCENARIOS / "ttsr-collapse.yaml"), timeout_s=9)
    stream = played.model[0].stream
    assert (stream.deltas, stream.chars_per_delta, stream.every_ms) == (None, 24, 10)
    assert stream.cap_chars == 24_000
    assert played.timeout_s == 9
    assert played.steps == ()
    assert played.when_exhausted == played.model[-1]


def test_a_guard_that_asks_without_the_prompt_is_answered_beside_the_conversation() -> None:
    scenario = load_scenario(SCENARIOS / "survey" / "loop-exact.yaml")
    (lane,) = surveyed(scenario, timeout_s=9, guards_say=["System: loop"]).lanes
    assert [(check.how, check.wanted) for check in lane.match] == [
        ("contains", "System: loop"),
        ("lacks", "{nonce}"),
    ]


def test_in_a_terminal_the_prompt_is_typed_and_the_end_of_the_loop_waited_for() -> None:
    scenario = load_scenario(SCENARIOS / "survey" / "loop-exact.yaml")
    played = surveyed(scenario, timeout_s=60, terminal=True)
    assert played.mode == "terminal"
    assert [step.label for step in played.steps] == ["wait_for", "type", "wait_for#2", "wait_for#3"]
    assert played.steps[1].args.text == "{prompt}"
    assert looked_at(scenario) == played.steps[2].args.reply == 1
