"""A run is the same in an odd folder, with an odd environment, and without the standard files."""

from __future__ import annotations

import errno
import json
import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from harness.cli import main
from tests.e2e.hostile_agent import HELLO
from tests.e2e.qa_command import Qa


@pytest.fixture
def qa(tmp_path: Path) -> Qa:
    """In a folder whose name has what shells, pytest and narrow encodings trip over."""
    folder = tmp_path / "mé [x]::y @z"
    folder.mkdir()
    return Qa(folder)


def under_bash(qa: Qa, line: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run qa by a line of bash in which ``"$@"`` stands for it."""
    command = ["bash", "-c", line, "bash", *qa.command(*words)]
    return subprocess.run(
        command, cwd=qa.folder, env=qa.env, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_without_standard_files_the_run_is_made_all_the_same(qa: Qa, closed: str) -> None:
    qa.scenario("hello", HELLO)
    done = under_bash(qa, f'"$@" {closed}', "run", "hello")
    assert done.returncode == 0, done.stdout + done.stderr
    (result,) = (qa.folder / ".qa/runs/0001").glob("*/result.json")
    assert json.loads(result.read_text())["verdict"] == "passed"


def test_a_report_that_finds_no_room_changes_no_outcome_and_is_said(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    done = under_bash(qa, '"$@" > /dev/full', "run", "hello")
    assert done.returncode == 0
    assert done.stderr == "the report cannot be written: No space left on device\n"


@pytest.mark.parametrize(("number", "code"), [(errno.EACCES, 2), (errno.EROFS, 2), (errno.ENOSPC, 3)])
def test_a_file_that_this_user_may_not_use_is_no_bug(
    number: int, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number), "/elsewhere/file")

    monkeypatch.setattr("harness.commands.replay._load", refuse)
    ended = CliRunner().invoke(main, ["replay", "file"])
    assert (ended.exit_code, ended.stderr) == (
        code,
        f"cannot use /elsewhere/file: {os.strerror(number)}\n",
    )


def test_a_list_that_finds_no_room_is_an_error_and_no_bug(qa: Qa) -> None:
    done = under_bash(qa, '"$@" > /dev/full', "list")
    assert done.returncode == 3
    assert done.stderr == "the output cannot be written: No space left on device\n"


@pytest.mark.parametrize(
    "env",
    [
        {"HOME": ""},
        {"HOME": "/nowhere/at/all"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTEST_ADDOPTS": "--collect-only -k nothing", "PYTEST_PLUGINS": "not_there"},
        {"TERM": ""},
    ],
    ids=" ".join,
)
def test_variables_of_the_user_change_nothing(qa: Qa, env: dict[str, str]) -> None:
    qa.scenario("hello", HELLO)
    ended = qa("run", "hello", **env)
    assert ended.code == 0, ended.out + ended.err
    assert "Traceback" not in ended.err


def test_a_temporary_folder_behind_a_link_with_blanks_is_left_empty(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    (qa.folder / "t m p").mkdir()
    (qa.folder / "link").symlink_to("t m p")
    assert qa("run", "hello", TMPDIR=str(qa.folder / "link")).code == 0
    assert list((qa.folder / "t m p").iterdir()) == []


def test_few_open_files_are_enough(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    done = under_bash(qa, 'ulimit -n 64; exec "$@"', "run", "hello")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_working_folder_that_was_removed_is_said(qa: Qa) -> None:
    done = under_bash(qa, 'mkdir gone; cd gone; rmdir ../gone; "$@"', "run", "healthy-prose")
    assert done.returncode == 2
    assert done.stderr.startswith("the working folder is not there any more")


@pytest.mark.parametrize("name", ["hello.txt", "long.yaml"])
def test_a_file_that_is_named_is_run_whatever_its_ending_and_however_late_it_says_what_it_is(
    qa: Qa, name: str
) -> None:
    path = qa.scenario(Path(name).stem, HELLO)
    (qa.folder / name).write_text("# a comment\n" * 2_000 + path.read_text())
    path.unlink()
    ended = qa("run", name, "healthy-prose")
    assert ended.code == 0, ended.out + ended.err
    assert len(ended.results()) == 2


def test_a_junit_file_that_cannot_be_written_is_said_before_anything_runs(qa: Qa) -> None:
    ended = qa("run", "healthy-prose", "--junit", str(qa.folder))
    assert ended.code == 2
    assert "Is a directory" in ended.err
    assert "--junit" in ended.err
    assert not ended.runs.exists()


def test_unknown_tags_are_answered_with_the_known_ones(qa: Qa) -> None:
    ended = qa("run", "--tag", "healty")
    assert ended.code == 5
    assert "no scenario has the tag 'healty'" in ended.err
    assert "did you mean 'healthy'?" in ended.err
    assert "the tags are" in ended.err
    assert "ttsr" in ended.err


def test_many_runs_at_once_in_one_folder_get_folders_of_their_own(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    started = [
        subprocess.Popen(
            qa.command("run", "hello"), cwd=qa.folder, env=qa.env, stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    outputs = [process.communicate(timeout=100)[0] for process in started]
    assert [process.returncode for process in started] == [0] * 6, outputs
    folders = sorted(path.name for path in (qa.folder / ".qa/runs").iterdir() if path.is_dir())
    assert folders == [f"{number:04}" for number in range(1, 7)]


def test_a_run_that_was_selected_and_not_made_is_a_bug_and_no_pass(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    program = (
        "import harness.engine as engine\n"
        "engine.run_paths = lambda *_args, **_options: engine.EngineResult(False, ())\n"
        "import harness.qa_session as sessions\n"
        "sessions.QaSession.start_early = lambda *_: None\n"
        "from harness.cli import main\nmain()\n"
    )
    words = [qa.command()[0], "-c", program, "run", "hello"]
    done = subprocess.run(words, cwd=qa.folder, env=qa.env, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "hello@reference-openai-chat was selected and not run" in done.stderr


def test_doubtful_rule_names_are_told_under_pytest_too(qa: Qa) -> None:
    text = HELLO + "control: {disable: [colapse-repetition], must_fail: [silent]}\n"
    qa.scenario("hello", text)
    words = [qa.command()[0], "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", ".", "scenarios"]
    done = subprocess.run(words, cwd=qa.folder, env=qa.env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "warning: " in done.stdout
    assert "no rule 'colapse-repetition'; did you mean 'collapse-repetition'?" in done.stdout


def test_where_pytest_can_keep_no_evidence_it_says_that_and_shows_no_internals(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    (qa.folder / "file").touch()
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "--qa-runs", "file/runs"]
    done = subprocess.run(
        [qa.command()[0], *words, "scenarios"],
        cwd=qa.folder,
        env=qa.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert (
        "cannot keep evidence in file/runs: Not a directory\n"
        "  name another folder with --runs (pytest: --qa-runs)\n"
    ) in done.stdout
    assert "runner.py" not in done.stdout
