"""Test vectors: what the published detectors said about 484 texts and 60 conversations, and how ours are asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness.detectors.batch import Scanner
from harness.detectors.finding import Finding
from harness.detectors.guard import Guard
from harness.detectors.mechanisms import PUBLISHED, Profile

VECTORS = Path(__file__).parent / "vectors"
# The collapse vectors were made before code-shaped lines were left out, and with the collapse rule alone.
COLLAPSE = PUBLISHED.tuned("near-duplicate-paragraphs", skips_code_lines=False).without("control-token-leak")
PROFILES = {"collapse": COLLAPSE, "leak": PUBLISHED}

KEYS = ("mechanism", "anomaly_start", "garbage_start", "fired_at")

Verdict = tuple[str, int, int, int] | None


@dataclass(frozen=True, slots=True)
class Vector:
    """One text and what the published detectors said about it."""

    id: str
    text: str
    verdict: Verdict
    profile: Profile

    @property
    def mechanism(self) -> str | None:
        return self.verdict[0] if self.verdict else None


def rows(name: str) -> Iterator[Any]:
    for line in (VECTORS / f"parity-{name}.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def read_vectors(name: str) -> Iterator[Vector]:
    for row in rows(name):
        said = row["finding"]
        verdict = said and tuple(said[key] for key in KEYS)
        yield Vector(row["id"], row["text"], verdict, PROFILES[name])


def short(finding: Finding | None) -> Verdict:
    """The four figures of a finding that the vectors state."""
    if finding is None:
        return None
    return finding.mechanism, finding.anomaly_start, finding.garbage_start, finding.fired_at


def verdict_on(pieces: list[str] | str, profile: Profile) -> Verdict:
    """What a guard says about a text stream that arrives in pieces; a plain string arrives by characters.

    The finding comes with the piece that holds the character at which it fired, no later.
    """
    guard, read = Guard(profile=profile), 0
    for piece in pieces:
        before, read = read, read + len(piece)
        finding = guard.feed(0, "text", piece)
        if finding:
            assert before < finding.fired_at <= read
            return short(finding)
    return short(guard.finish())


def scanned(text: str, profile: Profile) -> Verdict:
    """What the batch form says."""
    return short(Scanner(profile=profile).scan(text))


@pytest.fixture
def verdict() -> Callable[[list[str] | str, Profile], Verdict]:
    return verdict_on


@pytest.fixture
def batch_verdict() -> Callable[[str, Profile], Verdict]:
    return scanned


@pytest.fixture(scope="session")
def vectors() -> list[Vector]:
    return [vector for name in PROFILES for vector in read_vectors(name)]


@pytest.fixture(scope="session")
def conversations() -> list[Any]:
    return list(rows("turns"))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "vector" in metafunc.fixturenames:
        found = [vector for name in PROFILES for vector in read_vectors(name)]
        metafunc.parametrize("vector", found, ids=lambda vector: vector.id)
