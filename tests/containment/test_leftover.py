"""Private folders that nobody owns any more are removed; those of others, and of living runs, never."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from harness.containment.leftover import OWNERS, claim, sweep

WEEK_S = 7 * 24 * 3600


@pytest.fixture
def dead() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def private(parent: Path, name: str = "ttsr-qa-0123456789abcdef") -> Path:
    root = parent / name
    (root / "home").mkdir(parents=True)
    return root


def aged(root: Path, seconds: float) -> Path:
    then = root.stat().st_mtime - seconds
    os.utime(root, (then, then))
    return root


def test_a_folder_whose_owners_are_dead_is_removed(tmp_path: Path, dead: int) -> None:
    root = private(tmp_path)
    claim(root, (dead, dead))
    assert sweep(tmp_path) == [root]
    assert not root.exists()


def test_a_folder_with_a_living_owner_stays(tmp_path: Path, dead: int) -> None:
    claim(private(tmp_path, "ttsr-qa-1"), (os.getpid(), dead))
    claim(private(tmp_path, "ttsr-qa-2"), (dead, os.getpid()))
    assert sweep(tmp_path) == []


def test_another_process_that_got_the_number_of_an_owner_does_not_count(tmp_path: Path) -> None:
    root = private(tmp_path)
    claim(root, (os.getpid(),))
    claimed = json.loads((root / OWNERS).read_text())
    claimed["owners"][0][1] -= 1
    (root / OWNERS).write_text(json.dumps(claimed))
    assert sweep(tmp_path) == [root]


@pytest.mark.parametrize("place", [["another boot", "pid:[1]"], None, 3])
def test_what_was_claimed_elsewhere_stays_for_a_week(tmp_path: Path, dead: int, place: object) -> None:
    root = private(tmp_path)
    (root / OWNERS).write_text(json.dumps({"place": place, "owners": [[dead, 1]]}))
    assert sweep(aged(root, WEEK_S - 60).parent) == []
    assert sweep(aged(root, 120).parent) == [root]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"place": "x"}'])
def test_a_claim_that_cannot_be_read_stays_for_a_week(tmp_path: Path, text: str) -> None:
    root = private(tmp_path)
    (root / OWNERS).write_text(text)
    assert sweep(tmp_path) == []
    assert sweep(aged(root, WEEK_S + 60).parent) == [root]


def test_what_is_not_ours_is_left_alone(tmp_path: Path, dead: int, monkeypatch: pytest.MonkeyPatch) -> None:
    claim(private(tmp_path, "other-0123456789abcdef"), (dead,))
    elsewhere = tmp_path / "elsewhere"
    claim(private(elsewhere), (dead,))
    (tmp_path / "ttsr-qa-link").symlink_to(elsewhere / "ttsr-qa-0123456789abcdef")
    (tmp_path / "ttsr-qa-file").touch()
    assert sweep(tmp_path) == []

    monkeypatch.setattr("os.geteuid", lambda: os.getuid() + 1)
    assert sweep(elsewhere) == []


def test_what_still_runs_for_a_dead_run_is_ended(tmp_path: Path, dead: int) -> None:
    root = private(tmp_path, "ttsr-qa-feedfacefeedface")
    claim(root, (dead,))
    env = {**os.environ, "TTSR_QA_RUN": "feedfacefeedface"}
    left = subprocess.Popen(["sleep", "600"], env=env, start_new_session=True)
    try:
        assert sweep(tmp_path) == [root]
        assert left.wait(20) == -9
    finally:
        left.kill()
        left.wait()


def evidence_in(folder: Path) -> Path:
    folder.mkdir()
    (folder / "events.jsonl").touch()
    return folder


def test_what_the_agent_had_saved_goes_beside_the_evidence_with_its_secrets_masked(
    tmp_path: Path, dead: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, evidence = private(tmp_path), evidence_in(tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    (root / "home/s.jsonl").write_text(f"in {root}/work with sk-qa-0123456789abcdef\n")
    claim(root, (dead,), evidence.name, f"{root}/home/*.jsonl")
    monkeypatch.chdir("/")  # the next qa need not be called in the same folder
    assert sweep(tmp_path) == [root]
    assert (evidence / "session/s.jsonl").read_text() == "in [WORK] with [KEY]\n"
    assert json.loads((evidence / "result.json").read_text())["verdict"] == "error"
    assert not root.exists()


@pytest.mark.parametrize("session", ["/etc/hosts", "{root}/../secret", "{root}x/*", ""])
def test_no_file_outside_the_private_folder_is_taken_for_a_session(
    tmp_path: Path, dead: int, session: str
) -> None:
    root, evidence = private(tmp_path), evidence_in(tmp_path / "run")
    (tmp_path / "secret").write_text("mine")
    claim(root, (dead,), str(evidence), session.format(root=root))
    assert sweep(tmp_path) == [root]
    assert [path.name for path in evidence.iterdir()] == ["events.jsonl"]


def test_evidence_that_was_removed_meanwhile_is_not_made_again(tmp_path: Path, dead: int) -> None:
    root = private(tmp_path)
    (root / "home/s.jsonl").write_text("x")
    claim(root, (dead,), str(tmp_path / "gone"), f"{root}/home/*.jsonl")
    assert sweep(tmp_path) == [root]
    assert not (tmp_path / "gone").exists()


def test_a_folder_of_temporary_files_that_is_not_there_is_none_to_sweep(tmp_path: Path) -> None:
    assert sweep(tmp_path / "nowhere") == []
