"""The command line of the agent as a program."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.refagent.conftest import Agent, FakeModel

one_dialect = pytest.mark.parametrize("dialect", ["openai-chat"])  # where it makes no difference


@one_dialect
def test_a_command_that_makes_no_sense_says_so_and_ends_with_2(agent: Agent) -> None:
    for arguments, complaint in [
        (("--disable-rule", "colapse", "-p", "x"), "unknown rule 'colapse'; there are collapse-repetition"),
        (("--dialect", "smoke-signals", "-p", "x"), "unknown dialect 'smoke-signals'; there are"),
        (("--base-url", "ftp://x", "-p", "x"), "the base URL 'ftp://x' does not begin with"),
        (("--base-url", "http://", "-p", "x"), "the base URL 'http://' names no host"),
        (("--resume", "last", "-p", "x"), "no session to resume in"),
        (("--resume", "/nowhere.jsonl", "-p", "x"), "cannot read session /nowhere.jsonl"),
        (("--guard-profile", "/nowhere.yaml", "-p", "x"), "cannot read the guard profile '/nowhere.yaml'"),
        (("--guard-profile", "x.yaml", "--guard", "off", "-p", "x"), "'--guard off' that there is none"),
        ((), "no prompt: pass -p PROMPT, or run it on a terminal"),
        (("-p", " "), "the prompt is empty"),
    ]:
        run = agent.run(*arguments)
        assert (run.stdout, run.returncode) == ("", 2)
        assert complaint in run.stderr
        assert "Traceback" not in run.stderr


@one_dialect
def test_the_mistakes_of_a_guard_profile_are_shown_with_their_places(agent: Agent) -> None:
    (agent.cwd / "mine.yaml").write_text("profile: mine\nmechanisms:\n  paragraf-repeat: {window: 63}\n")
    run = agent.run("--guard-profile", "mine.yaml", "-p", "x")
    assert (run.stdout, run.returncode) == ("", 2)
    assert "mine.yaml:3:3: unknown key 'paragraf-repeat'" in run.stderr
    assert "did you mean 'paragraph-repeat'?" in run.stderr


@one_dialect
def test_a_guard_profile_moves_the_place_where_a_rule_fires(
    agent: Agent, model: FakeModel, loop_deltas: list[str]
) -> None:
    (agent.cwd / "mine.yaml").write_text("profile: mine\nmechanisms:\n  paragraph-repeat: {min_repeats: 2}\n")
    model.say(*loop_deltas)
    model.say("RECOVERED")
    run = agent.run("--guard-profile", "mine.yaml", "-p", "x")
    fired_at = len("".join(loop_deltas[:3]))
    assert f"interrupted at {fired_at} characters" in run.stderr
    assert run.stdout == "RECOVERED\n"


@one_dialect
def test_the_prompt_can_come_from_standard_input(agent: Agent, model: FakeModel) -> None:
    model.say("yes")
    program = agent.start("-p", "-", stdin=subprocess.PIPE)
    out, _ = program.communicate("asked through a pipe", timeout=20)
    assert (out, program.returncode) == ("yes\n", 0)
    assert model.user_texts(0) == ["asked through a pipe"]


@one_dialect
def test_version_and_help_need_no_server(agent: Agent) -> None:
    assert agent.run("--version").stdout.startswith("ttsr-refagent 0.")
    assert "--resume FILE|last" in agent.run("--help").stdout


@one_dialect
def test_a_start_imports_nothing_that_is_slow_and_not_needed(agent: Agent, model: FakeModel) -> None:
    model.say("yes")
    run = agent.run("-p", "hi", PYTHONPROFILEIMPORTTIME="1")
    imported = {line.rsplit("|", 1)[-1].strip() for line in run.stderr.splitlines()}
    assert "httpx" in imported
    assert not imported & {"asyncio", "click", "rich", "readline", "harness.refagent.terminal", "mock_llm"}


@one_dialect
def test_a_session_file_is_never_overwritten(agent: Agent, model: FakeModel) -> None:
    model.say("One.")
    agent.run("-p", "first", "--session", "s.jsonl")
    before = (agent.cwd / "s.jsonl").read_bytes()
    run = agent.run("-p", "second", "--session", "s.jsonl")
    assert run.returncode == 2
    assert "continue it with --resume" in run.stderr
    assert (agent.cwd / "s.jsonl").read_bytes() == before
