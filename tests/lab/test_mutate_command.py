"""``qa mutate`` as a command: what it prints, its exit codes, and what it does with another agent's switches."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness.agents.locate import DESCRIPTIONS
from harness.gate.mutants import mutant_changes

CHOSEN = ("--only", "whitespace-flood: min_newlines", "--no-runs", "--jobs", "1")
REFERENCE = (DESCRIPTIONS / "reference.yaml").read_text(encoding="utf-8")


def qa_mutate(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "harness.cli", "mutate", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def found_by_the_gate(agent: str, done: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    changes = mutant_changes(agent, done.returncode, done.stdout, done.stderr)
    return [(change.kind, change.level) for change in changes]


def described(folder: Path, **changed: str) -> str:
    """The reference agent described as if it were another one, with some values changed: the file."""
    text = REFERENCE.replace("agent: reference\n", "agent: other\n")
    for key, value in changed.items():
        text, count = re.subn(
            rf"^( *){key}: .*\n", rf"\g<1>{key}: {value}\n" if value else "", text, flags=re.MULTILINE
        )
        assert count == 1
    path = folder / "other.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.fixture
def bare_contract(tmp_path: Path) -> Path:
    """A contract without any case."""
    folder = tmp_path / "contract"
    (folder / "vectors").mkdir(parents=True)
    for group in ("turns", "leak", "collapse"):
        (folder / "vectors" / f"parity-{group}.jsonl").write_text("")
    (folder / "contract_cases.py").write_text("CASES = []\n")
    return folder


def test_it_prints_the_matrix_and_the_time_that_it_took(tmp_path: Path) -> None:
    done = qa_mutate(*CHOSEN, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "2 of 2 mutants killed, 100.0 in 100" in done.stdout
    assert re.search(r"^\d+\.\d s, \d+\.\d s of processor time$", done.stdout, re.MULTILINE)


def test_a_survivor_without_a_reason_fails_and_one_with_a_reason_does_not(
    tmp_path: Path, bare_contract: Path
) -> None:
    chosen = (*CHOSEN, "--contract", str(bare_contract))
    survivors = ["whitespace-flood: min_newlines 7", "whitespace-flood: min_newlines 9"]
    done = qa_mutate(*chosen, "--json", folder=tmp_path)
    told = json.loads(done.stdout)
    assert (done.returncode, told["unexplained"], told["killed"]) == (1, survivors, 0)
    assert found_by_the_gate("reference", done) == [("mutant-survives", "fails")] * 2
    reasons = tmp_path / "reasons.yaml"
    reasons.write_text(json.dumps(dict.fromkeys(survivors, "this contract has no cases")))
    done = qa_mutate(*chosen, "--reasons", str(reasons), folder=tmp_path)
    assert done.returncode == 0
    assert "2 survivors with a reason:" in done.stdout


def test_without_a_contract_it_says_where_to_get_one(tmp_path: Path) -> None:
    done = qa_mutate("--only", "wiring", "--contract", str(tmp_path), folder=tmp_path)
    assert done.returncode == 3
    assert found_by_the_gate("reference", done) == [("could-not-run", "fails")]
    assert done.stderr == (
        f"the unit contract is not here: no {tmp_path}/contract_cases\n"
        "  run this in a checkout of the source, or pass --contract FOLDER\n"
    )


def test_a_name_that_no_mutant_has_selects_nothing(tmp_path: Path) -> None:
    done = qa_mutate("--only", "no such mutant", "--only", "x y", folder=tmp_path)
    assert done.returncode == 5
    assert done.stderr == "no mutant has 'no such mutant' or 'x y' in its id, or as its kind\n"


def test_each_switch_of_another_agent_is_noticed_by_a_scenario(tmp_path: Path) -> None:
    done = qa_mutate("--agent", described(tmp_path), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "guard off                                killed by ttsr-collapse",
        "collapse-repetition off                  killed by ttsr-collapse",
        "control-token-leak off                   killed by ttsr-leak",
        "repetitive-turns off                     killed by ttsr-repetitive-turns",
        "",
        "4 of 4 switches noticed by a scenario",
    ]


def test_a_switch_that_does_nothing_survives_and_the_scenarios_that_pass_all_the_same_are_named(
    tmp_path: Path,
) -> None:
    other = described(tmp_path, disable_rule='[--model, "{rule}"]')
    done = qa_mutate("--agent", other, "--only", "control-token-leak", folder=tmp_path)
    assert done.returncode == 1
    (line, *_, cure) = done.stdout.splitlines()
    assert line.startswith("control-token-leak off                   survives: ttsr-")
    assert line.endswith(" pass all the same")
    assert "0 of 1 switches noticed by a scenario" in done.stdout
    assert cure == "  add a scenario that wants it to fire, or a reason with --reasons FILE"


def test_a_switch_of_another_agent_may_survive_with_a_reason(tmp_path: Path) -> None:
    other = described(tmp_path, disable_rule='[--model, "{rule}"]')
    done = qa_mutate("--agent", other, "--only", "control-token", "--json", folder=tmp_path)
    assert found_by_the_gate("other", done) == [("mutant-survives", "fails")]
    reasons = tmp_path / "reasons.yaml"
    reasons.write_text("control-token-leak off: its switch is broken, which is known\n")
    done = qa_mutate(
        "--agent", other, "--only", "control-token", "--reasons", str(reasons), "--json", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "agent": "other",
        "mutants": {"control-token-leak off": []},
        "unexplained": [],
        "outdated": [],
    }


def test_a_scenario_that_the_agent_has_no_means_for_tells_nothing(tmp_path: Path) -> None:
    other = described(tmp_path, resume="")
    done = qa_mutate("--agent", other, "--only", "repetitive-turns", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        "repetitive-turns off                     killed by ttsr-repetitive-turns-again"
    )


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("pi", "agent 'pi' has no guard, so nothing of it can be taken out: .*/pi.yaml has no 'guard'"),
        (
            "gemini",
            "agent 'gemini' has no stream rules .*; no scenario says when its own 'loop-detection' must fire",
        ),
    ],
)
def test_an_agent_without_a_guard_has_nothing_to_try_and_need_not_be_installed(
    tmp_path: Path, agent: str, said: str
) -> None:
    done = qa_mutate("--agent", agent, "--agent-bin", f"{agent}=/no/such/program", folder=tmp_path)
    assert (done.returncode, done.stdout) == (5, "")
    assert re.fullmatch(said, done.stderr.strip())
    assert found_by_the_gate(agent, done) == [("no-mutants", "warns")]


def test_a_guard_without_a_switch_and_a_name_that_no_switch_has_are_told_apart(tmp_path: Path) -> None:
    other = described(tmp_path, off="", disable_rule="")
    done = qa_mutate("--agent", other, folder=tmp_path)
    assert done.returncode == 5
    assert done.stderr == (
        "the guard of agent 'other' cannot be switched off:"
        " other.yaml has no 'off' and no 'disable_rule' under 'guard'\n"
    )
    done = qa_mutate("--agent", described(tmp_path, disable_rule=""), "--only", "leak", folder=tmp_path)
    assert (done.returncode, done.stderr) == (
        5,
        "agent 'other' has no switch with 'leak' in its name; it has 'guard off'\n",
    )


@pytest.mark.parametrize("option", [("--no-runs",), ("--contract", ".")])
def test_another_agent_is_tried_in_runs_alone(tmp_path: Path, option: tuple[str, ...]) -> None:
    done = qa_mutate("--agent", "pi", *option, folder=tmp_path)
    assert (done.returncode, done.stderr) == (
        2,
        f"{option[0]} goes with the guard of the reference agent; 'pi' is tried in runs alone\n",
    )
