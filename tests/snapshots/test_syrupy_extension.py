from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.snapshots.made import Folder

TEST = """
from harness.snapshots.syrupy_extension import snapshots_of

def test_requests(snapshot):
    stored = snapshot.use_extension(snapshots_of("loop", folder="scenarios/__snapshots__"))
    assert TEXT == stored(name="requests")
"""


def run(folder: Path, text: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_mine.py").write_text(TEST.replace("TEXT", repr(text)))
    (folder / "pytest.ini").write_text("[pytest]\n")
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "CI": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_a_test_compares_with_what_the_review_accepted(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.accepted("asked [ID-1]\n", artifact="requests")
    passed = run(tmp_path, "asked call_a1b2\n")
    assert passed.returncode == 0, passed.stdout
    failed = run(tmp_path, "asked twice\n")
    assert failed.returncode == 1
    assert "asked twice" in failed.stdout
    assert folder.files == {"common/requests.txt": "asked [ID-1]\n"}


def test_its_update_writes_the_same_file(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.accepted("shown\n", artifact="screen")
    folder.accepted("one\n", artifact="requests")
    assert run(tmp_path, "two\n", "--snapshot-update").returncode == 0
    assert folder.files == {"common/requests.txt": "two\n", "common/screen.txt": "shown\n"}
    assert folder.run("two\n", artifact="requests").state == "matched"
