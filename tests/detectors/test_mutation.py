"""Taking a mechanism out of the guard fails exactly its own positive vectors."""

from __future__ import annotations

from typing import Any

import pytest

from harness.detectors.mechanisms import PUBLISHED


@pytest.mark.parametrize("mechanism", PUBLISHED.ids)
def test_a_missing_mechanism_fails_its_positive_vectors_and_no_other(
    mechanism: str, vectors: Any, verdict: Any
) -> None:
    mutant = PUBLISHED.without(mechanism)
    failed = {v.id for v in vectors if verdict([v.text], mutant) != v.verdict}
    assert failed == {v.id for v in vectors if v.mechanism == mechanism}


def test_with_every_mechanism_in_place_nothing_fails(vectors: Any, verdict: Any) -> None:
    assert [v.id for v in vectors if verdict([v.text], PUBLISHED) != v.verdict] == []
