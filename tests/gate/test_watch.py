"""``qa watch``: a change runs what it touches, also where nobody looks at a terminal."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from tests.e2e.qa_command import Qa

TEXT = "model:\n  - say: 'hello {nonce}'\nprompt: 'p {nonce}'\nsteps:\n  - exit: 0\n"


@contextmanager
def watching(qa: Qa, *words: str) -> Iterator[IO[str]]:
    """What the command prints, from the moment at which it waits; ended with Ctrl-C."""
    process = subprocess.Popen(
        qa.command("watch", *words),
        cwd=qa.folder,
        env=qa.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        until(process.stdout, "waiting for changes of ")
        yield process.stdout
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert (process.wait(timeout=30), rest) == (0, "ended\n")
    finally:
        process.kill()
        process.stdout.close()
        process.wait()


def until(lines: IO[str], beginning: str) -> list[str]:
    """The lines up to the first that begins so; the command's end fails the test."""
    found: list[str] = []
    for line in lines:
        found.append(line.rstrip("\n"))
        if line.startswith(beginning):
            return found
    raise AssertionError(f"it ended without '{beginning}': {found}")


def test_a_changed_scenario_runs_and_the_others_do_not(qa: Qa) -> None:
    qa.scenario("a", TEXT)
    qa.scenario("b", TEXT)
    with watching(qa, "scenarios") as out:
        qa.scenario("b", TEXT.replace("exit: 0", "exit: 3"))
        lines = until(out, "exit code ")
        assert "scenarios/b.yaml changed: 1 of 2 scenarios" in lines
        assert lines[-1] == "exit code 1; waiting for changes"
        assert not [line for line in lines if line.startswith("✓ a")]
        qa.scenario("b", TEXT)
        assert until(out, "exit code ")[-1] == "exit code 0; waiting for changes"


def test_a_file_of_the_detector_runs_all_and_other_files_run_nothing(qa: Qa) -> None:
    qa.scenario("a", TEXT)
    qa.scenario("b", TEXT)
    (qa.folder / "src").mkdir()
    (qa.folder / "gate.yaml").write_text("detector: src/**\n")
    with watching(qa, "scenarios", "--jobs", "2") as out:
        (qa.folder / "notes.txt").write_text("nothing to do with it")
        (qa.folder / "src" / "guard.py").write_text("1")
        lines = until(out, "exit code ")
        assert "src/guard.py of the detector changed: 2 of 2 scenarios" in lines
        assert lines[-2] == "scenarios: 2 passed, 0 failed"


def test_a_scenario_that_is_wrong_is_told_and_the_watch_goes_on(qa: Qa) -> None:
    qa.scenario("a", TEXT)
    with watching(qa, "scenarios") as out:
        qa.scenario("a", "model: [")
        lines = until(out, "exit code ")
        assert any(line.startswith("scenarios/a.yaml:") for line in lines)
        assert lines[-1] == "exit code 2; waiting for changes"
        qa.scenario("a", TEXT)
        assert until(out, "exit code ")[-1] == "exit code 0; waiting for changes"


def test_the_agents_are_those_of_the_gate_and_a_changed_description_runs_all(qa: Qa) -> None:
    qa.scenario("a", TEXT)
    agent = Path(qa.agent("import runpy\nrunpy.run_module('harness.refagent', run_name='__main__')\n"))
    (qa.folder / "gate.yaml").write_text("agents: [mine.yaml, reference]\ndetector: scenarios/**\n")
    with watching(qa, "scenarios") as out:
        agent.write_text(agent.read_text() + "# changed\n")
        lines = until(out, "exit code ")
        assert "mine.yaml changed, on which every run depends: 1 of 1 scenarios" in lines
        assert [line.split(",")[0] for line in lines if line.startswith("✓ a")] == [
            "✓ a  mine",
            "✓ a  reference",
        ]
        assert lines[-1] == "exit code 0, 0; waiting for changes"


def test_without_the_package_it_says_what_to_install(qa: Qa) -> None:
    code = "import sys; sys.modules['watchfiles'] = None; from harness.cli import main; main(['watch'])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=qa.folder, env=qa.env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert done.stderr == "'qa watch' needs the package watchfiles\n  pip install 'ttsr-qa[watch]'\n"
