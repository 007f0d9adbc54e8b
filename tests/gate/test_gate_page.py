"""docs/gate.md, the action and the CI examples say what is so."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from harness.commands.gate import gate
from harness.commands.merge import merge
from harness.gate.baseline_file import parse_gate
from harness.report_files import KINDS
from harness.reporters.layout import GRAVITY

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "gate.md").read_text()


def test_the_table_names_every_finding_and_no_other() -> None:
    sources = "".join(
        (ROOT / "harness" / "gate" / name).read_text() for name in ("comparison.py", "mutants.py")
    )
    made = set(re.findall(r'(?:Change|_change)\(\s*f?"([a-z-]+)"', sources)) | {
        "caught-earlier",
        "caught-later",
    }
    assert 'f"caught-{way}"' in sources
    rows = [
        line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `") and "--report" not in line
    ]
    told = {kind for row in rows for kind in re.findall(r"`([a-z-]+)`", row)}
    assert made - {"caught-"} == told == set(GRAVITY)


def test_the_example_of_the_settings_is_one() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    settings = parse_gate(example, "gate.yaml")
    assert (settings.dialect, settings.later_chars, settings.detector) == ("all", 20, ("src/guards/**",))


def test_every_kind_of_report_is_on_the_page() -> None:
    assert set(re.findall(r"`--report (\w+)", PAGE)) == set(KINDS)


def _commands(text: str) -> list[list[str]]:
    return [
        shlex.split(line)
        for line in re.findall(r"^\s*(?:- )?(?:run: )?(qa (?:gate|merge) .*)$", text, re.MULTILINE)
    ]


@pytest.mark.parametrize("file", ["docs/ci/github.yml", "docs/ci/gitlab.yml", "action.yml"])
def test_the_options_in_the_examples_are_options(file: str) -> None:
    text = (ROOT / file).read_text()
    assert isinstance(yaml.safe_load(text), dict)
    known = {"gate": gate, "merge": merge}
    found = _commands(text.replace("\\\n", ""))
    assert found
    for words in found:
        command: click.Command = known[words[1]]
        options = {opt for parameter in command.params for opt in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= options


def test_the_workflow_gives_the_action_only_inputs_that_it_has() -> None:
    action: Any = yaml.safe_load((ROOT / "action.yml").read_text())
    workflow: Any = yaml.safe_load((ROOT / "docs/ci/github.yml").read_text())
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    (given,) = [step["with"] for step in steps if "ttsr-qa@" in step.get("uses", "")]
    assert set(given) <= set(action["inputs"])


@pytest.mark.parametrize(("option", "title"), [("--results", "results of qa"), ("--gate", "the gate of qa")])
def test_the_schemas_are_printed(option: str, title: str) -> None:
    import json

    import jsonschema
    from click.testing import CliRunner

    from harness.commands.schema import schema

    done = CliRunner().invoke(schema, [option])
    value = json.loads(done.stdout)
    assert (done.exit_code, value["title"]) == (0, title)
    jsonschema.Draft7Validator.check_schema(value)
