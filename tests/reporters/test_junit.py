"""JUnit XML: valid, and read by two parsers that know nothing of us."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import junitparser
import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st
from junit2htmlreport.parser import Junit

from harness.place import Place
from harness.reporters.junit import render_junit
from harness.results import Attempt, Change, RunResult, ScenarioResult, Stop

ROOT = "/work/repo"
RUNS = f"{ROOT}/.qa/runs/0001"
LATE = Change(
    "caught-later",
    "accept",
    "loop",
    "pi",
    "openai-chat",
    "caught 654 later",
    by=654,
    place=Place(f"{ROOT}/s/loop.yaml", 11, 5),
)


@cache
def schema() -> Any:
    return xmlschema.XMLSchema(str(Path(__file__).parent / "schemas" / "junit.xsd"))


@pytest.fixture
def run(results: Any) -> RunResult:
    stop = Stop(1, "text", "collapse-repetition", "paragraph-repeat", 1046, 454, 1362, 1362)
    flaky = Attempt("failed", "exit: exit 1", f"{RUNS}/flaky", 0.3)
    return RunResult(
        (
            replace(
                results.passing, stops=(stop,), requests=2, file="scenarios/a.yaml", evidence=f"{RUNS}/a"
            ),
            results.control,
            replace(results.failing, scenario="failing", evidence=f"{RUNS}/b"),
            replace(
                results.passing,
                scenario="broken",
                verdict="error",
                steps=(),
                problem="no program 'pi' & <co>\n  more",
            ),
            replace(results.passing, scenario="without", verdict="skipped", steps=(), problem="no switch"),
            replace(results.passing, scenario="flaky", attempts=(flaky,)),
            replace(results.failing, scenario="never", attempts=(flaky,)),
        ),
        RUNS,
        1234.5,
        (replace(LATE, kind="slower", level="warns"), LATE),
    )


def test_the_report_is_valid_jenkins_junit(run: RunResult) -> None:
    schema().validate(render_junit(run, root=ROOT))
    with pytest.raises(xmlschema.XMLSchemaValidationError):
        schema().validate(
            render_junit(run, root=ROOT)
            .replace("<failure ", "<failed ", 1)
            .replace("</failure>", "</failed>", 1)
        )


def test_junitparser_reads_every_case_its_outcome_and_the_totals(run: RunResult) -> None:
    xml = junitparser.JUnitXml.fromstring(render_junit(run, root=ROOT).encode())
    cases = {
        (suite.name, case.name): [type(r).__name__ for r in case.result] for suite in xml for case in suite
    }
    name = "ttsr-near-duplicate-loop"
    assert cases[name, name] == []
    assert cases[name, f"{name} (control)"] == []
    assert cases["failing", "failing"] == ["Failure"]
    assert cases["broken", "broken"] == ["Error"]
    assert cases["without", "without"] == ["Skipped"]
    assert cases["gate", "caught-later: loop"] == ["Failure"]
    assert cases["gate", "slower: loop"] == []
    counted = (xml.tests, xml.failures, xml.errors)
    xml.update_statistics()  # type: ignore[no-untyped-call]
    assert counted == (xml.tests, xml.failures, xml.errors) == (9, 3, 1)


def test_what_was_accepted_is_no_failure(run: RunResult) -> None:
    text = render_junit(
        RunResult(run.scenarios[:1], RUNS, 1.0, (replace(LATE, level="accepted"),), "meant"), root=ROOT
    )
    schema().validate(text)
    xml = junitparser.JUnitXml.fromstring(text.encode())
    assert (xml.tests, xml.failures, xml.errors) == (2, 0, 0)
    assert "accepted: s/loop.yaml:11:5: caught 654 later" in text


def test_junit2html_reads_the_same(run: RunResult, tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    file.write_text(render_junit(run, root=ROOT), encoding="utf-8")
    suites = Junit(str(file)).suites
    outcomes = [str(case.outcome().value) for suite in suites for case in suite.all()]
    assert len(outcomes) == 9
    # It knows one word for a failure and an error.
    assert (outcomes.count("failed"), outcomes.count("skipped"), outcomes.count("passed")) == (4, 1, 4)
    assert "dialect" in {p.name for p in suites[0].properties}


def test_properties_tell_the_figures_of_both_runs(run: RunResult) -> None:
    xml = junitparser.JUnitXml.fromstring(render_junit(run, root=ROOT).encode())
    first = next(iter(xml))
    found = {p.name: p.value for p in first.properties()}  # type: ignore[no-untyped-call]
    assert found["agent"] == "reference"
    assert found["evidence"] == ".qa/runs/0001/a"
    assert found["reply_1.fired_at"] == "1046"
    assert found["reply_1.mechanism"] == "paragraph-repeat"
    assert found["control.requests"] == "0"


def test_evidence_of_what_failed_is_attached_by_its_path_in_the_repository(run: RunResult) -> None:
    text = render_junit(run, root=ROOT)
    assert "[[ATTACHMENT|.qa/runs/0001/b/terminal.cast]]" in text
    assert "[[ATTACHMENT|.qa/runs/0001/a/" not in text
    assert "s/loop.yaml:11:5" in text
    assert f"{ROOT}/s/loop.yaml" not in text


def test_attempts_stay_in_sight_as_flaky_or_rerun(run: RunResult) -> None:
    text = render_junit(run, root=ROOT)
    assert text.count('<flakyFailure type="attempt" message="exit: exit 1">') == 1
    assert text.count('<rerunFailure type="attempt" message="exit: exit 1">') == 1
    assert "evidence: .qa/runs/0001/flaky" in text


_TEXT = st.text(st.characters(exclude_categories=[]), max_size=30)


@given(_TEXT, _TEXT, _TEXT)
def test_no_text_breaks_the_document(name: str, problem: str, dialect: str) -> None:
    result = ScenarioResult(name, problem, "pi", dialect, "error", (), 0.1, problem, name, problem=problem)
    change = Change("caught-later", "fails", name, "pi", dialect, problem)
    text = render_junit(RunResult((result,), "", 0.1, (change,)))
    schema().validate(text)
    assert len(list(junitparser.JUnitXml.fromstring(text.encode()))) == 2
