"""The JSON Schema of agent descriptions: shipped ones and the page's examples fit, those of a wrong shape do not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft7Validator

from harness.agents.agent_shape import AGENT
from harness.agents.locate import DESCRIPTIONS
from harness.cli import main
from mock_llm.located import open_source, parse_yaml, plain

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden" / "agents"
PAGE = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
# What is wrong in these is no matter of shape: YAML itself, names of places, readers and templates.
NOT_SHAPE = {"broken-syntax", "paths-outside", "unfilled-templates", "unknown-reader", "terminal-mistakes"}
BROKEN = sorted(path.stem for path in GOLDEN.glob("*.yaml") if path.stem not in NOT_SHAPE)


def value_of(text: str | bytes) -> Any:
    node = parse_yaml(open_source("a.yaml", text))
    return plain(node) if node else None


@pytest.fixture(scope="module")
def validator() -> Draft7Validator:
    printed = CliRunner().invoke(main, ["schema", "--agent"])
    assert printed.exit_code == 0
    schema = json.loads(printed.output)
    Draft7Validator.check_schema(schema)
    return Draft7Validator(schema)


@pytest.mark.parametrize("path", sorted(DESCRIPTIONS.glob("*.yaml")), ids=lambda path: str(path.stem))
def test_a_shipped_description_fits(path: Path, validator: Draft7Validator) -> None:
    assert [error.message for error in validator.iter_errors(value_of(path.read_bytes()))] == []


@pytest.mark.parametrize("number", [0, 1])
def test_an_example_of_the_page_fits(number: int, validator: Draft7Validator) -> None:
    example = re.findall(r"```yaml\n(agent:.*?)```", PAGE, re.DOTALL)[number]
    assert [error.message for error in validator.iter_errors(value_of(example))] == []


@pytest.mark.parametrize("name", BROKEN)
def test_a_description_of_a_wrong_shape_does_not_fit(name: str, validator: Draft7Validator) -> None:
    assert not validator.is_valid(value_of((GOLDEN / f"{name}.yaml").read_bytes()))


@pytest.mark.parametrize("name", sorted(NOT_SHAPE))
def test_every_exception_names_a_file(name: str) -> None:
    assert (GOLDEN / f"{name}.yaml").exists()


def test_an_editor_is_offered_every_key_with_what_it_means(validator: Draft7Validator) -> None:
    properties = validator.schema["properties"]  # type: ignore[index]
    assert set(properties) == set(AGENT.fields)
    assert properties["one_shot"]["description"].startswith("Arguments of a run with one prompt")
