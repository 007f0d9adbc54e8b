"""The way of a maintainer: a text of the agent changes, the review shows how, it is accepted, and runs pass."""

from __future__ import annotations

import json
from pathlib import Path

import pexpect
import pytest

from tests.e2e.qa_command import Ended, Qa
from tests.snapshots.test_review_terminal import Terminal

SCENARIO = """
model:
  - say: {paragraph-loop: {cycles: 8}}
  - say: "RECOVERED {nonce}"
prompt: "Say RECOVERED {nonce}."
steps:
  - requests: 2
  - snapshot: [transcript, requests, screen, timeline]
"""
OLD, NEW = "Do not take it up again", "Leave it alone"
CHANGED_AGENT = f"""
import sys
from harness.refagent import remedies
for name, value in list(vars(remedies).items()):
    if isinstance(value, str):
        setattr(remedies, name, value.replace({OLD!r}, {NEW!r}))
from harness.refagent.__main__ import main
sys.exit(main())
"""


class Tour:
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
def tour(tmp_path: Path) -> Tour:
    qa = Qa(tmp_path)
    qa.scenario("loop", SCENARIO)
    return Tour(qa)


def test_a_changed_interrupt_is_shown_accepted_and_passes(tour: Tour) -> None:
    made = tour.run("--update")
    assert made.code == 1
    assert made.observed("loop@reference-openai-chat", "snapshot") == (
        "transcript is missing, requests is missing, screen is missing, timeline is missing"
    )
    assert len(tour.pending()) == 4
    assert tour.qa("review", "--accept", "loop").code == 0
    assert tour.files == {f"common/{name}.txt" for name in ("transcript", "requests", "screen", "timeline")}
    matched = tour.run(ci="1")
    assert matched.code == 0, matched.out
    assert (
        matched.observed("loop@reference-openai-chat", "snapshot")
        == "transcript, requests, screen, timeline matched"
    )

    description = tour.qa.agent(CHANGED_AGENT)
    text = Path(description).read_text().replace("agent: mine", "agent: reference")
    changed_agent = tour.qa.folder / "reference.yaml"
    changed_agent.write_text(text)
    changed = tour.run("--agent", str(changed_agent), "--update")
    assert changed.code == 1, changed.out
    assert (
        changed.observed("loop@reference-openai-chat", "snapshot") == "transcript changed, requests changed"
    )
    assert tour.pending() == ["loop/common/requests", "loop/common/transcript"]

    terminal = Terminal(tour.qa.folder)
    terminal.sees(OLD)
    terminal.sees(NEW)
    terminal.press("A")
    terminal.sees("accepted loop/common/transcript")
    terminal.press("q")
    assert terminal.exit_code() == 0
    assert NEW in (tour.snapshots / "common" / "requests.txt").read_text()
    passed = tour.run("--agent", str(changed_agent), ci="1")
    assert passed.code == 0, passed.out


@pytest.mark.parametrize(
    ("words", "ci", "why"), [((), "", "no terminal"), (("--update",), "1", "in CI nothing")]
)
def test_nothing_is_written_in_ci_or_without_a_terminal(
    tour: Tour, words: tuple[str, ...], ci: str, why: str
) -> None:
    ended = tour.run(*words, ci=ci)
    assert ended.code == 1
    assert "transcript is missing" in ended.out
    assert why in ended.out
    assert not tour.snapshots.exists()
    assert not (tour.qa.folder / ".qa" / "pending").exists()


def test_missing_changed_and_unused_are_told_apart(tour: Tour) -> None:
    tour.run("--update")
    both = tour.qa("review", "--accept", "loop/common/requests", "--reject", "loop")
    assert (both.code, both.err) == (2, "'loop/common/requests' cannot be accepted and rejected\n")
    tour.qa("review", "--accept", "loop/common/requests", "--accept", "loop/common/timeline")
    tour.qa("review", "--reject", "loop")
    stale = tour.qa.folder / "scenarios" / "__snapshots__" / "gone" / "common" / "screen.txt"
    stale.parent.mkdir(parents=True)
    stale.write_text("x\n")
    tour.qa.scenario(
        "loop", SCENARIO.replace("[transcript, requests, screen, timeline]", "[transcript, timeline]")
    )
    timeline = tour.snapshots / "common" / "timeline.txt"
    timeline.write_text("edited\n" + timeline.read_text())
    ended = tour.run()
    assert (
        ended.observed("loop@reference-openai-chat", "snapshot") == "transcript is missing, timeline changed"
    )
    assert "- edited" in ended.out
    listed = tour.qa("review", "--list").out
    assert "unused   gone/common/screen.txt\nunused   loop/common/requests.txt\n" in listed


def test_a_named_mask_that_replaces_nothing_fails_the_step(tour: Tour) -> None:
    step = "{of: [transcript], masks: [nonce, version], patterns: {ticket: 'T-[0-9]+'}}"
    tour.qa.scenario("loop", SCENARIO.replace("[transcript, requests, screen, timeline]", step))
    ended = tour.run()
    observed = ended.observed("loop@reference-openai-chat", "snapshot")
    assert observed == "masks that replaced nothing: 'version', 'ticket'"
    log = json.loads(next(ended.runs.glob("*/*/redactions.json")).read_text())
    assert {entry["mask"] for entry in log} == {"[NONCE]"}
    assert {"file", "line", "name", "mask", "original"} == set(log[0])


def test_an_unknown_name_decides_nothing(tour: Tour) -> None:
    tour.run("--update")
    ended = tour.qa("review", "--accept", "loop/common/timeline", "--accept", "loop/common/timelin")
    assert ended.code == 2
    assert "did you mean 'loop/common/timeline'?" in ended.err
    assert len(tour.pending()) == 4


def test_on_a_terminal_a_run_keeps_its_changes_by_itself(tour: Tour) -> None:
    env = {**tour.qa.env, "CI": "", "TERM": "xterm", "PYTHONPATH": str(Path(__file__).parents[2])}
    program, *words = tour.qa.command("run", "loop")
    child = pexpect.spawn(program, words, cwd=str(tour.qa.folder), env=env, timeout=60, dimensions=(40, 120))
    child.expect_exact("qa review")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 1
    assert len(tour.pending()) == 4


def test_a_folder_that_cannot_be_written_is_told_by_run_and_review(tour: Tour) -> None:
    tour.run("--update")
    (tour.qa.folder / "scenarios" / "__snapshots__").rename(tour.qa.folder / "kept")
    (tour.qa.folder / "scenarios" / "__snapshots__").write_text("a file where a folder belongs")
    ended = tour.run("--update")
    assert ended.code == 1
    assert "the snapshots cannot be read, or changes not be kept" in ended.out
    (tour.qa.folder / "page").mkdir()
    ended = tour.qa("review", "--html", "page")
    assert (ended.code, ended.err) == (3, "cannot use page: Is a directory\n")


def test_a_run_without_snapshots_loads_nothing_for_them(tour: Tour) -> None:
    tour.qa.scenario("loop", SCENARIO.replace("  - snapshot: [transcript, requests, screen, timeline]\n", ""))
    ended = tour.qa("run", "loop", PYTHONPROFILEIMPORTTIME="1")
    assert ended.code == 0
    assert "harness.steps.checks" in ended.err
    assert "harness.snapshots" not in ended.err
