"""docs/scenarios.md says what the reader of scenarios does."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from harness.scenario_shape import ALL_STEPS
from harness.scenario_yaml import parse_scenario
from mock_llm.generators import GENERATORS

REFERENCE = Path(__file__).with_name("reference.py")
PAGE = Path(__file__).parents[2] / "docs" / "scenarios.md"


def test_the_tables_are_those_of_the_shapes() -> None:
    page = PAGE.read_text(encoding="utf-8")
    renewed = runpy.run_path(str(REFERENCE))["with_tables"](page)
    assert page == renewed, "run 'python tests/docs/reference.py' and read what changed"


@pytest.mark.parametrize("name", [*ALL_STEPS, *GENERATORS])
def test_every_step_and_every_generator_has_a_section(name: str) -> None:
    assert f"\n### `{name}`\n" in PAGE.read_text(encoding="utf-8")


def test_the_example_is_a_scenario() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    scenario = parse_scenario(example, "scenarios/my-loop.yaml")
    assert scenario.control is not None
    assert not scenario.warnings
