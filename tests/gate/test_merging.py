"""Parts of a run as the whole, and attempts at one run as one result."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.attempts import repeated, retried
from harness.commands.many_runs import Shard
from harness.merging import CannotMerge, merged
from harness.results import Change, RunResult
from tests.gate import made

GONE = Change("scenario-gone", "accept", "old", "reference", "openai-chat", "is gone")


def part(name: str, shard: str) -> RunResult:
    return RunResult(
        (made.result(scenario=name),), f".qa/{name}", 1.0 if name == "a" else 2.0, (GONE,), shard=shard
    )


def test_the_parts_make_the_whole_in_the_order_of_names_and_a_common_finding_counts_once() -> None:
    whole = merged([("2.json", part("b", "2/2")), ("1.json", part("a", "1/2"))])
    assert [r.scenario for r in whole.scenarios] == ["a", "b"]
    assert whole.changes == (GONE,)
    assert (whole.evidence, whole.duration_s, whole.shard) == (".qa/b, .qa/a", 2.0, "")


@pytest.mark.parametrize(
    ("shards", "message"),
    [
        (["1/3", "3/3"], "shard 2/3 is missing"),
        (["1/2", "2/3"], "not of one run"),
        (["1/2", "2/2", "2/2"], "comes twice"),
        (["1/2", ""], "is no shard"),
    ],
)
def test_what_is_not_the_whole_is_refused(shards: list[str], message: str) -> None:
    parts = [(f"{i}.json", part(chr(97 + i), shard)) for i, shard in enumerate(shards)]
    with pytest.raises(CannotMerge, match=message):
        merged(parts)


def test_the_same_run_in_two_parts_is_refused() -> None:
    with pytest.raises(CannotMerge, match=r"'a' on reference, openai-chat is in 1.json and in 2.json"):
        merged([("1.json", part("a", "")), ("2.json", part("a", ""))])


@given(st.integers(1, 9), st.lists(st.text("abc", min_size=1), unique=True))
def test_every_scenario_is_in_exactly_one_shard(total: int, names: list[str]) -> None:
    from pathlib import Path
    from types import SimpleNamespace
    from typing import Any

    scenarios: Any = {Path(name): SimpleNamespace(name=name) for name in names}
    shards = [Shard(number, total).of(scenarios) for number in range(1, total + 1)]
    assert sorted(path.name for shard in shards for path in shard) == sorted(names)
    sizes = [len(shard) for shard in shards]
    assert max(sizes) - min(sizes) <= 1


def test_a_retry_that_passes_keeps_what_failed_before() -> None:
    failed = made.result("failed", steps=(made.step("exit", "failed", "exit 1"),), evidence="/e/1")
    result = retried([failed, made.result(evidence="/e/2")])
    assert (result.verdict, result.evidence, result.is_flaky, result.passes) == (
        "passed",
        "/e/2",
        True,
        (1, 2),
    )
    assert result.attempts[0].what == "exit: exit 1"
    assert result.attempts[0].evidence == "/e/1"


def test_repeated_runs_show_the_worst_and_the_rate() -> None:
    failed = made.result("failed", evidence="/e/2")
    result = repeated([made.result(), failed, made.result()])
    assert (result.verdict, result.evidence, result.passes, result.is_flaky) == (
        "failed",
        "/e/2",
        (2, 3),
        True,
    )


def test_runs_that_never_pass_are_not_flaky() -> None:
    failed = made.result("failed")
    assert not retried([failed, replace(failed, evidence="/e/2")]).is_flaky
