"""Test vectors: what the published detectors said about 347 texts, and how ours are asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from harness.detectors.finding import Finding
from harness.detectors.guard import Guard
from harness.detectors.mechanisms import PUBLISHED, Profile
from harness.detectors.near_duplicate import NearDuplicateParagraphs

VECTORS = Path(__file__).parent / "vectors" / "parity-collapse.jsonl"

Verdict = tuple[str, int, int, int] | None


@dataclass(frozen=True, slots=True)
class Vector:
    """One text and what the published detectors said about it."""

    id: str
    text: str
    verdict: Verdict

    @property
    def mechanism(self) -> str | None:
        return self.verdict[0] if self.verdict else None


def read_vectors() -> Iterator[Vector]:
    """The vectors whose finding is null or belongs to a mechanism that the guard has."""
    known = {mechanism.id for mechanism in PUBLISHED.mechanisms}
    for line in VECTORS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        finding = row["finding"]
        if finding is None or finding["mechanism"] in known:
            yield Vector(row["id"], row["text"], tuple(finding.values()) if finding else None)


def as_upstream(profile: Profile) -> Profile:
    """The profile as it was when the vectors were made: code-shaped lines were judged."""
    judge = partial(NearDuplicateParagraphs, skips_code_lines=False)
    return Profile(
        profile.name,
        tuple(
            replace(m, judge=judge) if m.id == NearDuplicateParagraphs.mechanism else m
            for m in profile.mechanisms
        ),
    )


def short(finding: Finding | None) -> Verdict:
    """The four figures of a finding that the vectors state."""
    if finding is None:
        return None
    return finding.mechanism, finding.anomaly_start, finding.garbage_start, finding.fired_at


def verdict_on(pieces: list[str] | str, profile: Profile) -> Verdict:
    """What a guard says about a text stream that arrives in pieces; a plain string arrives by characters."""
    guard = Guard(profile=as_upstream(profile))
    for piece in pieces:
        finding = guard.feed(0, "text", piece)
        if finding:
            return short(finding)
    return short(guard.finish())


@pytest.fixture
def verdict() -> Callable[[list[str] | str, Profile], Verdict]:
    return verdict_on


@pytest.fixture(scope="session")
def vectors() -> list[Vector]:
    return list(read_vectors())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "vector" in metafunc.fixturenames:
        metafunc.parametrize("vector", list(read_vectors()), ids=lambda vector: vector.id)
