"""Results made by hand, one of each kind that a report has to show."""

from __future__ import annotations

from typing import Any

import pytest

from harness.place import Place
from harness.results import RunResult, ScenarioResult, StepResult, Verdict

FILE = "scenarios/ttsr-near-duplicate-loop.yaml"
FIRED = "near-duplicate-paragraphs fired at 1,797 of 2,446 characters (session; client hung up after 1,804 characters)"


class Results:
    """Makes steps and scenarios; every argument but the interesting ones has a value."""

    def step(self, label: str, observed: str, verdict: Verdict = "passed", **facts: Any) -> StepResult:
        line = facts.pop("line", 12)
        kind = label.split("#", maxsplit=1)[0]
        return StepResult(label, kind, Place(FILE, line, 5), verdict, observed, **facts)

    def failing_abort(self, **facts: Any) -> StepResult:
        given: dict[str, Any] = {
            "expected": "reply 1 stopped by collapse-repetition / near-duplicate-paragraphs within 1,900 characters",
            "evidence": (
                "the reply was not stopped",
                "wire: reply 1 ended 'complete', 2,446 of 2,446 characters sent",
                "session: assistant message 1, stop reason 'stop', 2,446 characters",
                "rules recorded in the session: none",
            ),
        }
        return self.step("abort", "no guard: all 2,446 characters arrived", "failed", **(given | facts))

    def scenario(self, *steps: StepResult, verdict: Verdict = "passed", **facts: Any) -> ScenarioResult:
        given: dict[str, Any] = {
            "scenario": "ttsr-near-duplicate-loop",
            "summary": "one action restated fifteen times in other words; no two paragraphs are equal",
            "agent": "reference",
            "dialect": "openai-chat",
            "duration_s": 0.312,
            "evidence": ".qa/runs/0007/ttsr-near-duplicate-loop@reference",
            "rerun": "qa run ttsr-near-duplicate-loop --agent reference --dialect openai-chat",
        }
        return ScenarioResult(verdict=verdict, steps=steps, **(given | facts))

    @property
    def passing(self) -> ScenarioResult:
        return self.scenario(
            self.step("abort", FIRED),
            self.step("truncation", "492 characters kept, 527 persisted with the marker"),
            self.step("requests", "2 requests"),
            self.step("exit", "exit 0"),
        )

    @property
    def failing(self) -> ScenarioResult:
        truncated = self.step(
            "truncation",
            "nothing was cut: all 2,446 characters persisted",
            "failed",
            line=13,
            expected="reply 1: 492 characters kept, 527 persisted with the marker",
        )
        steps = (self.failing_abort(), truncated, self.step("exit", "exit 0"))
        return self.scenario(*steps, verdict="failed", agent="pi", notes=("2 of 3 scripted turns were left",))

    @property
    def control(self) -> ScenarioResult:
        return self.scenario(
            self.failing_abort(),
            self.step("truncation", "nothing was cut: all 2,446 characters persisted", "failed"),
            self.step("exit", "exit 0"),
            control=True,
            must_fail=("abort", "truncation"),
        )

    def run(self, *scenarios: ScenarioResult) -> RunResult:
        return RunResult(scenarios, ".qa/runs/0007", 1.234)


@pytest.fixture
def results() -> Results:
    return Results()
