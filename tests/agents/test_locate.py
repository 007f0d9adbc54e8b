"""Where an agent's program is looked for, in which order, and what is said when there is none."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from harness.agents.locate import (
    AgentMissingError,
    UnknownAgentError,
    cache_folder,
    find_program,
    load_agent,
    package_version,
    prefix_folder,
)
from harness.agents.spec import AgentSpec
from harness.problems import UserError

PI = load_agent("pi")


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def world(root: Path) -> dict[str, str]:
    """An environment with an empty PATH and an empty cache."""
    return {"PATH": str(root / "bin"), "HOME": str(root), "TTSR_QA_CACHE": str(root / "cache")}


def test_a_mapping_wins_over_the_prefix_and_the_prefix_over_path(tmp_path: Path) -> None:
    environ = world(tmp_path)
    on_path = program(tmp_path / "bin" / "pi")
    assert find_program(PI, environ=environ).argv == (str(on_path),)
    installed = program(prefix_folder(PI, cache_folder(environ)) / "node_modules" / ".bin" / "pi")
    assert find_program(PI, environ=environ).argv == (str(installed),)
    mine = program(tmp_path / "mine" / "pi")
    assert find_program(PI, {"pi": str(mine)}, environ).argv == (str(mine),)


def test_a_mapping_of_another_agent_changes_nothing(tmp_path: Path) -> None:
    on_path = program(tmp_path / "bin" / "pi")
    found = find_program(PI, {"codex": "/nowhere"}, world(tmp_path))
    assert (found.argv, found.source) == ((str(on_path),), "path")


def test_the_prefix_of_another_version_is_not_used(tmp_path: Path) -> None:
    environ = world(tmp_path)
    older = PI._replace(install=PI.install._replace(version="0.1.0"))
    program(prefix_folder(older, cache_folder(environ)) / "node_modules" / ".bin" / "pi")
    with pytest.raises(AgentMissingError):
        find_program(PI, environ=environ)


def test_the_embedded_agent_runs_on_the_python_of_qa() -> None:
    found = find_program(load_agent("reference"))
    assert found.argv == (sys.executable, "-m", "harness.refagent")


def test_fixed_arguments_stay_behind_the_program(tmp_path: Path) -> None:
    mine = program(tmp_path / "node")
    spec = PI._replace(command=("pi", "--quiet"))
    assert find_program(spec, {"pi": str(mine)}).argv == (str(mine), "--quiet")


def test_a_missing_program_is_named_with_its_cure(tmp_path: Path) -> None:
    with pytest.raises(AgentMissingError) as error:
        find_program(PI._replace(path="harness/agents/pi.yaml"), environ=world(tmp_path))
    assert error.value.exit_code == 3
    assert str(error.value) == (
        "agent 'pi' cannot start: no program 'pi' on PATH\n"
        "  harness/agents/pi.yaml:4 sets command: [pi]\n"
        "  install it (qa agents install pi: npm @mariozechner/pi-coding-agent@0.73.1, about 204 MB), "
        "or pass --agent-bin pi=/path/to/pi"
    )


def test_a_mapping_to_nothing_is_named_as_it_was_typed(tmp_path: Path) -> None:
    with pytest.raises(AgentMissingError, match=r"no program '/no/such/pi' \(from --agent-bin\)"):
        find_program(PI, {"pi": "/no/such/pi"}, world(tmp_path))


def test_an_unknown_agent_lists_the_closest() -> None:
    with pytest.raises(UnknownAgentError, match="did you mean 'reference'") as error:
        load_agent("referense")
    assert error.value.exit_code == 2


@pytest.mark.parametrize("name", ["../agents/pi", "missing.yaml", "", "/etc/passwd"])
def test_a_name_is_never_taken_for_a_path(name: str) -> None:
    with pytest.raises(UserError, match=r"unknown agent|no such file|no description"):
        load_agent(name)


def test_a_path_wins_over_a_shipped_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path(load_agent("pi").path).read_text(encoding="utf-8")
    (tmp_path / "pi.yaml").write_text(text.replace("title: pi coding agent", "title: mine"))
    monkeypatch.chdir(tmp_path)
    found = load_agent("pi.yaml")
    assert (found.title, found.path) == ("mine", "pi.yaml")
    assert load_agent("pi").title == "pi coding agent"


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"TTSR_QA_CACHE": "/q", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/q"),
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/ttsr-qa"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/ttsr-qa"),
        ({"HOME": "/h"}, "/h/.cache/ttsr-qa"),
    ],
)
def test_the_cache_is_the_users_unless_the_environment_says_otherwise(
    environ: dict[str, str], folder: str
) -> None:
    assert cache_folder(environ) == Path(folder)


def test_a_user_without_a_home_has_no_cache_and_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that runs with a user id that no list has."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("os.getuid", lambda: 987_654)
    assert cache_folder({}) == Path("/nonexistent/.cache/ttsr-qa")
    assert cache_folder({"XDG_CACHE_HOME": "/x"}) == Path("/x/ttsr-qa")


def test_the_version_of_a_program_is_read_from_its_package(tmp_path: Path) -> None:
    package = tmp_path / "node_modules" / "pi"
    inside = program(package / "dist" / "cli.js")
    (package / "dist" / "package.json").write_text('{"type": "module"}')
    (package / "package.json").write_text(json.dumps({"name": "pi", "version": "2.0.0"}))
    link = tmp_path / "bin" / "pi"
    link.parent.mkdir()
    link.symlink_to(inside)
    assert package_version(link, "pi") == "2.0.0"
    assert package_version(link, "another") is None


def test_a_program_in_the_package_for_its_platform_has_the_version_of_the_package_beside_it(
    tmp_path: Path,
) -> None:
    packages = tmp_path / "node_modules"
    inside = program(packages / "@demo" / "cli-linux" / "bin" / "demo")
    for folder, name, version in (("@demo/cli-linux", "@demo/cli-linux", "9.9.9"), ("demo", "demo", "2.0.0")):
        (packages / folder).mkdir(exist_ok=True)
        (packages / folder / "package.json").write_text(json.dumps({"name": name, "version": version}))
    link = packages / ".bin" / "demo"
    link.parent.mkdir()
    link.symlink_to(inside)
    assert package_version(link, "demo") == "2.0.0"


def beside(folder: Path, command: str) -> AgentSpec:
    """A description in ``folder`` whose command is a path."""
    folder.mkdir(parents=True, exist_ok=True)
    text = f"agent: mine\ncommand: [{command}, --plain]\none_shot: ['{{prompt}}']\ndialects: {{openai-chat: {{}}}}\n"
    (folder / "mine.yaml").write_text(text)
    return load_agent(str(folder / "mine.yaml"))


@pytest.mark.parametrize("command", ["./cli", "../there/cli", "bin/../cli"])
def test_a_command_with_a_slash_is_a_path_beside_its_description(tmp_path: Path, command: str) -> None:
    (tmp_path / "there/bin").mkdir(parents=True)
    mine = program(tmp_path / "there/cli")
    found = find_program(beside(tmp_path / "there", command), environ=world(tmp_path))
    assert found.argv == (str(mine), "--plain")


def test_such_a_path_does_not_depend_on_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = program(tmp_path / "there/cli")
    monkeypatch.chdir(tmp_path)
    found = find_program(beside(Path("there"), "./cli"), environ=world(tmp_path))
    assert found.argv[0] == str(mine)


def test_a_path_that_leads_nowhere_is_named_in_full(tmp_path: Path) -> None:
    with pytest.raises(AgentMissingError) as error:
        find_program(beside(tmp_path, "./cli"), environ=world(tmp_path))
    assert f"no program './cli' at {tmp_path}/cli" in str(error.value)
    assert "a path in 'command' is seen from the folder of the description; correct it, or" in str(
        error.value
    )
    assert "--agent-bin mine=/path/to/cli" in str(error.value)


def test_a_file_that_cannot_be_executed_gets_the_command_that_mends_it(tmp_path: Path) -> None:
    spec = beside(tmp_path, "./cli")
    (tmp_path / "cli").write_text("")
    with pytest.raises(AgentMissingError, match=rf"(?s)can be executed.*chmod \+x {tmp_path}/cli"):
        find_program(spec, environ=world(tmp_path))


def test_a_text_file_without_an_interpreter_cannot_be_started(tmp_path: Path) -> None:
    spec = beside(tmp_path, "./cli")
    program(tmp_path / "cli").write_text("print(1)\n")
    with pytest.raises(AgentMissingError, match=r"(?s)first line '#!' at .*#!/usr/bin/env python3"):
        find_program(spec, environ=world(tmp_path))


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"\x7fELF\0\0"])
def test_what_else_can_be_executed_is_left_to_the_system(tmp_path: Path, content: bytes) -> None:
    spec = beside(tmp_path, "./cli")
    program(tmp_path / "cli").write_bytes(content)
    assert find_program(spec, environ=world(tmp_path)).argv[0] == str(tmp_path / "cli")


def test_a_command_line_in_one_word_is_told_to_be_split(tmp_path: Path) -> None:
    spec = beside(tmp_path, "my-agent -x")
    with pytest.raises(AgentMissingError, match=r"words of their own: \[my-agent, -x\]"):
        find_program(spec, environ=world(tmp_path))


def test_a_name_without_its_ending_is_led_to_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside(tmp_path, "./cli")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownAgentError, match=r"'mine\.yaml' is right here: --agent mine\.yaml"):
        load_agent("mine")


def test_a_path_that_is_no_description_is_told_from_an_unknown_name(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=rf"no such file: {tmp_path}/nope\.yaml"):
        load_agent(f"{tmp_path}/nope.yaml")
    program(tmp_path / "cli")
    with pytest.raises(UserError, match=rf"{tmp_path}/cli does not end in \.yaml"):
        load_agent(f"{tmp_path}/cli")
    with pytest.raises(UserError, match=r"no such file: nope\.yaml"):
        load_agent("nope.yaml")
