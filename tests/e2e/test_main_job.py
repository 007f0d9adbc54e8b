"""The main job: scenarios against the embedded agent, from the command to the figures."""

from __future__ import annotations

import re

import pytest

from tests.e2e.qa_command import Qa

NEAR = "ttsr-near-duplicate-loop"
DIALECTS = ("openai-chat", "anthropic-messages", "openai-responses", "gemini")
# What differs from dialect to dialect: the run's own word, the size of a request, and how much of an unpaced
# reply was on its way when the client hung up.
OF_ITS_OWN = re.compile(r"qa[0-9a-f]{8}|; client hung up after [\d,]+ characters|\bin [\d,]+ characters")


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


def test_every_scenario_passes_in_every_dialect_with_the_same_figures_and_every_control_fails_as_named(
    qa: Qa,
) -> None:
    ended = qa("run", "--all", "--dialect", "all", "--controls")
    assert ended.code == 0, ended.out
    results = ended.results()
    assert {r["verdict"] for r in results.values()} == {"passed"}
    controls = [r for r in results.values() if r["control"]]
    assert len(controls) >= 14
    for result in controls:
        failing = {s["label"] for s in result["steps"] if s["verdict"] == "failed"}
        assert failing == set(result["must_fail"]) != set()
    figures: dict[str, set[str]] = {}
    for folder, result in results.items():
        if not result["control"]:
            seen = [(step["label"], OF_ITS_OWN.sub("", str(step["observed"]))) for step in result["steps"]]
            figures.setdefault(folder.partition("@")[0], set()).add(str(seen))
    assert {name: len(found) for name, found in figures.items()} == dict.fromkeys(figures, 1), figures


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
    from harness.find_scenarios import all_scenarios
    from harness.scenario_yaml import load_scenario

    naming = {
        scenario.name
        for scenario in map(load_scenario, all_scenarios(qa.folder))
        if any(getattr(s.args, "mechanism", None) == "near-duplicate-paragraphs" for s in scenario.steps)
    }
    ended = qa("run", "--all", "--agent", qa.agent(WITHOUT))
    assert ended.code == 1
    failed = {r["scenario"] for r in ended.results().values() if r["verdict"] == "failed"}
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
