"""The JSON Schemas that editors use: shipped files fit them, files of a wrong shape do not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft7Validator

from harness.cli import main
from harness.scenario_shape import ALL_STEPS, SCENARIO
from mock_llm.generators import GENERATORS
from mock_llm.located import open_source, parse_yaml, plain
from mock_llm.schema import json_schema, schema_document, script_schema
from mock_llm.shape import Field, Int, ListOf, Record, Str

ROOT = Path(__file__).parents[2]
ERRORS = ROOT / "tests" / "golden" / "errors"
SCENARIOS = sorted((ROOT / "scenarios").glob("*.yaml"))
SCRIPTS = re.findall(
    r"```yaml\n(.*?)```", (ROOT / "docs" / "scripts.md").read_text(encoding="utf-8"), re.DOTALL
)
# What is wrong in these is no matter of shape: YAML itself, names, numbers of replies, files, patterns.
NOT_SHAPE = {
    "bad-regex",
    "brace-at-the-start",
    "colon-in-a-text",
    "control-without-a-cause",
    "duplicate-key",
    "generator-values-that-do-not-fit",
    "include-of-itself",
    "include-with-a-mistake",
    "missing-file",
    "must-fail-names-no-step",
    "name-is-not-the-file",
    "reply-out-of-range",
    "second-document",
    "syntax-error",
    "tab-indent",
    "terminal-mode",
    "text-after-a-quote",
    "unclosed-quote",
    "unknown-variable",
    "wide-characters",
}
BROKEN = sorted(path.stem for path in ERRORS.glob("*.yaml") if path.stem not in NOT_SHAPE)


def value_of(text: str | bytes) -> Any:
    node = parse_yaml(open_source("a.yaml", text))
    return plain(node) if node else None


@pytest.fixture(scope="module")
def scenario_validator() -> Draft7Validator:
    printed = CliRunner().invoke(main, ["schema"])
    assert printed.exit_code == 0
    return Draft7Validator(json.loads(printed.output))


@pytest.fixture(scope="module")
def script_validator() -> Draft7Validator:
    return Draft7Validator(json.loads(json.dumps(script_schema())))


def test_both_schemas_are_schemas(
    scenario_validator: Draft7Validator, script_validator: Draft7Validator
) -> None:
    for validator in (scenario_validator, script_validator):
        Draft7Validator.check_schema(validator.schema)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: str(path.stem))
def test_a_shipped_scenario_fits(path: Path, scenario_validator: Draft7Validator) -> None:
    assert [error.message for error in scenario_validator.iter_errors(value_of(path.read_bytes()))] == []


@pytest.mark.parametrize("script", SCRIPTS, ids=range(len(SCRIPTS)))
def test_a_script_of_the_page_fits(script: str, script_validator: Draft7Validator) -> None:
    assert [error.message for error in script_validator.iter_errors(value_of(script))] == []


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_of_a_wrong_shape_does_not_fit(name: str, scenario_validator: Draft7Validator) -> None:
    assert not scenario_validator.is_valid(value_of((ERRORS / f"{name}.yaml").read_bytes()))


@pytest.mark.parametrize("name", sorted(NOT_SHAPE))
def test_every_exception_names_a_file(name: str) -> None:
    assert (ERRORS / f"{name}.yaml").exists()


def test_an_editor_is_offered_every_key_with_what_it_means(scenario_validator: Draft7Validator) -> None:
    schema = scenario_validator.schema
    assert isinstance(schema, dict)
    assert set(schema["properties"]) == set(SCENARIO.fields)
    assert schema["properties"]["prompt"]["description"].startswith("What the user asks")
    definitions = schema["definitions"]
    assert set(ALL_STEPS) == set(definitions["step"]["properties"])
    assert set(GENERATORS) | {"file"} == set(definitions["text-source"]["properties"])
    assert {"say", "think", "call", "refuse", "when", "stream", "fault"} <= set(
        definitions["turn"]["properties"]
    )
    assert {"last_user", "tool_result", "json", "nth"} <= set(definitions["matcher"]["properties"])


def test_mappings_of_one_name_that_differ_are_both_there() -> None:
    def pet(legs: str) -> Record:
        return Record(
            "a pet", {legs: Field(Int("How many there are, all of them counted from the front to the back."))}
        )

    shape = Record(
        "a zoo", {"a": Field(pet("legs")), "b": Field(pet("wings")), "c": Field(ListOf(pet("legs")))}
    )
    schema = schema_document(shape, "a zoo")
    references = [schema["properties"][key] for key in "ab"]
    assert references == [{"$ref": "#/definitions/pet"}, {"$ref": "#/definitions/pet-2"}]
    assert schema["properties"]["c"]["items"] == references[0]


def test_without_definitions_everything_is_in_one_piece() -> None:
    shape = ListOf(
        Record("a pet", {"name": Field(Str("What it is called by those who know it well enough." * 3))})
    )
    assert "$ref" not in json.dumps(json_schema(shape))
