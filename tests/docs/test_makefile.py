"""The Makefile says what is missing, and does not do again what is done."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def project(tmp_path: Path) -> None:
    """What make looks at, in a folder of the test's own."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environ = {"PATH": os.environ["PATH"]}
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def fake(path: Path, script: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_without_a_python_that_is_new_enough_it_says_so(tmp_path: Path) -> None:
    fake(tmp_path / "old", "exit 1")
    done = make(tmp_path, "demo", f"PYTHONS={tmp_path}/nowhere {tmp_path}/old")
    assert done.returncode == 2
    assert done.stderr.startswith("no Python 3.11 or newer on PATH")
    assert not (tmp_path / ".venv").exists()


def test_a_python_without_venv_is_told_from_a_missing_one(tmp_path: Path) -> None:
    fake(tmp_path / "python", 'test "$1" = -c')
    done = make(tmp_path, "demo", f"PYTHONS={tmp_path}/python")
    assert done.returncode == 2
    assert "apt install python3-venv" in done.stderr


def test_the_demo_installs_once_and_again_when_the_project_changed(tmp_path: Path) -> None:
    fake(tmp_path / ".venv" / "bin" / "python", f'echo "$@" >> {tmp_path}/log')
    fake(tmp_path / ".venv" / "bin" / "qa", 'echo "ran: $@"')
    first = make(tmp_path, "demo")
    assert first.stdout.splitlines()[-1] == "ran: run ttsr-near-duplicate-loop"
    assert first.returncode == 0, first.stderr
    log = tmp_path / "log"
    assert log.read_text().count("pip install") == 1

    stamp = (tmp_path / ".venv" / "demo.stamp").stat().st_mtime
    os.utime(tmp_path / "pyproject.toml", (stamp - 60, stamp - 60))
    again = make(tmp_path, "demo")
    assert again.stdout == "ran: run ttsr-near-duplicate-loop\n"
    assert log.read_text().count("pip install") == 1

    os.utime(tmp_path / "pyproject.toml", (stamp + 60, stamp + 60))
    changed = make(tmp_path, "demo")
    assert changed.stdout.startswith("installing qa")
    assert log.read_text().count("pip install") == 2


def test_the_demo_ends_as_the_run_ended(tmp_path: Path) -> None:
    fake(tmp_path / ".venv" / "bin" / "python", "exit 0")
    fake(tmp_path / ".venv" / "bin" / "qa", "exit 1")
    assert make(tmp_path, "demo").returncode != 0
