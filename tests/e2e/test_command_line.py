"""What the command says to odd selections, odd folders and readers that leave."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.qa_command import Qa

ROOT = Path(__file__).parents[2]
HELLO = """
model:
  - say: "hello {nonce}"
prompt: "Hello {nonce}"
steps:
  - silent: all
  - exit: 0
"""
LAUNCH = "from harness.refagent.__main__ import main\nraise SystemExit(main())"


def test_two_files_of_one_name_are_refused_before_anything_runs(qa: Qa) -> None:
    qa.scenario("one", HELLO)
    (qa.folder / "other").mkdir()
    (qa.folder / "other/one.yaml").write_text((qa.folder / "scenarios/one.yaml").read_text())
    ended = qa("run", "scenarios", "other")
    assert ended.code == 2
    assert "two files of this run are named 'one'" in ended.err
    assert "other/one.yaml" in ended.err
    assert not ended.runs.exists()


def test_controls_without_a_control_are_a_warning(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    ended = qa("run", "hello", "--controls")
    assert ended.code == 0
    assert "warning: no control to run for hello" in ended.err


def test_the_list_shows_the_good_ones_and_the_mistakes_of_the_others(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    qa.scenario("broken", HELLO.replace("exit: 0", "exti: 0"))
    ended = qa("list")
    assert ended.code == 2
    assert "hello" in ended.out
    assert "healthy-prose" in ended.out
    assert "broken.yaml:9" in ended.err
    assert "did you mean 'exit'?" in ended.err


def test_a_program_for_another_agent_is_a_mistake(qa: Qa) -> None:
    ended = qa("run", "healthy-prose", "--agent-bin", "pi=/opt/pi")
    assert ended.code == 2
    assert "names no agent of this run, which is 'reference'" in ended.err


def test_a_program_without_its_agent_is_a_mistake(qa: Qa) -> None:
    ended = qa("run", "healthy-prose", "--agent-bin", "pi")
    assert ended.code == 2
    assert "'--agent-bin pi' is not NAME=PATH, such as pi=/opt/pi/bin/pi" in ended.err


def test_the_path_of_a_program_may_hold_what_parts_it_from_the_name(qa: Qa) -> None:
    ended = qa("run", "healthy-prose", "--agent-bin", "reference=/no/a=b")
    assert ended.code == 3
    assert "no program '/no/a=b'" in ended.err


@pytest.mark.parametrize("where", ["a file in the way/runs", "/proc/none/runs"])
def test_evidence_that_cannot_be_kept_is_said_at_once(qa: Qa, where: str) -> None:
    (qa.folder / "a file in the way").touch()
    qa.scenario("hello", HELLO)
    ended = qa("run", "hello", "--runs", where)
    assert ended.code == 3
    assert f"cannot keep evidence in {where}" in ended.err
    assert "--runs" in ended.err
    assert "Traceback" not in ended.err


def test_the_command_of_a_failure_makes_the_same_run_again(qa: Qa) -> None:
    path = qa.scenario("wrong", HELLO.replace("exit: 0", "exit: 7"))
    moved = qa.folder / "my own" / "wrong.yaml"
    moved.parent.mkdir()
    path.rename(moved)
    agent = qa.agent(LAUNCH)
    first = qa("run", str(moved), "--agent", agent, "--chars-per-delta", "2", "--runs", "kept here")
    line = next(line for line in first.out.splitlines() if "run just this again: " in line)
    words = shlex.split(line.split("again: ")[1])
    assert words[:2] == ["qa", "run"]
    again = qa(*words[1:])
    assert again.code == first.code == 1
    requests = sorted((qa.folder / "kept here").glob("*/wrong@mine-openai-chat/result.json"))
    assert len(requests) == 2


def test_the_command_and_the_exit_of_the_agent_are_in_the_evidence(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    assert qa("run", "hello").code == 0
    (folder,) = (qa.folder / ".qa/runs/0001").iterdir()
    command = json.loads((folder / "command.json").read_text())
    assert command["argv"][1:3] == ["-m", "harness.refagent"]
    assert command["env"]["HOME"].startswith("[")
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    assert [(e["channel"], e["kind"]) for e in events if e["channel"] in {"agent", "session"}] == [
        ("agent", "start"),
        ("agent", "exit"),
        ("session", "kept"),
    ]
    assert [e["t"] for e in events] == sorted(e["t"] for e in events)


def test_a_session_that_is_a_link_to_a_file_of_the_user_is_not_copied(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    secret = qa.home / "diary.jsonl"
    secret.write_text("my diary\n")
    program = (
        "import os, pathlib, sys\n"
        "folder = pathlib.Path(os.environ['HOME'], '.ttsr-refagent/sessions')\n"
        "folder.mkdir(parents=True)\n"
        f"(folder / 'zz.jsonl').symlink_to({str(secret)!r})\n" + LAUNCH
    )
    ended = qa("run", "hello", "--agent", qa.agent(program))
    (folder,) = (qa.folder / ".qa/runs/0001").iterdir()
    assert not any("my diary" in f.read_text() for f in folder.rglob("*") if f.is_file())
    assert ended.code == 0, ended.out


def test_a_reader_that_leaves_changes_no_outcome(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    command = shlex.join(qa.command("run", "hello"))
    done = subprocess.run(
        ["bash", "-c", f"{command} | true; exit ${{PIPESTATUS[0]}}"],
        cwd=qa.folder,
        env=qa.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("entry", ["harness.entry", "mock_llm.entry"])
def test_ctrl_c_while_a_command_is_loaded_ends_it_without_a_traceback(tmp_path: Path, entry: str) -> None:
    (tmp_path / "click.py").write_text("print('loading', flush=True)\nimport signal\nsignal.pause()\n")
    process = subprocess.Popen(
        [sys.executable, "-m", entry, "--version"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "loading\n"
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate()
    assert (process.returncode, err) == (130, "interrupted\n")


def test_ctrl_c_in_a_command_that_is_loaded_can_be_acted_on(tmp_path: Path) -> None:
    program = (
        "import os, signal, harness.find_scenarios as finder\n"
        "from harness.entry import main\n"
        "def slow(_root):\n"
        "    try: os.kill(os.getpid(), signal.SIGINT)\n"
        "    finally: print('cleaned up')\n"
        "finder.all_scenarios = slow\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program, "list"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "cleaned up\n", "interrupted\n")


def test_an_error_of_qa_itself_is_called_one(tmp_path: Path) -> None:
    program = (
        "import harness.commands.listing as listing, harness.find_scenarios as finder, harness.cli as cli\n"
        "def broken(_root): raise ZeroDivisionError('as if')\n"
        "finder.all_scenarios = broken\n"
        "cli.main(['list'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 4
    assert done.stderr.startswith("a bug in qa:")
    assert "ZeroDivisionError: as if" in done.stderr


def test_folders_of_a_run_made_twice_are_told_apart(tmp_path: Path) -> None:
    from harness.launch import _new_folder

    made = [_new_folder(tmp_path / "0001", "x@reference").name for _ in range(3)]
    assert made == ["x@reference", "x@reference~2", "x@reference~3"]
