"""``action.yml``: a composite action as GitHub defines it, and its steps run here as GitHub would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import junitparser
import pytest
import yaml

from harness.results_json import parse_results
from tests.gate.detector_repository import Repository, made_in

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "action.yml").read_text()
ACTION: Any = yaml.safe_load(TEXT)
INSTALL, GATE = ACTION["runs"]["steps"]

# What GitHub's page on the syntax of metadata allows in a composite action.
TOP = {"name", "author", "description", "inputs", "outputs", "runs", "branding"}
INPUT = {"description", "required", "default", "deprecationMessage"}
RUN_STEP = {"name", "id", "if", "run", "shell", "env", "working-directory", "continue-on-error"}
BASH = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail")
"""How GitHub calls a step with ``shell: bash``."""


def expanded(text: str, inputs: dict[str, str]) -> str:
    """A value of the action with its expressions filled in, which are inputs and nothing else."""
    return re.sub(r"\$\{\{\s*inputs\.([\w-]+)\s*\}\}", lambda match: inputs[match[1]], text)


def is_wanted(step: Any, inputs: dict[str, str]) -> bool:
    """Whether the step's condition holds; only comparisons of an input with an empty text are known here."""
    if "if" not in step:
        return True
    match = re.fullmatch(r"inputs\.([\w-]+) != ''", step["if"])
    assert match, f"a condition that this test cannot judge: {step['if']}"
    return inputs[match[1]] != ""


class Runner:
    """A job on a checkout: the variables and files that GitHub sets, and programs found before all others."""

    def __init__(self, workspace: Path, folder: Path, home: Path) -> None:
        self.workspace, self.programs = workspace, folder / "programs"
        self.programs.mkdir()
        self.summary, self.output = folder / "summary.md", folder / "output"
        self.summary.touch()
        self.output.touch()
        self.env = {
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "LANG": os.environ.get("LANG", "C.UTF-8"),
            "HOME": str(home),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_STEP_SUMMARY": str(self.summary),
            "GITHUB_OUTPUT": str(self.output),
        }

    def program(self, name: str, script: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run(self, step: Any, given: dict[str, str]) -> subprocess.CompletedProcess[str] | None:
        """Run a step in the workspace; None when its condition does not hold."""
        inputs = {name: value["default"] for name, value in ACTION["inputs"].items()} | given
        if not is_wanted(step, inputs):
            return None
        script = self.programs.parent / "step.sh"
        script.write_text(expanded(step["run"], inputs))
        own = {name: expanded(value, inputs) for name, value in step.get("env", {}).items()}
        # A composite action gets no INPUT_ variables; those of the job are there, and must not matter.
        stray = {f"INPUT_{name.upper()}": "stray" for name in inputs}
        return subprocess.run(
            [*BASH, str(script)],
            cwd=self.workspace / expanded(step.get("working-directory", "."), inputs),
            env={**self.env, **stray, **own},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=240,
            check=False,
        )


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return Runner(workspace, tmp_path, tmp_path)


def test_it_is_a_composite_action() -> None:
    assert set(ACTION) <= TOP
    assert {"name", "description", "runs"} <= set(ACTION)
    assert set(ACTION["runs"]) == {"using", "steps"}
    assert ACTION["runs"]["using"] == "composite"
    for step in ACTION["runs"]["steps"]:
        assert set(step) <= RUN_STEP
        assert step["shell"] == "bash"
        assert step["run"].strip()
        assert all(isinstance(value, str) for value in step["env"].values())
    for name, value in ACTION["inputs"].items():
        assert re.fullmatch(r"[a-z][a-z0-9-]*", name)
        assert set(value) <= INPUT
        assert value["description"].endswith(".")
        assert isinstance(value["default"], str), f"{name}: GitHub turns it into a text of its own"


def test_every_input_that_is_used_is_declared_and_every_declared_one_is_used() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", TEXT))
    assert used == set(ACTION["inputs"])
    assert set(re.findall(r"\$\{\{\s*(\w+)", TEXT)) == {"inputs"}


def test_no_input_becomes_a_part_of_a_script() -> None:
    scripts = [step["run"] for step in ACTION["runs"]["steps"]]
    assert not [script for script in scripts if "${{" in script]
    used = set(re.findall(r"QA_[A-Z_]+", "".join(scripts)))
    assert used == {name for step in ACTION["runs"]["steps"] for name in step["env"]}


@pytest.mark.parametrize("step", ACTION["runs"]["steps"], ids=lambda step: step["name"])
def test_bash_can_read_every_script(step: Any) -> None:
    done = subprocess.run([*BASH, "-n"], input=step["run"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "wanted", ["ttsr-qa", "ttsr-qa[watch] @ file:///a b", "; touch spoilt; $(touch spoilt)"]
)
def test_what_is_installed_is_one_word_for_pip_whatever_it_is(runner: Runner, wanted: str) -> None:
    runner.program("python3", 'for word in "$@"; do echo "$word"; done')
    done = runner.run(INSTALL, {"install": wanted})
    assert done is not None
    assert done.stdout.splitlines() == ["-m", "pip", "install", "--quiet", wanted]
    assert not list(runner.workspace.iterdir())


def test_nothing_is_installed_when_qa_is_there(runner: Runner) -> None:
    assert runner.run(INSTALL, {"install": ""}) is None


def test_inputs_are_the_words_of_the_gate_that_they_mean(runner: Runner) -> None:
    runner.program("qa", 'for word in "$@"; do echo "$word"; done')
    given = {
        "agent": "qa/our agent.yaml",
        "agent-bin": "ours=bin/$(touch spoilt)",
        "baseline": "qa/gate.yaml",
        "changed-since": "origin/main",
        "shard": "1/2",
        "retries": "2",
        "args": "--jobs 2\n--mutants",
        "reports": "out",
    }
    done = runner.run(GATE, given)
    assert done is not None
    assert done.stdout.splitlines() == [
        "gate", "--baseline", "qa/gate.yaml", "--retries", "2", "--agent", "qa/our agent.yaml",
        "--agent-bin", "ours=bin/$(touch spoilt)", "--changed-since", "origin/main", "--shard", "1/2",
        "--jobs", "2", "--mutants",
        "--report", "github", "--report", "markdown", "--report", "junit=out/junit.xml",
        "--report", "json=out/results.json",
    ]  # fmt: skip
    assert not list(runner.workspace.iterdir())
    plain = runner.run(GATE, {})
    assert plain is not None
    assert plain.stdout.splitlines()[:7] == [
        "gate",
        "--baseline",
        "gate.yaml",
        "--retries",
        "0",
        "--report",
        "github",
    ]


@pytest.fixture
def checkout(tmp_path: Path) -> Repository:
    """A pull request's checkout, with the detector's repository in a folder of it."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return made_in(tmp_path).clone(workspace / "detector")


def test_on_a_pull_request_the_gate_annotates_its_lines_and_ends_as_it_found(
    checkout: Repository, tmp_path: Path
) -> None:
    runner = Runner(checkout.folder.parent, tmp_path, checkout.home)
    runner.program("qa", f'exec "{sys.executable}" -m harness.cli "$@"')
    inputs = {"working-directory": "detector", "changed-since": "origin/main"}
    whole = runner.run(GATE, {"working-directory": "detector", "args": "plan-loop calm"})
    assert whole is not None
    assert whole.returncode == 0, whole.stdout + whole.stderr
    assert "::error" not in whole.stdout
    assert runner.summary.read_text().startswith("## qa: 4 passed\n")

    checkout.edit("agent/guard.yaml", "min_echoes: 8", "min_echoes: 10")
    broken = runner.run(GATE, inputs)
    assert broken is not None
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "since origin/main: agent/guard.yaml of the detector changed" in broken.stdout
    place = "::error file=detector/scenarios/plan-loop.yaml,line=32,col=5,title=caught-later%3A plan-loop"
    assert place in broken.stdout
    summary = runner.summary.read_text()
    assert summary.startswith("## qa: 4 passed\n"), "the summary of the step before stays"
    assert "is caught 324 characters later" in summary
    reports = checkout.folder / "qa-reports"
    run = parse_results((reports / "results.json").read_text(), "results.json")
    assert {change.kind for change in run.changes} >= {"caught-later", "loop-missed"}
    xml = junitparser.JUnitXml.fromfile(str(reports / "junit.xml"))
    assert xml.failures == len(run.changes) + 2
    assert runner.output.read_text() == ""
