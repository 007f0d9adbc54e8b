"""The guard's own contract at its limits holds, in both forms and for every cut."""

from __future__ import annotations

import pytest

from harness.lab.mutation_contract import Case
from harness.lab.mutation_copy import imported
from tests.detectors.contract_cases import CASES

DETECTORS = imported()


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.id))
def test_the_guard_keeps_the_contract(case: Case) -> None:
    assert case.holds(DETECTORS, None, thorough=False)
    assert case.holds(DETECTORS, None, thorough=True)


def test_no_case_comes_twice_and_every_mechanism_has_positive_and_negative_ones() -> None:
    assert len({case.id for case in CASES}) == len(CASES)
    wanted = {case.mechanisms for case in CASES}
    assert len(wanted) == 9  # the eight mechanisms, and silence
    assert () in wanted
