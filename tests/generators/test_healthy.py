"""What the healthy texts are like, in figures, and that no guard stops them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from harness.detectors.guard import Guard
from mock_llm.generators import GENERATORS, generate
from mock_llm.generators.sentences import similarity, words_of

SEEDS = range(1, 13)


def make(name: str, seed: int, **parameters: Any) -> str:
    return GENERATORS[name].make(parameters, seed)


def paragraphs_of(text: str) -> list[str]:
    *paragraphs, end = text.split("\n\n")
    assert end == ""
    return paragraphs


def assert_unlike(paragraphs: list[str], below: float) -> None:
    assert len(set(paragraphs)) == len(paragraphs)
    for left, right in combinations(map(words_of, paragraphs), 2):
        assert similarity(left, right) < below


@pytest.mark.parametrize("seed", SEEDS)
def test_prose_is_twelve_unlike_paragraphs_of_a_few_sentences(seed: int) -> None:
    paragraphs = paragraphs_of(make("prose", seed, paragraphs=12))
    assert len(paragraphs) == 12
    assert_unlike(paragraphs, 0.35)
    assert all(260 <= len(paragraph) <= 530 for paragraph in paragraphs)
    assert all(paragraph.count(". ") >= 2 for paragraph in paragraphs)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_item_list_says_something_else_about_every_item(seed: int) -> None:
    paragraphs = paragraphs_of(make("item-list", seed, items=40))
    assert len(paragraphs) == 40
    findings = []
    for number, paragraph in enumerate(paragraphs, 1):
        label, finding = paragraph.split(": ", 1)
        assert label == f"Processing item {number}"
        findings.append(finding)
    assert_unlike(findings, 0.35)


@pytest.mark.parametrize("number", [1, 2, 17])
def test_an_item_step_is_that_item_of_the_list(number: int) -> None:
    step = make("item-step", 4, number=number)
    assert step == paragraphs_of(make("item-list", 4, items=20))[number - 1]
    assert not step.endswith("\n")


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("prose", {"paragraphs": 150}),
        ("item-list", {"items": 150}),
        ("long-cycle", {"paragraphs": 114, "cycles": 2, "kind": "distinct", "chars": 14_400}),
    ],
)
def test_no_guard_stops_them_however_long_they_get(name: str, parameters: dict[str, Any], seed: int) -> None:
    assert Guard().feed(0, "text", make(name, seed, **parameters)) is None


SILENT = [
    ("table", {"rows": 300}),
    ("glossary", {"terms": 48}),
    ("lyrics", {"verses": 2}),
    ("quiz", {"questions": 66}),
    ("quiz", {"questions": 100, "kind": "fractions"}),
    *(("json-array", {"items": 100, "layout": layout}) for layout in ("lines", "indented", "compact")),
    ("sql-inserts", {"rows": 200}),
    ("svg", {"elements": 200}),
    ("test-log", {"tests": 200}),
    ("base64", {"bytes": 20_000}),
    ("base64", {"bytes": 20_000, "wrapped": False}),
    ("code", {"functions": 100}),
    ("diff", {"files": 100}),
]
# Legitimate repetition that the published rules interrupt: progress-guard.md says so of real texts, too.
INTERRUPTED = [
    ("lyrics", {"verses": 4}, "paragraph-repeat"),
    ("changelog", {"releases": 60}, "near-duplicate-paragraphs"),
    ("code", {"functions": 300, "fenced": False}, "near-duplicate-paragraphs"),
]


@pytest.mark.parametrize("newline", ["lf", "crlf"])
@pytest.mark.parametrize(("name", "values"), SILENT)
def test_no_published_rule_stops_a_healthy_shape(name: str, values: dict[str, Any], newline: str) -> None:
    for seed in SEEDS:
        text = generate(name, {**values, "seed": seed, "newline": newline})
        assert Guard().feed(0, "text", text) is None


@pytest.mark.parametrize(("name", "values", "mechanism"), INTERRUPTED)
def test_some_healthy_shapes_are_known_to_be_interrupted(
    name: str, values: dict[str, Any], mechanism: str
) -> None:
    for seed in SEEDS:
        finding = Guard().feed(0, "text", generate(name, {**values, "seed": seed}))
        assert finding
        assert finding.mechanism == mechanism
