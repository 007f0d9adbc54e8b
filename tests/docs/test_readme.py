"""What README.md shows is true: its commands exist, its examples work, its pasted run comes out again.

Run as a program, this file pastes a fresh run into README.md.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import click
import pytest

from harness.agents.spec_yaml import parse_agent
from harness.cli import main
from harness.find_scenarios import find

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
QA = Path(sys.executable).with_name("qa")
MAIN_JOB = "ttsr-near-duplicate-loop"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


COMMANDS = sorted(
    {line[2:].split(" #")[0].strip() for line in "".join(blocks("console")).splitlines() if line[:2] == "$ "}
)


def qa(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}
    return subprocess.run(
        [QA, *arguments],
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 150


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("qa ")])
def test_every_qa_command_and_option_exists(command: str) -> None:
    words = shlex.split(command)[1:]
    found: click.Command = main
    while isinstance(found, click.Group) and words and not words[0].startswith("-"):
        name = words.pop(0)
        inner = found.get_command(click.Context(found), name)
        assert inner is not None, f"no command '{name}'"
        found = inner
    found.make_context(found.name, words, resilient_parsing=False)
    known = [option for parameter in found.params for option in parameter.opts]
    assert [word for word in words if word.startswith("--") and word not in known] == []


@pytest.mark.parametrize("command", [c for c in COMMANDS if c.startswith("make ")])
def test_every_make_target_exists(command: str) -> None:
    assert re.search(
        rf"^{command.split()[1]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )


def test_every_scenario_it_names_is_shipped() -> None:
    named = {name for name in re.findall(r"qa (?:run|show) ([a-z][a-z-]+)", README) if name != "my-loop"}
    assert named
    assert find(sorted(named), ROOT)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"(?:\]\(|src=\")([^)\"]+)", README))))
def test_every_link_and_picture_leads_to_a_file(link: str) -> None:
    assert (ROOT / link).exists()


def test_the_exit_codes_are_those_of_the_help_text() -> None:
    listed = re.findall(r"(?:^|· )(\d+) [a-z]", README.split("## Exit codes")[1].split("##")[0], re.MULTILINE)
    assert listed == re.findall(r"(?:^|[ ,:])(\d+) [a-z]", (main.help or "").split("Exit codes")[1])


def test_the_description_of_an_agent_is_one() -> None:
    (example,) = (block for block in blocks("yaml") if block.startswith("agent:"))
    assert parse_agent(example, "my-agent.yaml").name == "my-agent"


def test_the_first_scenario_passes_and_its_control_too(tmp_path: Path) -> None:
    (example,) = (block for block in blocks("yaml") if block.startswith("scenario:"))
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "my-loop.yaml").write_text(example)
    done = qa(tmp_path, "run", "my-loop", "--controls")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_pasted_run_comes_out_again(tmp_path: Path) -> None:
    command, _, shown = pasted_run().partition("\n")
    assert command == f"$ qa run {MAIN_JOB}"
    assert settled(fresh_run(tmp_path)) == settled(shown), (
        "if that is meant: python tests/docs/test_readme.py"
    )


def pasted_run() -> str:
    (pasted,) = (block for block in blocks("console") if "✓ abort" in block)
    return pasted


def fresh_run(folder: Path) -> str:
    done = qa(folder, "run", MAIN_JOB)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def settled(text: str) -> list[str]:
    """The lines of a run, unwrapped, without what differs from run to run.

    That is nonces, seconds, the folder, and how far the model had come when the hang-up was seen,
    which stands in brackets.
    """
    text = re.sub(r"\n {6,}", " ", text.strip())
    text = re.sub(r"\bqa[0-9a-f]{8}\b", "[NONCE]", text)
    text = re.sub(r"\b\d+\.\d+ s\b", "[TIME]", text)
    text = re.sub(r"evidence: \S+", "evidence: [FOLDER]", text)
    text = re.sub(r" \([^()]*\)", "", text)
    text = re.sub(r"(?:each of \d+|the) dropped pieces?", "[PIECES]", text)
    return text.splitlines()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        text = fresh_run(Path(place)).replace(f"{Path(place).resolve()}/", "")
    (ROOT / "README.md").write_text(
        README.replace(pasted_run(), f"$ qa run {MAIN_JOB}\n{text}"), encoding="utf-8"
    )
