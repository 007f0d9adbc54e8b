"""The way of somebody who maintains a detector: break it, see what the gate says, repair it, take a difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import junitparser

from harness.gate_file import parse_gate
from harness.results_json import parse_results
from tests.gate.clone import Clone, Ended

NAMES = ("ttsr-near-duplicate-loop", "ttsr-digit-drift", "ttsr-paragraph-loop", "healthy-few-echoes")
GUARD = "harness/detectors/near_duplicate.py"
RIGHT, WRONG = "min_echoes: int = 8,", "min_echoes: int = 10,"


class Reports:
    """The three reports of one gate."""

    def __init__(self, folder: Path) -> None:
        self.words = [
            word
            for kind, file in (("junit", "j.xml"), ("json", "r.json"), ("markdown", "s.md"))
            for word in ("--report", f"{kind}={folder / file}")
        ]
        self._folder = folder

    @property
    def failures(self) -> dict[str, str]:
        """The messages of failed cases by their names."""
        xml = junitparser.JUnitXml.fromfile(str(self._folder / "j.xml"))
        cases = [case for suite in xml for case in suite]
        return {case.name: case.result[0].message for case in cases if case.result}

    @property
    def cases(self) -> int:
        return sum(len(suite) for suite in junitparser.JUnitXml.fromfile(str(self._folder / "j.xml")))

    @property
    def changes(self) -> dict[str, Any]:
        text = (self._folder / "r.json").read_text()
        run = parse_results(text, "r.json")
        assert json.loads(text)["format"]
        return {f"{change.kind}: {change.scenario}": change for change in run.changes}

    @property
    def markdown(self) -> str:
        return (self._folder / "s.md").read_text()


def gate(clone: Clone, reports: Reports, *words: str) -> Ended:
    return clone.qa("gate", *NAMES, *words, *reports.words)


def test_a_broken_guard_is_seen_with_figures_and_a_repaired_one_passes(clone: Clone) -> None:
    reports = Reports(clone.folder / "reports")

    ended = gate(clone, reports)
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "gate: passed"), ended.out + ended.err
    assert (reports.failures, reports.changes, reports.cases) == ({}, {}, 8)
    assert "8 passed" in reports.markdown

    clone.edit(GUARD, RIGHT, WRONG)
    ended = gate(clone, reports, "--changed-since", "HEAD")
    assert ended.code == 1, ended.out + ended.err
    assert f"since HEAD: {GUARD} of the detector changed" in ended.out
    late = reports.changes["caught-later: ttsr-near-duplicate-loop"]
    assert late.by > 0
    told = f"the loop of reply 1 is caught {late.by:,} characters later: by near-duplicate-paragraphs at"
    assert told in " ".join(ended.out.split())
    assert told in reports.failures["caught-later: ttsr-near-duplicate-loop"]
    assert told in reports.markdown
    assert (late.place.file, late.level) == ("scenarios/ttsr-near-duplicate-loop.yaml", "accept")
    assert not [name for name in reports.changes if "paragraph-loop" in name or "few-echoes" in name]
    assert "no-longer-passes: ttsr-near-duplicate-loop" in reports.changes
    assert "ttsr-near-duplicate-loop" in reports.failures

    clone.git("checkout", "-q", GUARD)
    ended = gate(clone, reports, "--changed-since", "HEAD")
    assert (ended.code, reports.cases) == (0, 0)
    assert "nothing changed that a scenario or the detector is made of" in ended.out
    ended = gate(clone, reports)
    assert (ended.code, reports.failures, reports.changes) == (0, {}, {})


def test_a_difference_that_is_meant_is_taken_with_a_reason_that_is_kept(clone: Clone) -> None:
    reports = Reports(clone.folder / "reports")
    name = "ttsr-near-duplicate-loop"
    before = (clone.folder / "gate.yaml").read_text()
    clone.edit(GUARD, RIGHT, WRONG)

    ended = clone.qa("gate", name, "--accept", "ten echoes, see issue 12", *reports.words)
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "gate: passed"), ended.out + ended.err
    text = (clone.folder / "gate.yaml").read_text()
    head = before.partition("# ---")[0]
    assert text.startswith(head)
    file = parse_gate(text, "gate.yaml")
    assert file.accepted[-1].reason == "ten echoes, see issue 12"
    assert any("characters later" in change for change in file.accepted[-1].changes)
    known, old = file.baseline, parse_gate(before, "gate.yaml").baseline
    key = ("reference", "openai-chat", name)
    assert known[key] != old[key]
    assert {k: v for k, v in known.items() if k != key} == {k: v for k, v in old.items() if k != key}

    ended = clone.qa("gate", name)
    assert (ended.code, ended.out.splitlines()[-1]) == (0, "gate: passed, 1 warning")
    assert "fails as in the baseline" in " ".join(ended.out.split())

    clone.git("checkout", "-q", GUARD)
    ended = clone.qa("gate", name, *reports.words)
    assert reports.changes[f"caught-earlier: {name}"].by < 0
    assert "passes now, and the baseline says failed" in " ".join(ended.out.split())


def test_a_change_of_a_scenario_runs_that_scenario(clone: Clone) -> None:
    reports = Reports(clone.folder / "reports")
    clone.edit("scenarios/healthy-few-echoes.yaml", "summary: ", "summary: once more, ")
    ended = gate(clone, reports, "--changed-since", "HEAD")
    assert (ended.code, reports.cases) == (0, 2), ended.out + ended.err
    assert "since HEAD: scenarios/healthy-few-echoes.yaml changed" in ended.out


def test_a_revision_that_is_not_there_is_told(clone: Clone) -> None:
    ended = clone.qa("gate", *NAMES, "--changed-since", "origin/nowhere")
    assert (ended.code, ended.out) == (2, "")
    assert "git knows no revision 'origin/nowhere'" in ended.err
