from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.snapshots import store as store_module
from harness.snapshots.placing import COMMON, Stored, placed
from harness.snapshots.store import OutdatedError, SnapshotStore
from harness.snapshots.unused import unused_of
from tests.snapshots.made import CODEX, PI, Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_a_new_text_waits_beside_where_it_will_be_and_is_common_when_accepted(folder: Folder) -> None:
    assert folder.run("one\n").state == "new"
    assert folder.files == {"common/screen.txt.pending": "one\n"}
    change = folder.change
    assert (change.name, change.state, change.before, change.after) == (
        "loop/common/screen",
        "new",
        None,
        "one\n",
    )
    assert (change.made_by, change.place, change.evidence) == (PI, "loop.yaml:3:5", "runs/0001")
    folder.store.accept(change)
    assert folder.files == {"common/screen.txt": "one\n"}
    assert folder.store.changes() == []
    assert folder.run("one\n").state == "matched"


def test_the_common_text_changes_with_the_agent_it_was_taken_from(folder: Folder) -> None:
    folder.accepted("one\n", PI)
    folder.accepted("two\n", PI)
    assert folder.files == {"common/screen.txt": "two\n"}


def test_another_agent_gets_a_file_of_its_own_only_where_it_differs(folder: Folder) -> None:
    folder.accepted("one\n", PI)
    assert folder.run("one\n", CODEX).state == "matched"
    folder.run("other\n", CODEX)
    assert (folder.change.name, folder.change.before) == (f"loop/{CODEX}/screen", "one\n")
    folder.store.accept(folder.change)
    assert folder.files == {"common/screen.txt": "one\n", f"{CODEX}/screen.txt": "other\n"}
    assert folder.run("one\n", PI).state == folder.run("other\n", CODEX).state == "matched"


def test_of_agents_that_are_new_at_once_the_first_becomes_common_and_others_wait_beside_it(
    folder: Folder,
) -> None:
    folder.run("one\n", PI)
    folder.run("other\n", CODEX)
    folder.run("one\n", "qwen-openai-chat")
    changes = folder.store.changes()
    assert [(change.name, change.state) for change in changes] == [
        (f"loop/{CODEX}/screen", "new"),
        ("loop/common/screen", "new"),
    ]
    for change in changes:
        folder.store.accept(change)
    assert folder.files == {"common/screen.txt": "one\n", f"{CODEX}/screen.txt": "other\n"}
    for text, variant in (("one\n", PI), ("other\n", CODEX), ("one\n", "qwen-openai-chat")):
        assert folder.run(text, variant).state == "matched"


def test_an_agent_that_begins_to_differ_is_accepted_also_when_the_common_text_was_decided_before(
    folder: Folder,
) -> None:
    folder.accepted("one\n", PI)
    folder.run("two\n", PI)
    folder.run("other\n", CODEX)
    own, common = folder.store.changes()
    folder.store.accept(common)
    folder.store.accept(own)
    assert folder.files == {"common/screen.txt": "two\n", f"{CODEX}/screen.txt": "other\n"}


def test_an_own_file_that_would_say_what_the_common_one_says_is_removed(folder: Folder) -> None:
    folder.accepted("one\n", PI)
    folder.accepted("other\n", CODEX)
    folder.run("one\n", CODEX)
    undo = folder.store.accept(folder.change)
    assert folder.files == {"common/screen.txt": "one\n"}
    folder.store.undo(undo)
    assert folder.files[f"{CODEX}/screen.txt"] == "other\n"
    assert folder.change.after == "one\n"


def test_a_rejected_change_leaves_the_snapshot_and_comes_back_with_undo(folder: Folder) -> None:
    folder.accepted("one\n")
    folder.run("two\n")
    change = folder.change
    undo = folder.store.reject(change)
    assert (folder.files, folder.store.changes()) == ({"common/screen.txt": "one\n"}, [])
    folder.store.undo(undo)
    assert folder.change == change


@pytest.mark.parametrize("first", [None, "one\n"])
def test_an_accepted_change_comes_back_with_undo(folder: Folder, first: str | None) -> None:
    if first:
        folder.accepted(first)
    folder.run("two\n")
    before, change = folder.files, folder.change
    folder.store.undo(folder.store.accept(change))
    assert (folder.files, folder.change) == (before, change)


def test_a_run_that_matches_again_settles_what_it_had_left(folder: Folder) -> None:
    folder.accepted("one\n")
    folder.run("two\n")
    folder.run("one\n")
    assert (folder.files, folder.store.changes()) == ({"common/screen.txt": "one\n"}, [])


def test_a_change_that_another_run_replaced_is_not_accepted_unseen(folder: Folder) -> None:
    folder.run("one\n")
    seen = folder.change
    folder.run("two\n")
    for decide in (folder.store.accept, folder.store.reject):
        with pytest.raises(OutdatedError, match="'loop/common/screen' has changed meanwhile"):
            decide(seen)
    assert folder.change.after == "two\n"


def test_a_change_is_decided_once(folder: Folder) -> None:
    folder.run("one\n")
    change = folder.change
    undo = folder.store.accept(change)
    with pytest.raises(OutdatedError, match="by another review"):
        folder.store.reject(change)
    folder.accepted("two\n")
    with pytest.raises(OutdatedError, match="left as it is"):
        folder.store.undo(undo)
    assert folder.files == {"common/screen.txt": "two\n"}


def test_unused_snapshots_are_named(folder: Folder) -> None:
    folder.accepted("one\n", PI)
    folder.accepted("other\n", CODEX)
    assert unused_of(folder.root, {"screen"}) == []
    assert unused_of(folder.root, {"timeline"}) == [f"{CODEX}/screen.txt", "common/screen.txt"]
    (folder.root / CODEX / "screen.txt").write_text("one\n")
    assert unused_of(folder.root, {"screen"}) == [f"{CODEX}/screen.txt"]


@given(
    st.text("ab"),
    st.sampled_from([None, "a", "b"]),
    st.sampled_from([None, "a", "b"]),
    st.sampled_from(["", PI, CODEX]),
)
def test_what_is_accepted_matches(text: str, common: str | None, own: str | None, taken_from: str) -> None:
    stored = Stored(common, own, taken_from)
    found = placed(text, stored, PI)
    is_common = found.folder == COMMON
    after = Stored(text, own, PI) if is_common else Stored(common, text, taken_from)
    assert placed(text, after, PI).state == "matched"
    assert (found.state == "new") == (common is None and own is None)
    if found.state == "changed":
        assert found.before != text


class Killed(BaseException):
    """Stands for a process that is gone: nothing of it runs any more."""


STEPS = ("read_text", "write_text", "write_json", "_remove")


@pytest.mark.parametrize("decision", ["accept", "reject", "undo"])
def test_killed_at_any_step_a_review_loses_and_breaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, decision: str
) -> None:
    at = 0
    while True:
        folder = Folder(tmp_path / str(at))
        folder.accepted("old\n")
        folder.run("new\n")
        change = folder.change
        undo = folder.store.accept(change) if decision == "undo" else None
        with monkeypatch.context() as patch:
            survived = _killed_after(at, patch)
            try:
                if undo:
                    folder.store.undo(undo)
                else:
                    getattr(folder.store, decision)(change)
            except Killed:
                pass
        snapshot = folder.files["common/screen.txt"]
        waiting = [c.after for c in folder.store.changes()]
        allowed = {
            "accept": [("old\n", ["new\n"]), ("new\n", [])],
            "reject": [("old\n", ["new\n"]), ("old\n", [])],
            "undo": [("new\n", []), ("new\n", ["new\n"]), ("old\n", ["new\n"])],
        }
        assert (snapshot, waiting) in allowed[decision]
        if survived():
            break
        at += 1
    assert at > 2, "the review was killed at several steps"


@pytest.mark.parametrize("variant", [PI, CODEX])
def test_a_run_that_is_killed_while_it_keeps_a_change_never_mixes_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variant: str
) -> None:
    seen, at = set(), 0
    while True:
        folder = Folder(tmp_path / str(at))
        folder.run("waiting\n", PI)
        with monkeypatch.context() as patch:
            survived = _killed_after(at, patch)
            with suppress(Killed):
                folder.run("newer\n", variant)
        waiting = {(change.made_by, change.after) for change in folder.store.changes()}
        assert waiting <= {(PI, "waiting\n"), (variant, "newer\n")}
        seen.add(frozenset(waiting))
        assert folder.run("newer\n", variant).state == "new"
        assert (variant, "newer\n") in {(change.made_by, change.after) for change in folder.store.changes()}
        if survived():
            break
        at += 1
    assert at > 2
    assert frozenset({(PI, "waiting\n")}) in seen


def _killed_after(count: int, patch: pytest.MonkeyPatch) -> Callable[[], bool]:
    """Die before the step with this number: a call of the store's own file functions, a rename or a removal."""
    done, killed = 0, False

    def counted(real: Any) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal done, killed
            if done == count or killed:
                killed = True
                raise Killed
            done += 1
            return real(*args, **kwargs)

        return call

    for name in STEPS:
        patch.setattr(store_module, name, counted(getattr(store_module, name)))
    patch.setattr(Path, "replace", counted(Path.replace))
    return lambda: not killed


def _decide(folder: Path, names: list[str], gate: Any) -> None:
    store = SnapshotStore(folder)
    changes = {change.name: change for change in store.changes()}
    gate.wait()
    won = 0
    for name in names:
        try:
            store.accept(changes[name])
            won += 1
        except OutdatedError:
            continue
    os._exit(won)


def test_two_reviews_at_once_decide_every_change_once(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for n in range(40):
        folder.run(f"text {n}\n", artifact=f"a{n:02}")
    names = [change.name for change in folder.store.changes()]
    context = multiprocessing.get_context("fork")
    gate = context.Barrier(2)
    reviews = [context.Process(target=_decide, args=(tmp_path, names, gate)) for _ in range(2)]
    for review in reviews:
        review.start()
    for review in reviews:
        review.join()
    assert sum(review.exitcode or 0 for review in reviews) == 40
    assert folder.files == {f"common/a{n:02}.txt": f"text {n}\n" for n in range(40)}
    assert not list(tmp_path.rglob("*.part"))
    assert folder.store.changes() == []


@pytest.mark.parametrize("lines", [1, 4, 9])
def test_a_killed_command_leaves_each_change_decided_or_waiting(tmp_path: Path, lines: int) -> None:
    folder = Folder(tmp_path)
    names = [f"a{n:02}" for n in range(20)]
    for name in names:
        folder.accepted(f"old {name}\n", artifact=name)
    for name in names:
        folder.run(f"new {name}\n", artifact=name)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "harness.cli", "review", "--accept", "loop"]
    with subprocess.Popen(command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(lines)]
        process.kill()
    waiting = {change.artifact: change.after for change in folder.store.changes()}
    accepted = [name for name in names if folder.files[f"common/{name}.txt"] == f"new {name}\n"]
    kept = [name for name in names if folder.files[f"common/{name}.txt"] == f"old {name}\n"]
    assert sorted(accepted + kept) == names
    assert waiting == {name: f"new {name}\n" for name in kept}
    assert {f"accepted loop/common/{name}\n" for name in accepted} >= set(said)
    for change in folder.store.changes():
        folder.store.accept(change)
    assert folder.files == {f"common/{name}.txt": f"new {name}\n" for name in names}
