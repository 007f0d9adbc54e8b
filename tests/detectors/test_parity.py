"""The published verdicts, at the same place, however the text was cut."""

from __future__ import annotations

import random
from typing import Any

from harness.detectors.mechanisms import PUBLISHED


def random_cuts(text: str, seed: str) -> list[str]:
    dice = random.Random(seed)
    pieces = []
    while text:
        size = dice.choice((1, 2, 3, 20, 200, 2000))
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def test_agrees_with_the_published_verdict_on_a_whole_text(vector: Any, verdict: Any) -> None:
    assert verdict([vector.text], PUBLISHED) == vector.verdict


def test_agrees_with_the_published_verdict_character_by_character(vector: Any, verdict: Any) -> None:
    assert verdict(vector.text, PUBLISHED) == vector.verdict


def test_agrees_with_the_published_verdict_on_random_cuts(vector: Any, verdict: Any) -> None:
    assert verdict(random_cuts(vector.text, vector.id), PUBLISHED) == vector.verdict


def test_the_vectors_hold_both_mechanisms_and_silence(vectors: Any) -> None:
    counts = {name: sum(v.mechanism == name for v in vectors) for name in (*PUBLISHED.ids, None)}
    assert all(count >= 30 for count in counts.values()), counts
