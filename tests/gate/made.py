"""Results and baselines made by hand."""

from __future__ import annotations

from typing import Any

from harness.gate.comparison import Known
from harness.place import Place
from harness.results import ScenarioResult, StepResult, Stop, Verdict

LOOP = Stop(1, "text", "collapse-repetition", "paragraph-repeat", 1046, 454, 1362, 1362)
KEY = ("reference", "openai-chat", "loop")


def step(label: str, verdict: Verdict = "passed", observed: str = "seen", line: int = 11) -> StepResult:
    return StepResult(
        label, label.partition("#")[0], Place("scenarios/loop.yaml", line, 5), verdict, observed
    )


def result(verdict: Verdict = "passed", **facts: Any) -> ScenarioResult:
    given: dict[str, Any] = {
        "scenario": "loop",
        "summary": "a loop",
        "agent": "reference",
        "dialect": "openai-chat",
        "steps": (step("abort"), step("exit", line=17)),
        "duration_s": 0.4,
        "evidence": "/work/.qa/runs/0001/loop@reference-openai-chat",
        "rerun": "qa run loop",
        "file": "scenarios/loop.yaml",
        "stops": (LOOP,),
        "requests": 2,
    }
    return ScenarioResult(verdict=verdict, **(given | facts))


def control(verdict: Verdict = "passed", **facts: Any) -> ScenarioResult:
    given: dict[str, Any] = {"control": True, "stops": (), "must_fail": ("abort",)}
    return result(verdict, **(given | facts))


def known(**facts: Any) -> Known:
    given: dict[str, Any] = {
        "verdict": "passed",
        "control": "passed",
        "requests": 2,
        "duration": "under 1 s",
        "stops": (LOOP,),
    }
    return Known(**(given | facts))
