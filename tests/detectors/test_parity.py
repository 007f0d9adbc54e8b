"""The published verdicts, at the same place, however the text was cut, and in whole texts too."""

from __future__ import annotations

import random
from typing import Any

from harness.detectors.mechanisms import PUBLISHED
from harness.detectors.turns import RepetitiveTurns


def random_cuts(text: str, seed: str) -> list[str]:
    dice = random.Random(seed)
    pieces = []
    while text:
        size = dice.choice((1, 2, 3, 20, 200, 2000))
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def test_agrees_with_the_published_verdict_on_a_whole_text(vector: Any, verdict: Any) -> None:
    assert verdict([vector.text], vector.profile) == vector.verdict


def test_agrees_with_the_published_verdict_character_by_character(vector: Any, verdict: Any) -> None:
    assert verdict(vector.text, vector.profile) == vector.verdict


def test_agrees_with_the_published_verdict_on_random_cuts(vector: Any, verdict: Any) -> None:
    assert verdict(random_cuts(vector.text, vector.id), vector.profile) == vector.verdict


def test_the_batch_form_agrees_with_the_published_verdict(vector: Any, batch_verdict: Any) -> None:
    assert batch_verdict(vector.text, vector.profile) == vector.verdict


def test_agrees_with_the_published_verdict_on_every_conversation(conversations: Any) -> None:
    assert len(conversations) == 60
    for conversation in conversations:
        turns = RepetitiveTurns()
        found = [(n, turns.remember(reply)) for n, reply in enumerate(conversation["replies"], 1)]
        assert [{"turn": n, **finding.details} for n, finding in found if finding] == conversation["fires"]


def test_the_vectors_hold_every_mechanism_and_silence(vectors: Any) -> None:
    counts = {name: sum(v.mechanism == name for v in vectors) for name in (*PUBLISHED.ids, None)}
    assert counts.pop("repetitive-turns") == 0  # has vectors of its own: conversations
    assert all(count >= 3 for count in counts.values()), counts
    assert len(vectors) == 347 + 137
