"""Which scenarios a change touches."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.agents.locate import DESCRIPTIONS
from harness.gate.touched import matches, touched
from harness.scenario_files import descriptions_of, files_of

FILES = {"loop": {"scenarios/loop.yaml", "scenarios/texts/loop.txt"}, "prose": {"scenarios/prose.yaml"}}


def test_a_change_of_the_detector_touches_everything() -> None:
    found = touched(["src/guard/ring.ts", "README.md"], FILES, ["src/guard/**"])
    assert found.names == {"loop", "prose"}
    assert found.why == "src/guard/ring.ts of the detector changed"


@pytest.mark.parametrize("path", ["scenarios/loop.yaml", "scenarios/texts/loop.txt"])
def test_a_change_of_a_scenario_or_of_a_text_in_it_touches_that_scenario(path: str) -> None:
    assert touched([path], FILES, ["src/**"]).names == {"loop"}


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("common/requests.txt", {"loop"}),
        ("common/taken-from.json", {"loop"}),
        ("common/requests.txt.pending", set()),
    ],
)
def test_an_accepted_snapshot_touches_its_scenario_and_a_pending_one_none(file: str, names: set[str]) -> None:
    files = {**FILES, "loop": {*FILES["loop"], "scenarios/__snapshots__/loop/"}}
    assert touched([f"scenarios/__snapshots__/loop/{file}"], files, ["src/**"]).names == names


def test_other_files_touch_nothing_when_the_detector_is_known() -> None:
    found = touched(["README.md"], FILES, ["src/**"])
    assert (found.names, found.others) == (frozenset(), ("README.md",))


def test_without_a_word_on_the_detector_any_other_file_may_be_one() -> None:
    assert touched(["README.md"], FILES, []).names == {"loop", "prose"}
    assert touched(["scenarios/prose.yaml"], FILES, []).names == {"prose"}


def test_a_file_on_which_every_run_depends_touches_all_whatever_the_detector_is() -> None:
    found = touched(["qa/our-agent.yaml"], FILES, ["src/**"], {"gate.yaml", "qa/our-agent.yaml"})
    assert found.names == {"loop", "prose"}
    assert found.why == "qa/our-agent.yaml changed, on which every run depends"


def test_the_descriptions_of_agents_are_files_by_name_or_path(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text("agent: mine\n")
    assert descriptions_of([str(own), "no-such"], tmp_path) == {"mine.yaml"}
    assert descriptions_of(["reference"], DESCRIPTIONS.parent) == {"agents/reference.yaml"}


def test_no_change_touches_nothing() -> None:
    assert touched([], FILES, []).names == frozenset()


@pytest.mark.parametrize(
    ("path", "glob", "is_meant"),
    [
        ("a/b/c.ts", "a/**", True),
        ("a/b/c.ts", "a/*", False),
        ("a/c.ts", "a/**/c.ts", True),
        ("a/b/d/c.ts", "**/c.ts", True),
        ("c.ts", "**/c.ts", True),
        ("a.ts", "?.ts", True),
        ("axts", "a.ts", False),
        ("src2/a", "src/**", False),
    ],
)
def test_globs_stay_within_a_folder_but_for_two_stars(path: str, glob: str, *, is_meant: bool) -> None:
    assert matches(path, glob) is is_meant


def test_the_files_of_a_scenario_are_its_own_and_those_it_reads(tmp_path: Path) -> None:
    folder = tmp_path / "scenarios"
    (folder / "texts").mkdir(parents=True)
    (folder / "texts" / "t.txt").write_text("hello")
    (folder / "s.yaml").write_text(
        "scenario: s\nsummary: s\nmodel:\n  - say: {file: texts/t.txt}\nprompt: p\nsteps:\n  - exit: 0\n"
    )
    assert files_of(folder / "s.yaml", tmp_path) == {
        "scenarios/s.yaml",
        "scenarios/texts/t.txt",
        "scenarios/__snapshots__/s/",
    }


def test_a_scenario_that_is_wrong_still_has_its_file(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("scenario: [")
    assert files_of(tmp_path / "s.yaml", tmp_path) == {"s.yaml", "__snapshots__/s/"}
