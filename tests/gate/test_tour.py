"""The way of somebody who maintains a detector, from a fresh clone to what a reviewer accepts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.gate.baseline_file import parse_gate
from harness.place import Place
from tests.gate.detector_repository import Ended, Repository, made_in
from tests.gate.reports import Read, Reports
from tests.snapshots.test_review_terminal import Terminal

RUNS = {name + control for name in ("calm", "plan-loop", "short-plan-loop", "word-for-word") for control in ("", " (control)")}  # fmt: skip
THRESHOLD, GUARD, INTERRUPT = "min_echoes: {}", "agent/guard.yaml", "agent/interrupt.txt"
OLD, NEW = "Do not take it up again.", "Leave it alone."


class Maintainer:
    """A clone, and the gate in it with all its reports."""

    def __init__(self, clone: Repository) -> None:
        self.clone = clone
        self.reports = Reports(clone.folder / "reports")

    def gate(self, *words: str, **env: str) -> tuple[Ended, Read]:
        ended = self.clone.qa("gate", *words, *self.reports.words, **env)
        return ended, self.reports.read()

    def passes(self, *words: str) -> Read:
        """The gate passes and has nothing to say."""
        ended, read = self.gate(*words)
        assert (ended.code, ended.out.splitlines()[-1]) == (0, "gate: passed"), ended.out + ended.err
        assert (read.failing, read.findings) == (set(), {})
        return read

    def threshold(self, now: int, then: int) -> None:
        self.clone.edit(GUARD, THRESHOLD.format(now), THRESHOLD.format(then))


@pytest.fixture
def maintainer(tmp_path: Path) -> Maintainer:
    return Maintainer(made_in(tmp_path).clone(tmp_path / "clone"))


def test_from_a_broken_guard_to_an_accepted_change(maintainer: Maintainer) -> None:
    assert set(maintainer.passes().cases) == RUNS
    assert maintainer.passes("--changed-since", "origin/main").cases == {}

    maintainer.threshold(8, 10)
    _says_which_loop_is_missed_and_which_is_later(maintainer)
    maintainer.clone.git("checkout", "-q", GUARD)
    maintainer.passes()

    maintainer.clone.edit(INTERRUPT, OLD, NEW)
    _says_that_the_snapshot_is_another(maintainer)
    _is_shown_and_accepted_on_a_terminal(maintainer.clone)
    assert set(maintainer.passes("--changed-since", "origin/main").cases) == RUNS
    maintainer.clone.commit("another interrupt")

    maintainer.threshold(8, 9)
    _is_meant_and_taken_with_a_reason_that_stays(maintainer)
    maintainer.passes()


def _says_which_loop_is_missed_and_which_is_later(maintainer: Maintainer) -> None:
    ended, read = maintainer.gate("--changed-since", "origin/main")
    assert ended.code == 1
    assert ended.out.startswith(f"since origin/main: {GUARD} of the detector changed\n")
    late, missed = read.findings["caught-later: plan-loop"], read.findings["loop-missed: short-plan-loop"]
    assert (late.by, late.level, late.place) == (324, "accept", Place("scenarios/plan-loop.yaml", 32, 5))
    assert late.text == (
        "the loop of reply 1 is caught 324 characters later: by near-duplicate-paragraphs at 2,121 of "
        "2,446 characters, was near-duplicate-paragraphs at 1,797 of 2,446 characters"
    )
    assert missed.text == (
        "the loop of reply 1 is no longer caught; it was, by near-duplicate-paragraphs at 1,797 of 1,960 characters"
    )
    for finding in (late, missed):
        assert finding.text in " ".join(ended.out.split())
        assert read.told_everywhere(finding)
    assert set(read.findings) == {
        "caught-later: plan-loop",
        "no-longer-passes: plan-loop",
        "loop-missed: short-plan-loop",
        "no-longer-passes: short-plan-loop",
        "other-requests: short-plan-loop",
    }
    assert read.failing == set(read.findings) | {"plan-loop", "short-plan-loop"}
    assert "guard did not fire: all 1,960 characters arrived" in read.cases["short-plan-loop"]


def _says_that_the_snapshot_is_another(maintainer: Maintainer) -> None:
    ended, read = maintainer.gate("--changed-since", "origin/main", QA_UPDATE="1", CI="")
    assert ended.code == 1
    (finding,) = read.run.changes
    assert finding.text == (
        "no longer passes: 'snapshot': transcript changed, requests changed; 'qa review' shows and accepts it"
    )
    assert read.told_everywhere(finding)
    assert read.failing == {"plan-loop", "no-longer-passes: plan-loop"}
    listed = json.loads(maintainer.clone.qa("review", "--json").out)
    assert listed["unused"] == []
    requests, transcript = listed["pending"]
    assert transcript["name"] == "plan-loop/common/transcript"
    assert (OLD in requests["before"], NEW in requests["before"]) == (True, False)
    assert (OLD in requests["after"], NEW in requests["after"]) == (False, True)


def _is_shown_and_accepted_on_a_terminal(clone: Repository) -> None:
    terminal = Terminal(clone.folder)
    terminal.sees("[1/2] plan-loop/common/requests  changed")
    terminal.sees(f"- {' ' * 4}You repeat yourself. {OLD}")
    terminal.sees(f"+ {' ' * 4}You repeat yourself. {NEW}")
    terminal.press("a")
    terminal.sees("accepted plan-loop/common/requests")
    terminal.sees("[2/2] plan-loop/common/transcript  changed")
    terminal.press("a")
    terminal.sees("accepted plan-loop/common/transcript")
    terminal.press("q")
    assert terminal.exit_code() == 0
    snapshots = "scenarios/__snapshots__/plan-loop/common"
    assert set(clone.git("diff", "--name-only").split()) == {
        INTERRUPT,
        f"{snapshots}/requests.txt",
        f"{snapshots}/transcript.txt",
    }


def _is_meant_and_taken_with_a_reason_that_stays(maintainer: Maintainer) -> None:
    clone = maintainer.clone
    assert maintainer.gate(QA_UPDATE="1", CI="")[0].code == 1
    assert clone.qa("review", "--accept", "plan-loop").out == "accepted plan-loop/common/timeline\n"
    before = (clone.folder / "gate.yaml").read_text()
    ended, read = maintainer.gate("--accept", "nine echoes, see issue 12")
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "gate: passed"), ended.out + ended.err
    assert "wrote gate.yaml: 4 entries, reason 'nine echoes, see issue 12'" in ended.out
    assert (read.failing, read.run.accepted) == (set(), "nine echoes, see issue 12")
    assert {(change.kind, change.level) for change in read.run.changes} == {("caught-later", "accepted")}
    settings = (clone.folder / "gate.yaml").read_text()
    assert settings.partition("# ---")[0] == before.partition("# ---")[0]
    kept = parse_gate(settings, "gate.yaml").accepted[-1]
    assert kept.reason == "nine echoes, see issue 12"
    assert len(kept.changes) == len(read.run.changes)
    assert all("characters later" in change for change in kept.changes)


def test_a_change_of_a_scenario_or_of_its_snapshot_runs_that_scenario(maintainer: Maintainer) -> None:
    clone = maintainer.clone
    clone.edit("scenarios/calm.yaml", "summary: ", "summary: once more, ")
    assert set(maintainer.passes("--changed-since", "HEAD").cases) == {"calm", "calm (control)"}
    clone.git("checkout", "-q", ".")
    clone.edit("scenarios/__snapshots__/plan-loop/common/timeline.txt", "exit 0", "exit 1")
    ended, read = maintainer.gate("--changed-since", "HEAD")
    assert (ended.code, read.failing) == (1, {"plan-loop", "no-longer-passes: plan-loop"})


def test_a_revision_that_is_not_there_is_told(maintainer: Maintainer) -> None:
    ended = maintainer.clone.qa("gate", "--changed-since", "origin/nowhere")
    assert (ended.code, ended.out) == (2, "")
    assert "git knows no revision 'origin/nowhere'" in ended.err
