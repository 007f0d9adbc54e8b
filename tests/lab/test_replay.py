"""A guard over captured replies, and why it fired."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.detectors.batch import Scanner
from harness.detectors.mechanisms import PUBLISHED
from harness.detectors.turns import RepetitiveTurns
from harness.lab.capture import Message, Part
from harness.lab.explain import ECHOES, REPEATS, explain, nearest
from harness.lab.replay import replay

VECTORS = Path(__file__).parents[1] / "detectors" / "vectors"
WITHOUT_EXEMPTION = PUBLISHED.tuned(ECHOES, skips_code_lines=False).without("control-token-leak")
PROFILES = {"collapse": WITHOUT_EXEMPTION, "leak": PUBLISHED}

FIGURES = ("mechanism", "anomaly_start", "garbage_start", "fired_at")
PARAGRAPH = "Now I will look at the configuration once more and then decide what to change.\n\n"
STATUS = "The build is still running, so I wait for it and look again in a minute."


def vectors() -> list[Any]:
    return [
        pytest.param(name, row := json.loads(line), id=row["id"])
        for name in PROFILES
        for line in (VECTORS / f"parity-{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]


def message(*texts: str, number: int = 1) -> Message:
    return Message(number, tuple(Part("text", text) for text in texts))


@pytest.mark.parametrize(("name", "row"), vectors())
def test_a_replayed_text_fires_as_the_published_guard_did(name: str, row: dict[str, Any]) -> None:
    (verdict,) = replay([message(row["text"])], PROFILES[name])
    said = verdict.finding and [getattr(verdict.finding, key) for key in FIGURES]
    assert said == (row["finding"] and [row["finding"][key] for key in FIGURES])


@pytest.mark.parametrize(("name", "row"), [p for p in vectors() if p.values[1]["finding"]])
def test_an_explanation_finds_again_what_the_finding_says(name: str, row: dict[str, Any]) -> None:
    finding = Scanner(profile=PROFILES[name]).scan(row["text"])
    assert finding
    why = explain(row["text"], finding, PROFILES[name])
    if "collapse" in finding.details:
        assert why.mechanism == finding.details["collapse"]
    elif why.mechanism == ECHOES:
        echoes = [one for one in why.paragraphs if one.similarity is not None and one.similarity >= 0.5]
        assert (echoes[0].start, echoes[0].anchor) == (finding.garbage_start, finding.anomaly_start)
        assert (len(echoes), echoes[0].similarity) == (
            finding.details["echoes"],
            finding.details["similarity"],
        )
        assert echoes[-1].end == finding.fired_at
    elif why.mechanism == REPEATS:
        assert [one.start for one in why.paragraphs][:2] == [finding.anomaly_start, finding.garbage_start]
        assert [one.role for one in why.paragraphs] == ["first", "copy", "copy"]
        assert len({one.text for one in why.paragraphs}) == 1
    else:
        assert why.unit in row["text"]
        assert why.unit


@pytest.mark.parametrize(("name", "row"), [p for p in vectors() if not p.values[1]["finding"]])
def test_what_stays_silent_did_not_reach_what_would_fire(name: str, row: dict[str, Any]) -> None:
    for near in nearest(row["text"], "text", PROFILES[name]):
        assert near.reached < near.needed


def test_how_near_a_silent_text_came_is_counted() -> None:
    text = PARAGRAPH * 2 + "Something else that has nothing to do with any of the sentences before it.\n\n"
    assert [(near.mechanism, near.reached, near.needed) for near in nearest(text, "text", PUBLISHED)] == [
        (REPEATS, 2, 3),
        (ECHOES, 1, 8),
    ]
    assert nearest(text, "tool", PUBLISHED) == ()


def test_every_message_is_judged_and_each_has_its_first_finding() -> None:
    loop, calm = PARAGRAPH * 3, "All is well."
    verdicts = list(replay([message(calm), message(calm, loop, "!" * 300), message(calm), message(loop)]))
    assert [(v.part, v.finding and v.finding.fired_at) for v in verdicts] == [
        (None, None),
        (1, len(loop)),
        (None, None),
        (0, len(loop)),
    ]
    assert verdicts[1].marked
    assert verdicts[1].marked.pieces == (PARAGRAPH, PARAGRAPH * 2, "")
    assert verdicts[0].marked is None


def test_replies_that_restate_the_ones_before_fire_at_the_third() -> None:
    verdicts = list(replay([message(STATUS, number=number) for number in range(1, 5)]))
    assert [v.finding and v.finding.mechanism for v in verdicts] == [None, None, "repetitive-turns", None]


def test_a_restatement_that_shows_at_the_end_only_is_about_the_last_text() -> None:
    # Four words are two trigrams: half of them, which is too few, until the very last word has ended.
    parts = [Part("text", "internationalization proceeds "), Part("text", "uncharacteristically smoothly")]
    parts.append(Part("tool", "{}"))
    *_, last = replay([Message(number, tuple(parts)) for number in range(1, 4)])
    assert last.finding
    assert (last.part, last.finding.fired_at) == (1, 29)


def test_rules_and_mechanisms_can_be_disabled() -> None:
    (silent,) = replay([message(PARAGRAPH * 3)], PUBLISHED, ["collapse-repetition"])
    assert silent.finding is None
    (other,) = replay([message(PARAGRAPH * 12)], PUBLISHED, ["paragraph-repeat"])
    assert other.finding
    assert other.finding.mechanism == ECHOES


def test_a_loop_is_found_beyond_a_very_long_beginning() -> None:
    beginning = "".join(
        f"{number} is a number with the square {number * number}.\n" for number in range(5_000)
    )
    (verdict,) = replay([message(beginning + "\n" + "!" * 300)])
    assert verdict.finding
    assert verdict.finding.fired_at == len(beginning) + 1 + 256


def test_a_text_alone_is_compared_with_no_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    taken_in: list[str] = []
    monkeypatch.setattr(RepetitiveTurns, "remember", lambda _self, reply: taken_in.append(reply))
    assert [verdict.finding for verdict in replay([message(STATUS)])] == [None]
    assert taken_in == []
    assert len(list(replay([message(STATUS), message(STATUS, number=2)]))) == len(taken_in) == 2
