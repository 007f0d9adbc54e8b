"""The main job: scenarios against the embedded agent, from the command to the figures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from harness.find_scenarios import all_scenarios
from harness.scenario_yaml import load_scenario
from tests.e2e.qa_command import Qa

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.scenario import Scenario

NEAR = "ttsr-near-duplicate-loop"
DIALECTS = ("openai-chat", "anthropic-messages", "openai-responses", "gemini")
# What differs from dialect to dialect: the run's own word, the size of a request, and how much of an unpaced
# reply was on its way when the client hung up.
OF_ITS_OWN = re.compile(
    r"qa[0-9a-f]{8}|\bin [\d,]+ characters"
    r"|; client hung up after [\d,]+ characters|; [^;)]*\ball [\d,]+ characters were sent [^;)]*"
)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("cut", [("--deltas", "1"), ("--deltas", "60"), ("--chars-per-delta", "1")])
def test_the_figures_of_the_near_duplicate_loop_are_the_same_for_every_cut_and_dialect(
    qa: Qa, dialect: str, cut: tuple[str, str]
) -> None:
    ended = qa("run", NEAR, "--dialect", dialect, *cut)
    assert ended.code == 0, ended.out
    folder = f"{NEAR}@reference-{dialect}"
    assert "near-duplicate-paragraphs fired at 1,797 of 2,446 characters" in ended.observed(folder, "abort")
    assert "492 characters kept" in ended.observed(folder, "truncation")
    assert "527" in ended.observed(folder, "truncation")


def shipped(qa: Qa) -> list[Scenario]:
    return [load_scenario(path) for path in all_scenarios(qa.folder)]


@pytest.mark.parametrize("share", range(4))
def test_every_scenario_passes_and_its_control_fails_exactly_as_named(qa: Qa, share: int) -> None:
    """A quarter of them in each dialect; 'qa run --all --dialect all --controls' runs all in each."""
    names = [scenario.name for scenario in shipped(qa)][share::4]
    ended = qa("run", *names, "--dialect", DIALECTS[share], "--controls")
    assert ended.code == 0, ended.out
    results = ended.results()
    assert len(results) == 2 * len(names)
    assert {r["verdict"] for r in results.values()} == {"passed"}
    controls = [r for r in results.values() if r["control"]]
    assert len(controls) == len(names) >= 7
    for result in controls:
        failing, skipped = (
            {s["label"] for s in result["steps"] if s["verdict"] == verdict}
            for verdict in ("failed", "skipped")
        )
        assert failing == set(result["must_fail"]) - skipped != set()
        assert skipped <= {"snapshot"}  # which is a matter of the folder where it is run


# At least one for each rule, stream and way to end.
KINDS = (
    "healthy-base64-args",
    "healthy-item-tools",
    "ttsr-leak-twice",
    "ttsr-never-recovers",
    "ttsr-repetitive-turns",
    "ttsr-thinking-loop",
    "ttsr-tool-args",
)


def figures(results: Mapping[str, Mapping[str, Any]]) -> dict[str, set[str]]:
    """What the steps of each scenario saw, without what is a run's own."""
    found: dict[str, set[str]] = {}
    for folder, result in results.items():
        seen = [(step["label"], OF_ITS_OWN.sub("", str(step["observed"]))) for step in result["steps"]]
        found.setdefault(folder.partition("@")[0], set()).add(str(seen))
    return found


def test_the_figures_are_the_same_in_every_dialect(qa: Qa) -> None:
    ended = qa("run", *KINDS, "--dialect", "all")
    assert ended.code == 0, ended.out
    assert len(ended.results()) == len(KINDS) * len(DIALECTS)
    found = figures(ended.results())
    assert {name: len(seen) for name, seen in found.items()} == dict.fromkeys(KINDS, 1), found


def test_the_figures_are_the_same_for_every_cut(qa: Qa) -> None:
    short = ("ttsr-leak", "ttsr-repetitive-turns", "ttsr-repetitive-turns-again", "ttsr-tool-args")
    found: dict[str, set[str]] = {}
    for cut in (("--deltas", "1"), ("--deltas", "60"), ("--chars-per-delta", "1")):
        ended = qa("run", *short, *cut)
        assert ended.code == 0, ended.out
        for name, seen in figures(ended.results()).items():
            found.setdefault(name, set()).update(seen)
    assert {name: len(seen) for name, seen in found.items()} == dict.fromkeys(short, 1), found


WITHOUT = """
import sys
from harness.detectors import mechanisms
kept = tuple(m for m in mechanisms.MECHANISMS if m.id != "near-duplicate-paragraphs")
assert len(kept) == len(mechanisms.MECHANISMS) - 1
published = mechanisms.Profile("published", kept)
mechanisms.PUBLISHED = published
import harness.detectors.guard as guard
guard.Guard.__init__.__defaults__ = ((), published)
from harness.refagent.__main__ import main
sys.exit(main())
"""


def test_without_the_near_duplicate_detector_exactly_the_scenarios_that_name_it_fail(qa: Qa) -> None:
    naming = {
        scenario.name
        for scenario in shipped(qa)
        if any(getattr(s.args, "mechanism", None) == "near-duplicate-paragraphs" for s in scenario.steps)
    }
    others = {
        "ttsr-collapse",
        "ttsr-incident-2026-09-03",
        "ttsr-paragraph-loop",
        "ttsr-tool-args",
        "healthy-prose",
    }
    assert len(naming) == 7
    ended = qa("run", *sorted(naming | others), "--agent", qa.agent(WITHOUT))
    assert ended.code == 1
    failed = {r["scenario"] for r in ended.results().values() if r["verdict"] == "failed"}
    # Where the exact rule and the density rule fire at the same character, the first in the order is named.
    assert failed == naming
    assert NEAR in failed


def test_list_shows_every_scenario_and_show_marks_where_the_guard_fires(qa: Qa) -> None:
    listed = qa("list")
    assert listed.code == 0
    for name in (NEAR, "ttsr-paragraph-loop", "ttsr-long-cycle", "ttsr-thinking-loop", "healthy-prose"):
        assert name in listed.out
    shown = qa("show", NEAR)
    assert "near-duplicate-paragraphs fires after 1,797 characters" in shown.out
    assert "kept: 492 characters" in shown.out


def test_an_unknown_scenario_names_the_closest_ones(qa: Qa) -> None:
    ended = qa("run", "ttsr-near-duplicate")
    assert ended.code == 2
    assert NEAR in ended.err


def test_the_same_files_run_as_pytest_items(qa: Qa) -> None:
    import subprocess
    import sys

    from harness.find_scenarios import find

    path = str(find([NEAR], qa.folder)[0])
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            str(qa.folder),
            "-v",
            path,
            "--controls",
        ],
        cwd=qa.folder,
        env=qa.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "reference-openai-chat PASSED" in done.stdout, done.stdout
    assert "2 passed" in done.stdout
