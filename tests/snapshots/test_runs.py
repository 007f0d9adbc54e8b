"""Runs with a ``snapshot`` step: what they keep, where they keep nothing, and how the command reviews it."""

from __future__ import annotations

import json
from pathlib import Path

import pexpect
import pytest

from tests.e2e.qa_command import Ended, Qa

SCENARIO = """
model:
  - say: {paragraph-loop: {cycles: 8}}
  - say: "RECOVERED {nonce}"
prompt: "Say RECOVERED {nonce}."
steps:
  - requests: 2
  - snapshot: [transcript, requests, screen, timeline]
"""


class Loop:
    def __init__(self, qa: Qa) -> None:
        self.qa = qa
        self.snapshots = qa.folder / "scenarios" / "__snapshots__" / "loop"

    def run(self, *words: str, ci: str = "") -> Ended:
        return self.qa("run", "loop", *words, CI=ci)

    def pending(self) -> list[str]:
        listed = json.loads(self.qa("review", "--json").out)
        return [change["name"] for change in listed["pending"]]

    @property
    def files(self) -> set[str]:
        return {str(p.relative_to(self.snapshots)) for p in self.snapshots.rglob("*.txt*")}


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    qa = Qa(tmp_path)
    qa.scenario("loop", SCENARIO)
    return Loop(qa)


@pytest.mark.parametrize(
    ("words", "ci", "why"), [((), "", "no terminal"), (("--update",), "1", "in CI nothing")]
)
def test_nothing_is_written_in_ci_or_without_a_terminal(
    loop: Loop, words: tuple[str, ...], ci: str, why: str
) -> None:
    ended = loop.run(*words, ci=ci)
    assert ended.code == 1
    assert "transcript is missing" in ended.out
    assert why in ended.out
    assert not loop.snapshots.exists()
    assert not (loop.qa.folder / ".qa" / "pending").exists()


def test_missing_changed_and_unused_are_told_apart(loop: Loop) -> None:
    loop.run("--update")
    both = loop.qa("review", "--accept", "loop/common/requests", "--reject", "loop")
    assert (both.code, both.err) == (2, "'loop/common/requests' cannot be accepted and rejected\n")
    loop.qa("review", "--accept", "loop/common/requests", "--accept", "loop/common/timeline")
    loop.qa("review", "--reject", "loop")
    stale = loop.qa.folder / "scenarios" / "__snapshots__" / "gone" / "common" / "screen.txt"
    stale.parent.mkdir(parents=True)
    stale.write_text("x\n")
    loop.qa.scenario(
        "loop", SCENARIO.replace("[transcript, requests, screen, timeline]", "[transcript, timeline]")
    )
    timeline = loop.snapshots / "common" / "timeline.txt"
    timeline.write_text("edited\n" + timeline.read_text())
    ended = loop.run()
    assert (
        ended.observed("loop@reference-openai-chat", "snapshot") == "transcript is missing, timeline changed"
    )
    assert "- edited" in ended.out
    listed = loop.qa("review", "--list").out
    assert "unused   gone/common/screen.txt\nunused   loop/common/requests.txt\n" in listed


def test_a_named_mask_that_replaces_nothing_fails_the_step(loop: Loop) -> None:
    step = "{of: [transcript], masks: [nonce, version], patterns: {ticket: 'T-[0-9]+'}}"
    loop.qa.scenario("loop", SCENARIO.replace("[transcript, requests, screen, timeline]", step))
    ended = loop.run()
    observed = ended.observed("loop@reference-openai-chat", "snapshot")
    assert observed == "masks that replaced nothing: 'version', 'ticket'"
    log = json.loads(next(ended.runs.glob("*/*/redactions.json")).read_text())
    assert {entry["mask"] for entry in log} == {"[NONCE]"}
    assert {"file", "line", "name", "mask", "original"} == set(log[0])


def test_an_unknown_name_decides_nothing(loop: Loop) -> None:
    loop.run("--update")
    ended = loop.qa("review", "--accept", "loop/common/timeline", "--accept", "loop/common/timelin")
    assert ended.code == 2
    assert "did you mean 'loop/common/timeline'?" in ended.err
    assert len(loop.pending()) == 4


def test_on_a_terminal_a_run_keeps_its_changes_by_itself(loop: Loop) -> None:
    env = {**loop.qa.env, "CI": "", "TERM": "xterm", "PYTHONPATH": str(Path(__file__).parents[2])}
    program, *words = loop.qa.command("run", "loop")
    child = pexpect.spawn(program, words, cwd=str(loop.qa.folder), env=env, timeout=60, dimensions=(40, 120))
    child.expect_exact("qa review")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 1
    assert len(loop.pending()) == 4


def test_a_folder_that_cannot_be_written_is_told_by_run_and_review(loop: Loop) -> None:
    loop.run("--update")
    (loop.qa.folder / "scenarios" / "__snapshots__").rename(loop.qa.folder / "kept")
    (loop.qa.folder / "scenarios" / "__snapshots__").write_text("a file where a folder belongs")
    ended = loop.run("--update")
    assert ended.code == 1
    assert "the snapshots cannot be read, or changes not be kept" in ended.out
    (loop.qa.folder / "page").mkdir()
    ended = loop.qa("review", "--html", "page")
    assert (ended.code, ended.err) == (3, "cannot use page: Is a directory\n")


def test_a_run_without_snapshots_loads_nothing_for_them(loop: Loop) -> None:
    loop.qa.scenario("loop", SCENARIO.replace("  - snapshot: [transcript, requests, screen, timeline]\n", ""))
    ended = loop.qa("run", "loop", PYTHONPROFILEIMPORTTIME="1")
    assert ended.code == 0
    assert "harness.steps.checks" in ended.err
    assert "harness.snapshots" not in ended.err
