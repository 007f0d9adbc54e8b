"""The cases that a mutant is tried on, and their order."""

from __future__ import annotations

import pytest

from harness.detectors.mechanisms import PUBLISHED
from harness.lab.mutants import Mutant, mutants
from harness.lab.mutation_contract import TextCase, TurnsCase
from harness.lab.mutation_copy import sources
from harness.lab.mutation_reach import Bench, bench

MUTANTS = mutants(PUBLISHED, sources())
RUN = "dominant-scalar-run"
SAME = "The build is still running, so I wait for it and look again in a minute."
LONG = TextCase("contract", "long", "!" * 256 + "?" * 90, (RUN, 0, 1, 256))
SPACES = TextCase("contract", "spaces", " " * 480, ("whitespace-flood", 0, 1, 480))
SHORT = TextCase("contract", "short", "!" * 256, (RUN, 0, 1, 256))
QUIET = TextCase("contract", "quiet", "All is well.", None)
TURNS = TurnsCase("turns", "same", (SAME,) * 3, ((3, 1.0, 3),))
CASES = (TURNS, LONG, SPACES, SHORT, QUIET)


@pytest.fixture(scope="module")
def known() -> Bench:
    return bench(CASES)


def one(**wanted: str) -> Mutant:
    return next(m for m in MUTANTS if all(getattr(m, name) == value for name, value in wanted.items()))


def ids(known: Bench, mutant: Mutant) -> list[str]:
    return [CASES[place].id for place in known.order(mutant)]


def test_a_changed_comparison_is_tried_on_the_cases_that_enter_its_function(known: Bench) -> None:
    for mutant in MUTANTS:
        if mutant.change and mutant.change.module == "turns" and mutant.change.where.startswith("Repetitive"):
            assert set(ids(known, mutant)) <= {"same"}
    assert ids(known, one(kind="flip", group="surrogates")) == []


def test_the_contract_comes_first_with_the_positive_cases_of_the_mechanism_and_the_small_ones(
    known: Bench,
) -> None:
    mutant = one(kind="threshold", group=RUN)
    assert ids(known, mutant) == ["short", "long", "quiet", "spaces", "same"]


def test_what_is_done_while_the_detectors_are_imported_is_felt_in_every_case(known: Bench) -> None:
    at_top = [mutant for mutant in MUTANTS if mutant.change and not mutant.change.where]
    assert {mutant.group for mutant in at_top} == {"scalar_run", "tokens"}
    assert all(len(known.order(mutant)) == len(CASES) for mutant in at_top)
    texts = sources()
    texts["surrogates"] += "\n_AT_ONCE = ends_in_half('')\n"
    assert ("surrogates", "ends_in_half") in known.entered
    assert ("surrogates", "ends_in_half") not in bench(CASES, texts).entered


def test_the_cases_that_do_not_hold_are_named() -> None:
    wrong = SHORT._replace(id="wrong", figures=None)
    late = TURNS._replace(id="late", fires=())
    assert bench((QUIET, wrong, late)).failing == ("contract/wrong", "turns/late")


def test_the_detectors_of_the_process_are_not_watched() -> None:
    from harness.detectors import guard

    bench((QUIET,))
    assert not hasattr(guard, "__entered__")
