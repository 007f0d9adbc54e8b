"""The JSON report: as its schema says, and read back as it was."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from harness.place import Place
from harness.results import Attempt, Change, RunResult, Stop
from harness.results_json import FORMAT, BadResults, parse_results, render_results, results_schema


@pytest.fixture
def run(results: Any) -> RunResult:
    stop = Stop(1, "text", "collapse-repetition", "paragraph-repeat", 1046, None, 1362, 1362)
    passing = replace(results.passing, stops=(stop,), attempts=(Attempt("error", "x", "/e", 0.1),))
    change = Change("caught-later", "accept", "a", "pi", "gemini", "later", by=3, place=Place("a.yaml", 1, 2))
    made: RunResult = results.run(passing, results.control, results.failing)
    return replace(made, changes=(change,), shard="1/2")


def test_what_is_written_fits_the_schema_and_is_read_back(run: RunResult) -> None:
    text = render_results(run)
    jsonschema.Draft7Validator.check_schema(results_schema())
    jsonschema.validate(json.loads(text), results_schema())
    assert parse_results(text, "r.json") == run


def test_the_schema_refuses_what_is_no_result(run: RunResult) -> None:
    value = json.loads(render_results(run))
    wrongs: list[dict[str, object]] = [
        {"format": "other"},
        {"duration_s": "1"},
        {"more": 1},
        {"scenarios": [{}]},
    ]
    for wrong in wrongs:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(value | wrong, results_schema())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"duration_s": "1"}, "r.json: duration_s: a number is wanted"),
        ({"scenarios": {}}, "r.json: scenarios: a list is wanted"),
        ({"more": 1}, "r.json: more: no such key"),
        ({"scenarios": [{}]}, r"r.json: scenarios\[0\].scenario: missing"),
        ({"changes": [1]}, r"r.json: changes\[0\]: an object is wanted"),
        ({"format": "other"}, f"'format' is not '{FORMAT}'"),
    ],
)
def test_a_reader_names_the_place_that_does_not_fit(
    run: RunResult, wrong: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadResults, match=message):
        parse_results(json.dumps(json.loads(render_results(run)) | wrong), "r.json")


def test_other_verdicts_and_true_for_a_number_are_refused(run: RunResult) -> None:
    value = json.loads(render_results(run))
    value["scenarios"][0]["verdict"] = "good"
    with pytest.raises(BadResults, match=r"verdict: 'good' is none of passed, failed, error, skipped"):
        parse_results(json.dumps(value), "r.json")
    value["scenarios"][0] |= {"verdict": "passed", "requests": True}
    with pytest.raises(BadResults, match="requests: a whole number is wanted"):
        parse_results(json.dumps(value), "r.json")


def test_a_file_that_is_no_json_is_refused() -> None:
    with pytest.raises(BadResults, match="not JSON"):
        parse_results("{", "r.json")
