"""docs/terminal.md says what is done in a terminal."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from harness.agents.locate import load_agent
from harness.agents.spec_yaml import parse_agent
from harness.scenario_yaml import parse_scenario
from harness.steps.driving_arguments import DEFAULT_WITHIN_S, DRIVING_SHAPES
from harness.terminal.answers import NAME
from harness.terminal.keys import NAMES
from harness.terminal.pty import COLUMNS, ROWS
from tests.e2e.qa_command import Qa

PAGE = (Path(__file__).parents[2] / "docs" / "terminal.md").read_text(encoding="utf-8")
EXAMPLE, TERMINAL = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def test_the_example_passes(tmp_path: Path) -> None:
    qa = Qa(tmp_path)
    (tmp_path / "scenarios").mkdir()
    # The reference agent stops a reply with Ctrl-C.
    text = EXAMPLE.replace("press: esc", "press: ctrl-c")
    (tmp_path / "scenarios" / "my-session.yaml").write_text(text)
    ended = qa("run", "my-session")
    assert ended.code == 0, ended.out


def test_the_example_is_a_scenario_of_most_steps_that_drive() -> None:
    scenario = parse_scenario(EXAMPLE, "scenarios/my-session.yaml")
    assert {step.kind for step in scenario.steps} >= set(DRIVING_SHAPES) - {"resize", "signal"}


def test_the_described_terminal_is_that_of_pi_but_for_its_arguments() -> None:
    described = yaml.safe_load(TERMINAL)
    agent = {
        "agent": "mine",
        "command": ["mine"],
        "one_shot": ["{prompt}"],
        "dialects": {"gemini": {}},
        **described,
    }
    terminal = parse_agent(yaml.safe_dump(agent), "mine.yaml").terminal
    pi = load_agent("pi").terminal
    assert terminal is not None
    assert pi is not None
    assert (terminal.ready, terminal.submit, terminal.quit) == (pi.ready, pi.submit, pi.quit)


def test_the_named_keys_and_figures_are_those_of_the_code() -> None:
    for name in NAMES:
        assert f"`{name}`" in PAGE or re.fullmatch("f([2-9]|1[01])", name), name
    assert f"`{NAME}`" in PAGE
    assert f"{COLUMNS} columns and {ROWS} rows" in PAGE
    assert f"({DEFAULT_WITHIN_S:g} unless the step says otherwise)" in PAGE
