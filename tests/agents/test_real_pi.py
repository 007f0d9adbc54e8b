"""The real pi, where 'qa agents install pi' has put it in place."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from harness.agents.install import mistake_in
from harness.agents.locate import cache_folder, installed_program, load_agent, prefix_folder

PI = load_agent("pi")


@pytest.fixture
def pi() -> Path:
    program = installed_program(PI, cache_folder())
    if program is None:
        assert not os.environ.get("CI"), "pi is not installed: run 'qa agents install pi' first"
        pytest.skip("pi is not installed here: 'qa agents install pi'")
    return program


@pytest.mark.real_agent
def test_the_installed_pi_is_the_pinned_one(pi: Path, tmp_path: Path) -> None:
    assert mistake_in(PI, prefix_folder(PI, cache_folder())) == ""
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **PI.env}
    probe = subprocess.run(
        [pi, *PI.version_probe],
        env=environment,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
        timeout=60,
    )
    assert probe.stdout.strip() == PI.install.version
