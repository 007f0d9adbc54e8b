"""The three reports of one gate, each read as the tools of a CI read it and held against the others."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import junitparser
import xmlschema
from junit2htmlreport.parser import Junit

from harness.results import Change, RunResult
from harness.results_json import parse_results, results_schema

XSD = Path(__file__).parents[1] / "reporters" / "schemas" / "junit.xsd"


@cache
def _junit_schema() -> Any:
    return xmlschema.XMLSchema(str(XSD))


class Reports:
    """What the last gate wrote into a folder.

    Reading it checks all there is to check without knowing what was run: the XML and the JSON fit their schemas,
    two parsers see the same cases in the XML, and all three tell the same runs and findings.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.words = (
            "--report", f"junit={folder / 'junit.xml'}",
            "--report", f"json={folder / 'results.json'}",
            "--report", f"markdown={folder / 'summary.md'}",
        )  # fmt: skip

    def read(self) -> Read:
        found = Read(self._junit(), self._json(), (self._folder / "summary.md").read_text(encoding="utf-8"))
        for file in self._folder.iterdir():
            file.unlink()  # what is read next is written anew
        return found

    def _junit(self) -> dict[str, str]:
        """How each case ended, by its name, and with what message."""
        file = self._folder / "junit.xml"
        _junit_schema().validate(str(file))
        xml = junitparser.JUnitXml.fromfile(str(file))
        cases = {case.name: _ended(case) for suite in xml for case in suite}
        counts = (xml.tests, xml.failures, xml.errors)
        told = list(cases.values())
        wrong = [sum(ended.startswith(word) for ended in told) for word in ("failure", "error")]
        assert counts == (len(told), *wrong)
        other = {case.name: case.outcome().value for suite in Junit(str(file)).suites for case in suite.all()}
        assert {name: ended == "passed" for name, ended in cases.items()} == {
            name: outcome == "passed" for name, outcome in other.items()
        }
        return cases

    def _json(self) -> RunResult:
        text = (self._folder / "results.json").read_text(encoding="utf-8")
        jsonschema.validate(json.loads(text), results_schema())
        return parse_results(text, "results.json")


class Read:
    """The reports of one gate."""

    def __init__(self, cases: dict[str, str], run: RunResult, markdown: str) -> None:
        self.cases, self.run, self.markdown = cases, run, markdown
        runs = {f"{r.scenario} (control)" if r.control else r.scenario for r in run.scenarios}
        findings = {f"{c.kind}: {c.scenario}{' (control)' * c.control}" for c in run.changes}
        assert set(cases) == runs | findings
        verdicts = [result.verdict for result in run.scenarios]
        words = [
            f"{verdicts.count(v)} {v}" for v in ("passed", "failed", "error", "skipped") if v in verdicts
        ]
        gate = " gate" if run.changes or run.accepted else ""
        assert markdown.startswith(f"## qa{gate}: {', '.join(words) or 'nothing was run'}\n")
        shown = _plain(markdown)
        assert all(change.text in shown for change in run.changes)
        assert len(re.findall(r"^\| (?:✅|❌|❗|⏭)", markdown, re.MULTILINE)) == len(run.scenarios)

    @property
    def failing(self) -> set[str]:
        """The cases that did not pass, runs and findings."""
        return {name for name, ended in self.cases.items() if ended != "passed"}

    @property
    def findings(self) -> dict[str, Change]:
        return {f"{change.kind}: {change.scenario}": change for change in self.run.changes}

    def told_everywhere(self, change: Change) -> bool:
        """Whether a finding's text is in the XML and in the summary."""
        name = f"{change.kind}: {change.scenario}"
        return change.text in self.cases[name] and change.text in _plain(self.markdown)


def _ended(case: junitparser.TestCase) -> str:
    results = [result for result in case.result if type(result).__name__ in ("Failure", "Error", "Skipped")]
    if not results:
        return "passed"
    (result,) = results
    return f"{type(result).__name__.lower()}: {result.message}"


def _plain(markdown: str) -> str:
    return re.sub(r"\\(.)", r"\1", markdown)
