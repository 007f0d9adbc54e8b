"""Shipped scenarios with a snapshot: reviewed for the reference agent here, a team's own matter elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.find_scenarios import shipped_folder
from harness.scenario_yaml import load_scenario
from harness.snapshots.placing import FOLDER
from harness.snapshots.taking import root_of
from harness.snapshots.unused import unused_below
from tests.e2e.qa_command import Qa

SCENARIOS = shipped_folder()
NAME = "ttsr-near-duplicate-loop-snapshot"
RUN, CONTROL = f"{NAME}@mine-openai-chat", f"{NAME}-control@mine-openai-chat"
WITH_SNAPSHOTS = [
    scenario
    for scenario in map(load_scenario, sorted(SCENARIOS.glob("*.yaml")))
    if any(step.kind == "snapshot" for step in scenario.steps)
]


@pytest.fixture
def qa(tmp_path: Path) -> Qa:
    return Qa(tmp_path)


@pytest.fixture
def agent(qa: Qa) -> str:
    """An agent of a team's own, which answers as the reference agent does."""
    return qa.agent(
        'import runpy, sys\nsys.argv[0] = "agent"\nrunpy.run_module("harness.refagent", run_name="__main__")\n'
    )


def test_each_has_the_tag_a_control_that_the_snapshot_must_fail_and_texts_that_something_asks_for() -> None:
    assert len(WITH_SNAPSHOTS) >= 2
    for scenario in WITH_SNAPSHOTS:
        assert {"snapshot", "gate"} <= set(scenario.tags)
        assert scenario.control is not None
        assert "snapshot" in scenario.control.must_fail
    assert {path.name for path in (SCENARIOS / FOLDER).iterdir() if path.is_dir()} == {
        scenario.name for scenario in WITH_SNAPSHOTS
    }
    assert unused_below(SCENARIOS) == []


def test_dialects_have_a_file_of_their_own_only_where_they_differ() -> None:
    common = {path.name: path.read_text() for path in (SCENARIOS / FOLDER / NAME / "common").glob("*.txt")}
    assert set(common) == {"requests.txt", "timeline.txt", "transcript.txt"}
    own = list((SCENARIOS / FOLDER / NAME).glob("reference-*/*.txt"))
    assert {path.name for path in own} == {"requests.txt"}
    assert all(path.read_text() != common[path.name] for path in own)


def test_elsewhere_nothing_is_compared_until_something_was_accepted_there(qa: Qa, agent: str) -> None:
    words = ("run", NAME, "--controls", "--agent", agent)
    first = qa(*words)
    assert first.code == 0, first.out
    for folder in (RUN, CONTROL):
        assert "no snapshot of mine-openai-chat has been accepted in this folder" in first.observed(
            folder, "snapshot"
        )
    assert f"qa run {NAME} --agent {agent} --dialect openai-chat --update" in first.observed(RUN, "snapshot")
    assert not (qa.folder / "scenarios").exists()

    assert qa(*words, "--update", CI="").observed(RUN, "snapshot").startswith("transcript is missing")
    assert qa("review", "--accept", NAME).code == 0
    assert "unused" not in qa("review", "--list").out
    again = qa(*words)
    assert again.code == 0, again.out
    assert again.observed(RUN, "snapshot") == "transcript, requests, timeline matched"
    assert again.observed(CONTROL, "snapshot").startswith("transcript changed")

    timeline = qa.folder / "scenarios" / FOLDER / NAME / "common" / "timeline.txt"
    timeline.write_text(f"edited\n{timeline.read_text()}")
    changed = qa(*words)
    assert (changed.code, changed.observed(RUN, "snapshot")) == (1, "timeline changed")


def test_in_ci_an_update_keeps_nothing_and_nothing_is_compared(qa: Qa) -> None:
    ended = qa("run", NAME, "--update")
    assert ended.code == 0, ended.out
    assert not (qa.folder / "scenarios").exists()


def test_a_run_that_could_judge_nothing_is_skipped_and_not_passed(qa: Qa) -> None:
    qa.scenario("mine", "model:\n  - say: hello\nprompt: p\nsteps:\n  - snapshot: [timeline]\n"
                "control: {model: [{say: other}], must_fail: [snapshot]}\n")  # fmt: skip
    ended = qa("run", "mine", "--controls", "--report", "junit=j.xml")
    assert ended.code == 1
    verdicts = {result["control"]: result["verdict"] for result in ended.results().values()}
    assert verdicts == {False: "failed", True: "skipped"}
    assert (
        '<skipped message="not compared: nothing has been accepted yet' in (qa.folder / "j.xml").read_text()
    )


def test_the_files_stand_beside_a_scenario_and_those_of_a_shipped_one_in_the_working_folder(
    tmp_path: Path,
) -> None:
    own = tmp_path / "scenarios" / "loop.yaml"
    assert root_of(own, tmp_path) == (own.parent / FOLDER / "loop", False)
    shipped = SCENARIOS / f"{NAME}.yaml"
    assert root_of(shipped, SCENARIOS.parent) == (SCENARIOS / FOLDER / NAME, False)
    here = tmp_path / "scenarios" / FOLDER / NAME
    assert root_of(shipped, tmp_path) == (here, True)
    (here / "common").mkdir(parents=True)
    (here / "common" / "screen.txt").write_text("x\n")
    assert root_of(shipped, tmp_path) == (here, False)


def test_the_origin_of_the_common_texts_is_the_first_dialect_of_the_reference_agent() -> None:
    for scenario in WITH_SNAPSHOTS:
        origins = json.loads((SCENARIOS / FOLDER / scenario.name / "common" / "taken-from.json").read_text())
        assert set(origins.values()) == {"reference-openai-chat"}
