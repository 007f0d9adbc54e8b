"""Agents from PyPI, interpreters from npm: pip and npm are small scripts here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from harness.agents.install import InstallError, install_agent, mistake_in
from harness.agents.locate import find_program, installed_program, package_version, prefix_folder
from harness.agents.spec import AgentSpec
from harness.agents.spec_yaml import parse_agent

DEMO = """agent: demo
command: [demo, --plain]
one_shot: ["{prompt}"]
install: {pypi: demo-cli, version: 1.2.0, with: [extra==3.0]}
dialects: {openai-chat: {}}
"""
# What stands in the place of pip in the new environment.
PIP = """
import os, sys
from pathlib import Path
prefix = Path(sys.prefix)
print("asked for", *sys.argv[1:])
(prefix / "asked").write_text(" ".join(sys.argv[1:]))
if os.environ["VERSION"] == "none":
    sys.exit("no matching distribution")
info = next(prefix.glob("lib/python*/site-packages")) / f"Demo_CLI-{os.environ['VERSION']}.dist-info"
info.mkdir()
(info / "METADATA").write_text(f"Metadata-Version: 2.1\\nName: demo-cli\\nVersion: {os.environ['VERSION']}\\n")
script = prefix / "bin/demo"
script.write_text(f"#!{sys.executable}\\nprint('demo runs')\\n")
script.chmod(0o755)
"""


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AgentSpec:
    """The description, and a pip of our own in the environments that are made."""
    package = tmp_path / "fake" / "pip"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(PIP)
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    monkeypatch.setenv("VERSION", "1.2.0")
    monkeypatch.setenv("TTSR_QA_CACHE", str(tmp_path / "cache"))
    # The environment itself needs no pip: ours is found before any.
    monkeypatch.setattr("harness.agents.install.VENV_OPTIONS", ("--without-pip",))
    return parse_agent(DEMO, "demo.yaml")


def quiet(_phase: str, _elapsed_s: float) -> None:
    """A listener that says nothing."""


def test_the_pinned_version_lands_in_an_environment_of_its_own(demo: AgentSpec, tmp_path: Path) -> None:
    program = install_agent(demo, tmp_path / "cache", quiet)
    assert program == prefix_folder(demo, tmp_path / "cache") / "bin" / "demo"
    assert find_program(demo).argv == (str(program), "--plain")
    asked = (prefix_folder(demo, tmp_path / "cache") / "asked").read_text()
    assert asked.endswith("demo-cli==1.2.0 extra==3.0")
    assert package_version(program, "demo-cli") == "1.2.0"


def test_its_program_runs_from_where_it_was_moved(demo: AgentSpec, tmp_path: Path) -> None:
    program = install_agent(demo, tmp_path / "cache", quiet)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout == "demo runs\n"


def test_another_version_is_refused_and_leaves_nothing(
    demo: AgentSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERSION", "0.0.0")
    with pytest.raises(
        InstallError, match=r"pip delivered something else: wanted demo-cli==1\.2\.0, found 0\.0\.0"
    ):
        install_agent(demo, tmp_path / "cache", quiet)
    assert installed_program(demo, tmp_path / "cache") is None


def test_a_failure_of_pip_is_shown_with_the_command_to_try(
    demo: AgentSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VERSION", "none")
    with pytest.raises(InstallError) as error:
        install_agent(demo, tmp_path / "cache", quiet)
    shown = str(error.value)
    assert shown.startswith("agent 'demo' cannot be installed: pip failed, exit code 1\n")
    assert "  | no matching distribution\n" in shown
    assert shown.endswith("/bin/pip install demo-cli==1.2.0 extra==3.0")


NPM = """#!/bin/sh
set -eu
echo "$@" >> "$LOG"
case "$1" in rebuild) exit 0;; esac
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/demo" "$2/node_modules/.bin"
echo '{"name": "demo", "version": "1.2.0"}' > "$2/node_modules/demo/package.json"
for program in demo $PROGRAMS; do printf '#!/bin/sh\\n' > "$2/node_modules/.bin/$program"; done
chmod +x "$2"/node_modules/.bin/*
"""


@pytest.fixture
def with_runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AgentSpec:
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(NPM)
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{npm.parent}:/usr/bin:/bin")
    monkeypatch.setenv("LOG", str(tmp_path / "npm.log"))
    monkeypatch.setenv("PROGRAMS", "node")
    monkeypatch.setenv("TTSR_QA_CACHE", str(tmp_path / "cache"))
    install = "{npm: demo, version: 1.2.0, runtime: node@22.0.0, scripts: [node]}"
    return parse_agent(
        DEMO.replace("{pypi: demo-cli, version: 1.2.0, with: [extra==3.0]}", install), "demo.yaml"
    )


def test_an_interpreter_from_npm_starts_the_program(with_runtime: AgentSpec, tmp_path: Path) -> None:
    program = install_agent(with_runtime, tmp_path / "cache", quiet)
    found = find_program(with_runtime)
    assert found.argv == (str(program.parent / "node"), str(program), "--plain")
    assert found.file == str(program)


def test_only_the_scripts_that_the_description_names_run(with_runtime: AgentSpec, tmp_path: Path) -> None:
    install_agent(with_runtime, tmp_path / "cache", quiet)
    install, rebuild = (tmp_path / "npm.log").read_text().splitlines()
    assert "--ignore-scripts" in install
    assert install.endswith(" node@22.0.0 demo@1.2.0")
    assert rebuild.startswith("rebuild ")
    assert "--ignore-scripts" not in rebuild
    assert rebuild.endswith(" node")


def test_an_interpreter_that_did_not_come_is_a_mistake(
    with_runtime: AgentSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROGRAMS", "")
    with pytest.raises(InstallError, match=r"node@22\.0\.0 has no program 'node'"):
        install_agent(with_runtime, tmp_path / "cache", quiet)


def test_a_program_of_the_users_own_is_started_by_itself(with_runtime: AgentSpec, tmp_path: Path) -> None:
    own = tmp_path / "own" / "demo"
    own.parent.mkdir()
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    assert find_program(with_runtime, {"demo": str(own)}).argv == (str(own), "--plain")


def test_the_python_of_qa_makes_the_environment(demo: AgentSpec, tmp_path: Path) -> None:
    program = install_agent(demo, tmp_path / "cache", quiet)
    config = (program.parent.parent / "pyvenv.cfg").read_text()
    assert f"version = {sys.version_info.major}.{sys.version_info.minor}" in config
    assert mistake_in(demo._replace(command=("other",)), program.parent.parent) == (
        "demo-cli==1.2.0 has no program 'other'"
    )
