"""The copy of a session store in the evidence: a database with its log, still readable, secrets masked."""

from __future__ import annotations

from pathlib import Path

from harness.readers import BESIDE, read
from harness.recorder import copy_session
from harness.redact import Masks
from harness.session_files import files_of
from tests.readers.samples import opencode

SECRET = "I will list."  # stands in the database as a key would


def store(folder: Path) -> Path:
    folder.mkdir()
    for name, content in opencode(logged=2).items():
        (folder / name).write_bytes(content)
    return folder / "opencode.db"


def test_a_database_and_its_log_are_read_together(tmp_path: Path) -> None:
    path = store(tmp_path / "data")
    assert list(files_of(path, BESIDE["opencode-sqlite"])) == ["opencode.db", "opencode.db-wal"]
    assert list(files_of(path)) == ["opencode.db"]


def test_a_log_that_is_a_link_is_left_alone(tmp_path: Path) -> None:
    path = store(tmp_path / "data")
    log = path.with_name("opencode.db-wal")
    log.rename(tmp_path / "elsewhere")
    log.symlink_to(tmp_path / "elsewhere")
    assert list(files_of(path, ("-wal",))) == ["opencode.db"]


def test_a_kept_database_can_be_read_like_the_original(tmp_path: Path) -> None:
    path = store(tmp_path / "data")
    (kept,) = copy_session(str(path), tmp_path / "kept", Masks({"sk-live-123": "[KEY]"}))
    assert kept.copy is not None
    assert read("opencode-sqlite", files_of(kept.copy, ("-wal",))) == read(
        "opencode-sqlite", files_of(path, ("-wal",))
    )


def test_a_secret_in_a_database_is_masked_and_keeps_its_length(tmp_path: Path) -> None:
    path = store(tmp_path / "data")
    (kept,) = copy_session(str(path), tmp_path / "kept", Masks({SECRET: "[KEY]"}))
    assert kept.copy is not None
    for original, copy in zip(
        files_of(path, ("-wal",)).values(), files_of(kept.copy, ("-wal",)).values(), strict=True
    ):
        assert SECRET.encode() not in copy
        assert len(copy) == len(original)


def test_a_text_is_masked_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"key": "sk-live-123"}\n')
    (kept,) = copy_session(str(path), tmp_path / "kept", Masks({"sk-live-123": "[KEY]"}))
    assert kept.copy is not None
    assert kept.copy.read_text() == '{"key": "[KEY]"}\n'
