"""The review as a person uses it: the real command on a pseudo-terminal."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.snapshots.made import Folder


class Terminal:
    """``qa review`` in a folder, on a terminal of its own."""

    def __init__(self, folder: Path, columns: int = 80) -> None:
        env = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "xterm", "NO_COLOR": "1"}
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "harness.cli", "review"],
            cwd=str(folder),
            env={**env, "PYTHONPATH": str(Path(__file__).parents[2])},
            dimensions=(40, columns),
            encoding="utf-8",
            timeout=30,
        )
        self.child.delaybeforesend = None

    def sees(self, text: str) -> None:
        self.child.expect_exact(text)

    def press(self, key: str) -> None:
        self.child.send(key)

    def exit_code(self) -> int | None:
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    folder = Folder(tmp_path)
    folder.accepted("old request\n", artifact="requests")
    for artifact in ("requests", "screen", "timeline"):
        folder.run(f"new {artifact}\n", artifact=artifact)
    yield folder
    assert not list(tmp_path.rglob("*.part"))


def test_each_change_is_shown_and_decided(folder: Folder, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    terminal.sees("[1/3] loop/common/requests  changed")
    terminal.sees("- old request")
    terminal.sees("+ new requests")
    terminal.press("j")
    terminal.sees("evidence: runs/0001")
    terminal.press("a")
    terminal.sees("accepted loop/common/requests")
    terminal.sees("[2/3] loop/common/screen  new")
    terminal.sees("\u2502new screen\u2502")
    terminal.press("r")
    terminal.sees("[3/3] loop/common/timeline  new")
    terminal.press("s")
    terminal.sees("no change is left")
    terminal.press("q")
    assert terminal.exit_code() == 0
    assert folder.files == {
        "common/requests.txt": "new requests\n",
        "common/timeline.txt.pending": "new timeline\n",
    }
    assert [change.name for change in folder.store.changes()] == ["loop/common/timeline"]


def test_all_the_rest_is_accepted_and_taken_back(folder: Folder, tmp_path: Path) -> None:
    before = folder.files
    terminal = Terminal(tmp_path, 120)
    terminal.sees("- old request")
    terminal.sees("\u2502 + new requests")
    terminal.press("A")
    terminal.sees("accepted loop/common/timeline")
    terminal.sees("no change is left")
    assert set(folder.files) == {f"common/{name}.txt" for name in ("requests", "screen", "timeline")}
    terminal.press("u")
    terminal.sees("undone: loop/common/requests")
    terminal.sees("[1/3] loop/common/requests  changed")
    terminal.press("q")
    assert terminal.exit_code() == 0
    assert folder.files == before


@pytest.mark.parametrize("how", ["ctrl-c", "kill", "hang-up"])
def test_interrupted_it_keeps_what_is_decided_and_loses_nothing(
    folder: Folder, tmp_path: Path, how: str
) -> None:
    terminal = Terminal(tmp_path)
    terminal.sees("[1/3]")
    terminal.press("a")
    terminal.sees("[2/3]")
    if how == "ctrl-c":
        terminal.press("\x03")
        assert terminal.exit_code() == 130
    else:
        terminal.child.kill(signal.SIGKILL if how == "kill" else signal.SIGHUP)
        terminal.exit_code()
    assert folder.files == {
        "common/requests.txt": "new requests\n",
        "common/screen.txt.pending": "new screen\n",
        "common/timeline.txt.pending": "new timeline\n",
    }
    assert [change.name for change in folder.store.changes()] == [
        "loop/common/screen",
        "loop/common/timeline",
    ]


def test_two_reviews_at_once_each_say_what_the_other_has_decided(folder: Folder, tmp_path: Path) -> None:
    one, two = Terminal(tmp_path), Terminal(tmp_path)
    one.sees("[1/3]")
    two.sees("[1/3]")
    one.press("a")
    one.sees("accepted loop/common/requests")
    two.press("r")
    two.sees("skipped: 'loop/common/requests' has been decided meanwhile, by another review")
    two.press("A")
    two.sees("accepted loop/common/timeline")
    one.press("R")
    one.sees("skipped: 'loop/common/timeline' has been decided meanwhile")
    for terminal in (one, two):
        terminal.press("q")
        assert terminal.exit_code() == 0
    assert folder.files == {
        f"common/{name}.txt": f"new {name}\n" for name in ("requests", "screen", "timeline")
    }
