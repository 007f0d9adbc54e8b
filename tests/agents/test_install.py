"""Installing an agent: whole or not at all, whatever npm does. npm is a small script here."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.agents.install import InstallError, install_agent
from harness.agents.locate import find_program, installed_program, load_agent, prefix_folder
from harness.commands.agents import agents
from tests.dying import dies

PI = load_agent("pi")

# What npm leaves behind, as far as qa looks at it. $VERSION is what it delivers.
NPM = """#!/bin/sh
set -eu
echo "$@" >> "$LOG"
while [ "$1" != --prefix ]; do shift; done
home="$2/node_modules/@mariozechner/pi-coding-agent"
mkdir -p "$home" "$2/node_modules/.bin"
%s
echo '{"name": "@mariozechner/pi-coding-agent", "version": "'"$VERSION"'"}' > "$home/package.json"
printf '#!/bin/sh\\necho %%s\\n' "$VERSION" > "$home/cli.js"
chmod +x "$home/cli.js"
ln -s ../@mariozechner/pi-coding-agent/cli.js "$2/node_modules/.bin/pi"
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own, and an npm that delivers the pinned version."""
    monkeypatch.setenv("TTSR_QA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("LOG", str(tmp_path / "npm.log"))
    monkeypatch.setenv("VERSION", PI.install.version)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    fake_npm(tmp_path)
    return tmp_path / "cache"


def fake_npm(tmp_path: Path, middle: str = ":") -> None:
    script = tmp_path / "bin" / "npm"
    script.parent.mkdir(exist_ok=True)
    script.write_text(NPM % middle)
    script.chmod(0o755)


def quiet(_phase: str, _elapsed_s: float) -> None:
    """A listener that says nothing."""


def calls(tmp_path: Path) -> list[str]:
    log = tmp_path / "npm.log"
    return log.read_text().splitlines() if log.exists() else []


def folders(cache: Path) -> list[str]:
    return sorted(path.name for path in (cache / "agents").iterdir() if path.is_dir())


def test_the_pinned_version_lands_in_its_prefix(tmp_path: Path, cache: Path) -> None:
    program = install_agent(PI, cache, quiet)
    assert program == installed_program(PI, cache)
    assert find_program(PI).argv == (str(program),)
    assert folders(cache) == ["pi-0.73.1"]
    (call,) = calls(tmp_path)
    assert call.endswith("@mariozechner/pi-coding-agent@0.73.1")
    assert "--ignore-scripts" in call, "a package under test runs nothing while it is installed"


def test_the_scripts_that_a_description_allows_see_a_home_of_their_own(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What npm does for ``rebuild``: it calls the shell that it is told with '-c' and the script."""
    monkeypatch.setenv("HOME", str(tmp_path / "user's home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user's home/.config"))
    script = 'echo made > "$HOME/a"; mktemp -d > /dev/null; echo "$PATH ${XDG_CONFIG_HOME-none}" > "$SEEN"'
    rebuild = (
        'if [ "$(wc -l < "$LOG")" -gt 1 ]; then\n'
        '  for word in "$@"; do case $word in --script-shell=*) shell=${word#*=}; esac; done\n'
        f"""  SEEN={tmp_path}/seen npm_node_execpath="/a b/bin/node" "$shell" -c '{script}'; exit\n"""
        "fi"
    )
    fake_npm(tmp_path, rebuild)
    spec = PI._replace(install=PI.install._replace(scripts=("some-package",)))
    program = install_agent(spec, cache, quiet)
    assert (tmp_path / "seen").read_text() == f"/a b/bin:{os.environ['PATH']} none\n"
    assert not (tmp_path / "user's home").exists()
    assert [path.name for path in program.parents[2].iterdir()] == ["node_modules"], "nor is it left"
    assert [call.split()[0] for call in calls(tmp_path)] == ["install", "rebuild"]


def test_an_installed_agent_is_not_installed_again(tmp_path: Path, cache: Path) -> None:
    assert install_agent(PI, cache, quiet) == install_agent(PI, cache, quiet)
    assert len(calls(tmp_path)) == 1


def test_a_damaged_prefix_is_replaced(tmp_path: Path, cache: Path) -> None:
    program = install_agent(PI, cache, quiet)
    program.unlink()
    assert install_agent(PI, cache, quiet).exists()
    assert len(calls(tmp_path)) == 2


def test_another_version_than_the_pinned_one_is_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERSION", "0.74.0")
    with pytest.raises(InstallError) as error:
        install_agent(PI, cache, quiet)
    assert str(error.value) == (
        "agent 'pi' cannot be installed: npm delivered something else: "
        "wanted @mariozechner/pi-coding-agent@0.73.1, found 0.74.0"
    )
    assert folders(cache) == []


def test_a_failure_of_npm_is_shown_and_leaves_nothing(tmp_path: Path, cache: Path) -> None:
    fake_npm(tmp_path, "echo 'npm error code E404' >&2; exit 7")
    with pytest.raises(InstallError) as error:
        install_agent(PI, cache, quiet)
    assert str(error.value) == (
        "agent 'pi' cannot be installed: npm failed, exit code 7\n"
        "  | npm error code E404\n"
        "  run it by hand: npm install --prefix /tmp/pi @mariozechner/pi-coding-agent@0.73.1"
    )
    assert folders(cache) == []
    assert error.value.exit_code == 3


def test_only_the_end_of_a_long_output_is_shown(tmp_path: Path, cache: Path) -> None:
    fake_npm(tmp_path, "i=0; while [ $i -lt 40 ]; do echo line $i; i=$((i + 1)); done; exit 1")
    with pytest.raises(InstallError) as error:
        install_agent(PI, cache, quiet)
    assert error.value.evidence == tuple(f"line {number}" for number in range(25, 40))


def test_an_npm_that_hangs_is_ended_with_its_children(tmp_path: Path, cache: Path) -> None:
    fake_npm(tmp_path, f"sleep 600 & echo $! > {tmp_path}/child; wait")
    with pytest.raises(InstallError, match=r"not finished within 0\.5 s"):
        install_agent(PI, cache, quiet, timeout_s=0.5)
    assert folders(cache) == []
    assert dies(int((tmp_path / "child").read_text()))


def test_a_cache_that_cannot_be_written_is_named_with_the_cure(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InstallError) as failure:
        install_agent(PI, tmp_path / "file" / "cache", quiet)
    assert str(failure.value) == (
        f"agent 'pi' cannot be installed: cannot write {tmp_path}/file/cache/agents: Not a directory\n"
        "  TTSR_QA_CACHE names another folder"
    )


def test_without_npm_the_cure_is_named(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(InstallError, match="no program 'npm' on PATH\n  install Node"):
        install_agent(PI, cache, quiet)


def test_a_killed_installation_leaves_no_prefix_and_the_next_one_cleans_up(
    tmp_path: Path, cache: Path
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    fake_npm(tmp_path, f"echo started > {fifo}; exec cat {fifo}")
    code = "from harness.commands.agents import agents; agents()"
    qa = subprocess.Popen([sys.executable, "-c", code, "install", "pi"], stderr=subprocess.DEVNULL)
    assert fifo.read_text() == "started\n"
    qa.send_signal(signal.SIGKILL)
    qa.wait()
    assert installed_program(PI, cache) is None
    (left,) = folders(cache)
    assert left.endswith(".part")

    # npm outlives qa and still holds the lock: the next installation waits for it.
    fake_npm(tmp_path)
    heard: list[str] = []

    def tell(phase: str, _elapsed_s: float) -> None:
        if phase == "waiting":
            threading.Thread(target=fifo.write_text, args=("",)).start()  # npm reads its end and goes
        heard.append(phase)

    install_agent(PI, cache, tell)
    assert heard[0] == "waiting"
    assert folders(cache) == ["pi-0.73.1"]


def test_an_interrupted_installation_takes_npm_along(tmp_path: Path, cache: Path) -> None:
    fake_npm(tmp_path, f"echo $$ > {tmp_path}/npm-pid; sleep 600")

    def interrupt(_phase: str, elapsed_s: float) -> None:
        if elapsed_s > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install_agent(PI, cache, interrupt)
    assert folders(cache) == []


def test_two_installations_at_once_run_npm_once(tmp_path: Path, cache: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    fake_npm(tmp_path, f"cat {fifo}")
    code = "from harness.commands.agents import agents; agents()"
    both = [
        subprocess.Popen([sys.executable, "-c", code, "install", "pi"], stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    fifo.write_text("go on\n")
    said = [process.communicate()[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert len(calls(tmp_path)) == 1
    assert folders(cache) == ["pi-0.73.1"]


def test_the_command_names_what_it_installed(cache: Path) -> None:
    result = CliRunner().invoke(agents, ["install", "pi", "reference"])
    assert result.exit_code == 0
    program = prefix_folder(PI, cache) / "node_modules" / ".bin" / "pi"
    assert result.stdout == (
        f"pi 0.73.1 is installed: {program}\nreference is part of qa: nothing to install\n"
    )
    assert result.stderr == "installing pi: npm @mariozechner/pi-coding-agent@0.73.1, about 204 MB ...\n"


@pytest.mark.parametrize(("argument", "exit_code"), [("nope", 2), ("pi", 3)])
def test_the_exit_code_says_who_has_to_act(tmp_path: Path, argument: str, exit_code: int) -> None:
    fake_npm(tmp_path, "exit 1")
    result = CliRunner().invoke(agents, ["install", argument])
    assert result.exit_code == exit_code
    assert result.stdout == ""
    assert f"'{argument}'" in result.stderr


def test_the_list_says_what_is_here() -> None:
    before = CliRunner().invoke(agents).stdout
    spoken = "openai-chat, anthropic-messages, openai-responses, gemini"
    assert re.search(rf"^pi +0\.73\.1 +no +{spoken} +none$", before, re.MULTILINE)
    assert re.search(r"^reference +embedded +yes .* collapse-repetition", before, re.MULTILINE)
    CliRunner().invoke(agents, ["install", "pi"])
    after = CliRunner().invoke(agents).stdout
    assert re.search(r"^pi +0\.73\.1 +0\.73\.1 ", after, re.MULTILINE)


def own(folder: Path, command: str) -> Path:
    """A description of the user's own program, without ``install``."""
    path = folder / "mine.yaml"
    path.write_text(
        f"agent: mine\ncommand: [{command}]\none_shot: ['{{prompt}}']\ndialects: {{openai-chat: {{}}}}\n"
    )
    return path


def test_a_program_of_the_users_own_is_named_and_left_alone(tmp_path: Path) -> None:
    path = own(tmp_path, "./cli")
    (tmp_path / "cli").write_text("#!/bin/sh\n")
    (tmp_path / "cli").chmod(0o755)
    result = CliRunner().invoke(agents, ["install", str(path)])
    said = f"mine is your own program, qa installs nothing for it: {tmp_path}/cli\n"
    assert (result.exit_code, result.stdout) == (0, said)


def test_a_program_of_the_users_own_that_is_missing_is_said_to_be(tmp_path: Path) -> None:
    path = own(tmp_path, "no-such-cli")
    result = CliRunner().invoke(agents, ["install", str(path)])
    assert result.exit_code == 3
    assert f"no program 'no-such-cli' on PATH\n  {path}:2 sets command" in result.stderr
    assert "your own program" in result.stderr
