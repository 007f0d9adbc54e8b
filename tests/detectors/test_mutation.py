"""Taking a mechanism out of the guard fails exactly its own positive vectors."""

from __future__ import annotations

from typing import Any

import pytest

from harness.detectors.mechanisms import PUBLISHED

IN_A_MESSAGE = [row.id for row in PUBLISHED.mechanisms if not row.turns]


@pytest.mark.parametrize("mechanism", IN_A_MESSAGE)
def test_a_missing_mechanism_fails_its_positive_vectors_and_no_other(
    mechanism: str, vectors: Any, verdict: Any
) -> None:
    failed = {v.id for v in vectors if verdict([v.text], v.profile.without(mechanism)) != v.verdict}
    assert failed == {v.id for v in vectors if v.mechanism == mechanism} != set()


def test_with_every_mechanism_in_place_nothing_fails(vectors: Any, verdict: Any) -> None:
    assert [v.id for v in vectors if verdict([v.text], v.profile) != v.verdict] == []
