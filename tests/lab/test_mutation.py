"""Mutants of a guard: what they are, what tells them from it, and what is said of those that survive."""

from __future__ import annotations

import pytest

from harness.detectors.mechanisms import PUBLISHED
from harness.find_scenarios import shipped_folder
from harness.lab.mutants import mutants
from harness.lab.mutation_code import changed_code, changes
from harness.lab.mutation_contract import MessageCase, TextCase, TurnsCase
from harness.lab.mutation_copy import compiled, copied, sources
from harness.lab.mutation_cost import CostCase
from harness.lab.mutation_files import CONTRACT, REASONS, load_contract, load_reasons
from harness.lab.mutation_reach import bench
from harness.lab.mutation_reasons import judge, parse_reasons
from harness.lab.mutation_scenarios import scenario_case
from harness.lab.mutation_worker import Tried, tried
from harness.scenario_yaml import load_scenario
from mock_llm.problems import ScriptError

MUTANTS = mutants(PUBLISHED, sources())
BY_ID = {mutant.id: mutant for mutant in MUTANTS}
FLOOD = TextCase("contract", "flood", "!" * 256, ("dominant-scalar-run", 0, 1, 256))


def test_every_mechanism_threshold_and_comparison_has_mutants_with_names_of_their_own() -> None:
    assert len(BY_ID) == len(MUTANTS)
    assert {m.group for m in MUTANTS if m.kind == "wiring"} == set(PUBLISHED.ids)
    moved = {(m.group, m.number[0]) for m in MUTANTS if m.number}
    assert moved == {(row.id, name) for row in PUBLISHED.mechanisms for name in row.thresholds}
    assert BY_ID["paragraph-repeat: window 63"].applied(PUBLISHED).mechanisms[4].numbers == {"window": 63}


def test_an_order_is_changed_both_ways_and_the_opposite_too() -> None:
    found = [
        change.after for change in changes("m", "def f(a, b):\n    return a < b and a in b and 1 <= a <= b\n")
    ]
    assert found == ["a <= b", "a >= b", "a not in b", "1 < a <= b", "1 > a <= b", "1 <= a < b", "1 <= a > b"]


def test_only_the_one_comparison_changes_and_the_source_stays() -> None:
    source = "def f(a):\n    return a < 3, a < 3\n"
    second = next(change for change in changes("m", source) if change.number == 2 and change.kind == "edge")
    names: dict[str, object] = {}
    exec(changed_code(second, source, "m.py"), names)
    assert names["f"](3) == (False, True)  # type: ignore[operator]


def test_a_comparison_that_is_not_there_is_refused() -> None:
    (change, *_) = changes("m", "a < 3")
    with pytest.raises(LookupError, match="m: top: a < 3 -> a <= 3"):
        changed_code(change, "a < 4", "m.py")


def test_a_copy_is_another_package_and_ours_comes_back() -> None:
    from harness.detectors import guard

    with copied(compiled(sources())) as detectors:
        assert detectors.Guard is not guard.Guard
        assert FLOOD.holds(detectors, None, thorough=False)
    from harness.detectors import guard as again

    assert again is guard


def test_a_mechanism_that_is_taken_out_fails_exactly_its_positive_tests() -> None:
    near = BY_ID["near-duplicate-paragraphs: taken out"]
    (result,) = tried([near], bench(load_contract(CONTRACT)), 1)
    assert sum(map(len, result.failed.values())) > 40
    assert (result.others, result.missed) == ((), ())


def test_a_mutant_that_hangs_or_crashes_is_killed_and_one_that_nothing_tells_apart_survives() -> None:
    source = "scalar_run: DominantScalarRun"
    ids = [
        f"{source}.feed: at < len(delta) -> at >= len(delta)",
        "dominant-scalar-run: min_ascii 257",
        "line-cycle: taken out",
    ]
    results = {result.mutant: result for result in tried([BY_ID[name] for name in ids], bench([FLOOD]), 1)}
    assert [results[name].is_killed for name in ids] == [True, True, False]
    assert results[ids[1]].failed == {"contract": ("flood",)}


def test_a_finding_that_comes_late_or_elsewhere_fails_a_case() -> None:
    with copied(compiled(sources())) as detectors:
        assert not FLOOD._replace(figures=("dominant-scalar-run", 0, 1, 255)).holds(
            detectors, None, thorough=False
        )
        assert not FLOOD._replace(figures=None).holds(detectors, None, thorough=True)
        block = MessageCase("contract", "block", ((0, "text", "x"), (1, "text", "!" * 256)), 1, FLOOD.figures)
        assert block.holds(detectors, None, thorough=False)
        assert not block._replace(block=0).holds(detectors, None, thorough=False)
        same = "The build is still running, so I wait for it and look again in a minute."
        turns = TurnsCase("turns", "same", (same,) * 3, ((3, 1.0, 3),))
        assert turns.holds(detectors, None, thorough=False)
        assert not turns._replace(replies=(same,) * 2).holds(detectors, None, thorough=False)


def test_a_scenario_states_its_figures_at_the_level_of_its_texts() -> None:
    scenario = load_scenario(shipped_folder() / "ttsr-near-duplicate-loop.yaml")
    case = scenario_case(scenario)
    assert case is not None
    assert case.mechanisms == ("near-duplicate-paragraphs",)
    with copied(compiled(sources())) as detectors:
        assert case.failed(detectors, None) == ()
        assert case.failed(detectors, BY_ID["near-duplicate-paragraphs: taken out"]) == (
            "abort",
            "truncation",
        )


def test_survivors_need_a_reason_and_reasons_a_survivor() -> None:
    results = [Tried("a", {}), Tried("b", {}), Tried("c", {"turns": ("t",)})]
    reasons = {"a": "nothing can tell it", "c": "it was hard to tell", "d": "it was here once"}
    judgement = judge(results, reasons, {"a", "b", "c"}, every=True)
    assert not judgement.is_good
    assert (judgement.unexplained, judgement.explained) == (("b",), ("a",))
    assert [line.split(";")[0] for line in judgement.outdated] == [
        "'c' has a reason to survive, and is killed",
        "'d' has a reason to survive, and there is no such mutant",
    ]
    assert judge(results[:1], {"a": "nothing can tell it"}, {"a"}, every=False).is_good


def test_a_reason_that_says_nothing_is_refused_at_its_place() -> None:
    with pytest.raises(ScriptError) as caught:
        parse_reasons("'a: b': nothing can tell it\n'c': no\n", "reasons.yaml")
    assert [(p.line, p.column, p.message) for p in caught.value.problems] == [(2, 6, "no reason for 'c'")]


def test_every_listed_survivor_is_a_mutant_that_exists() -> None:
    assert set(load_reasons(REASONS)) <= set(BY_ID)


def test_a_guard_that_keeps_or_does_more_than_it_need_fails_its_cost() -> None:
    with copied(compiled(sources())) as detectors:
        case = CostCase("contract", "cost", "a river, a boat and a lamp " * 90).measured(detectors)
        assert case.calls is not None
        assert case.holds(detectors, None, thorough=True)
        assert not case._replace(calls=case.calls - 1).holds(detectors, None, thorough=True)
        assert not case._replace(kept=100).holds(detectors, None, thorough=True)
