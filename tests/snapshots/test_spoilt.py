"""Snapshots that git, a merge or a file system has done something to."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner

from harness.commands.review import review
from harness.problems import UserError
from harness.snapshots import store as store_module
from harness.snapshots.placing import FOLDER
from tests.e2e.qa_command import Qa
from tests.snapshots.made import CODEX, PI, Folder

SCENARIO = """
model: [{say: "hello {nonce}"}]
prompt: "p {nonce}"
steps: [{snapshot: [transcript, timeline]}]
"""
CONFLICT = "<<<<<<< HEAD\nexit 0\n=======\nexit 1\n>>>>>>> theirs\n"


class Reviewed:
    """A scenario whose snapshots are accepted."""

    def __init__(self, qa: Qa) -> None:
        self.qa = qa
        qa.scenario("loop", SCENARIO)
        qa("run", "loop", "--update", CI="")
        assert qa("review", "--accept", "loop").code == 0
        self.folder = qa.folder / "scenarios" / FOLDER
        self.common = self.folder / "loop" / "common"

    def observed(self, *words: str, ci: str = "1") -> str:
        return self.qa("run", "loop", *words, CI=ci).observed("loop@reference-openai-chat", "snapshot")

    def git(self, *words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.autocrlf=true"]
        env = {**self.qa.env, "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", *who, *words], cwd=self.qa.folder, env=env, check=True, capture_output=True)


@pytest.fixture
def reviewed(tmp_path: Path) -> Reviewed:
    return Reviewed(Qa(tmp_path))


@pytest.mark.parametrize("attributes", [True, False])
def test_a_checkout_with_the_line_ends_of_windows_changes_no_snapshot(
    reviewed: Reviewed, *, attributes: bool
) -> None:
    assert (reviewed.folder / ".gitattributes").read_text() == "*.txt -text\n"
    if not attributes:
        (reviewed.folder / ".gitattributes").unlink()
    reviewed.git("init", "-q")
    reviewed.git("add", "scenarios")
    reviewed.git("commit", "-q", "-m", "snapshots")
    text = (reviewed.common / "timeline.txt").read_bytes()
    (reviewed.common / "timeline.txt").unlink()
    reviewed.git("checkout", "-q", "--", "scenarios")
    found = (reviewed.common / "timeline.txt").read_bytes()
    assert found == (text if attributes else text.replace(b"\n", b"\r\n"))
    assert reviewed.observed() == "transcript, timeline matched"
    assert "unused" not in reviewed.qa("review", "--list").out


def test_git_sees_what_was_accepted_and_nothing_that_waits(reviewed: Reviewed) -> None:
    (reviewed.common / "timeline.txt").write_text("other\n")
    reviewed.observed("--update", ci="")
    reviewed.git("init", "-q")
    reviewed.git("add", "-A")
    listed = subprocess.run(
        ["git", "ls-files", "scenarios", ".qa"],
        cwd=reviewed.qa.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    below = f"scenarios/{FOLDER}"
    assert listed.stdout.split() == [
        f"{below}/.gitattributes",
        f"{below}/.gitignore",
        f"{below}/loop/common/taken-from.json",
        f"{below}/loop/common/timeline.txt",
        f"{below}/loop/common/transcript.txt",
        "scenarios/loop.yaml",
    ]


def test_a_snapshot_in_a_merge_conflict_is_told_shown_and_can_be_accepted(reviewed: Reviewed) -> None:
    timeline = reviewed.common / "timeline.txt"
    right = timeline.read_text()
    timeline.write_text(right.replace("exit 0\n", CONFLICT))
    assert reviewed.observed() == "timeline is in a merge conflict"
    reviewed.observed("--update", ci="")
    (change,) = json.loads(reviewed.qa("review", "--json").out)["pending"]
    assert "<<<<<<< HEAD" in change["before"]
    assert reviewed.qa("review", "--accept", "loop").code == 0
    assert timeline.read_text() == right
    assert reviewed.observed() == "transcript, timeline matched"


def test_a_conflict_about_where_the_common_text_is_from_is_told_and_nothing_is_decided(
    reviewed: Reviewed,
) -> None:
    origins = reviewed.common / "taken-from.json"
    (reviewed.common / "timeline.txt").write_text("other\n")
    reviewed.observed("--update", ci="")
    origins.write_text(CONFLICT)
    assert reviewed.observed() == "the snapshots cannot be read"
    ended = reviewed.qa("review", "--accept", "loop")
    assert ended.code == 2
    assert (
        "taken-from.json says which agent the common snapshots were taken from, and cannot be read"
        in ended.err
    )
    assert (reviewed.common / "timeline.txt").read_text() == "other\n"
    origins.unlink()
    assert reviewed.qa("review", "--accept", "loop").code == 0
    assert json.loads(origins.read_text()) == {"timeline.txt": "reference-openai-chat"}


def test_who_took_the_common_text_is_not_forgotten_in_a_conflict(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.accepted("one\n", PI)
    (folder.root / "common" / "taken-from.json").write_text(CONFLICT)
    with pytest.raises(UserError, match="cannot be read"):
        folder.run("other\n", CODEX)
    assert folder.store.changes() == []


def _read_only(*_words: object) -> NoReturn:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS), "scenarios/common/screen.txt")


def test_a_folder_that_turns_read_only_ends_the_review_and_everything_still_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Folder(tmp_path)
    folder.accepted("old\n")
    folder.run("new\n")
    before = folder.files
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(store_module, "write_json", _read_only)
        done = CliRunner().invoke(review, ["--accept", "loop"])
    assert str(done.exception) == "cannot use scenarios/common/screen.txt: Read-only file system"
    assert folder.files == before
    folder.store.accept(folder.change)
    assert folder.files == {"common/screen.txt": "new\n"}


def test_a_change_of_an_older_version_still_waits(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.run("new\n")
    record = folder.change.record
    about = json.loads(record.read_text())
    del about["sha256"]
    record.write_text(json.dumps(about))
    assert folder.change.after == "new\n"
