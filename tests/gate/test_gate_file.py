"""``gate.yaml``: read with every mistake at its place, written without touching what the team wrote."""

from __future__ import annotations

import json
from dataclasses import replace

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from harness.gate.baseline_file import GATE, MARK, Acceptance, GateFileError, parse_gate, render_gate
from harness.gate.comparison import CLASSES_S, Known
from harness.results import Stop
from mock_llm.schema import schema_document
from tests.gate import made

HEAD = "# ours\ntags: [gate, slow]   # kept\ndetector: src/**/*.ts\ntolerate: {later_chars: 20}\n\n"


def test_settings_have_defaults_and_a_single_glob_needs_no_list() -> None:
    empty = parse_gate("", "gate.yaml")
    assert (empty.tags, empty.agents, empty.later_chars) == (("gate",), ("reference",), 0)
    settings = parse_gate(HEAD, "gate.yaml")
    assert settings.tags == ("gate", "slow")
    assert settings.detector == ("src/**/*.ts",)
    assert settings.later_chars == 20


def test_what_stands_above_the_mark_is_kept_to_the_letter() -> None:
    once = render_gate(HEAD, {made.KEY: made.known()}, [])
    twice = render_gate(once, {}, [Acceptance("2026-11-30", "a 'reason': with signs", ("loop: gone",))])
    assert once.startswith(HEAD + MARK)
    assert twice.startswith(HEAD + MARK)
    assert twice.count(MARK) == 1
    assert parse_gate(twice, "gate.yaml").accepted == (
        Acceptance("2026-11-30", "a 'reason': with signs", ("loop: gone",)),
    )


_NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
_COUNTS = st.integers(0, 10**9)
_STOPS = st.builds(
    Stop,
    reply=st.integers(1, 99),
    stream=st.sampled_from(["text", "thinking", "tool"]),
    rule=st.sampled_from(["", "collapse-repetition", "no", "12"]),
    mechanism=st.sampled_from(["", "paragraph-repeat", "true"]),
    fired_at=st.none() | _COUNTS,
    kept_chars=st.none() | _COUNTS,
    text_chars=_COUNTS,
)
_KNOWN = st.builds(
    Known,
    verdict=st.sampled_from(["passed", "failed", "skipped"]),
    control=st.sampled_from(["", "passed", "skipped"]),
    requests=_COUNTS,
    duration=st.sampled_from(list(CLASSES_S)),
    stops=st.lists(_STOPS, max_size=3).map(tuple),
)


@given(st.dictionaries(st.tuples(_NAMES, _NAMES, _NAMES), _KNOWN, max_size=5), _NAMES)
def test_what_is_written_is_read_back(baseline: dict[tuple[str, str, str], Known], reason: str) -> None:
    text = render_gate(HEAD, baseline, [Acceptance("2026-11-30", reason)])
    read = parse_gate(text, "gate.yaml")
    assert read.baseline == baseline
    assert read.accepted == (Acceptance("2026-11-30", reason),)


def test_what_was_sent_is_not_written_since_it_is_a_matter_of_timing() -> None:
    other = replace(made.LOOP, sent_chars=1)
    texts = {render_gate("", {made.KEY: made.known(stops=(stop,))}, []) for stop in (made.LOOP, other)}
    assert len(texts) == 1


CONFLICT = """\
tags: [gate]
baseline:
  reference:
    openai-chat:
<<<<<<< HEAD
      loop: {verdict: passed, requests: 2, duration: under 1 s}
=======
      loop: {verdict: passed, requests: 3, duration: under 1 s}
>>>>>>> other
"""

TWICE = """\
baseline:
  reference:
    openai-chat:
      loop: {verdict: passed, requests: 1, duration: under 1 s}
      loop: {verdict: passed, requests: 1, duration: under 1 s}
"""


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (CONFLICT, ["gate.yaml:5:1: "]),
        ("tags: [gate]\ntags: [slow]\n", ["gate.yaml:2:1: "]),
        (TWICE, ["gate.yaml:5:7: "]),
        ("baseline:\n  a:\n    d: {}\n  a:\n    e: {}\n", ["gate.yaml:4:3: "]),
        ("detecter: [a]\ntolerate: {later_char: 3}\n", ["gate.yaml:1:1: ", "gate.yaml:2:12: "]),
        ("accepted:\n  - {date: 2026-11-30, raeson: x}\n", ["gate.yaml:2:24: "]),
        ("tags: []\n", ["gate.yaml:1:7: "]),
        ("reasons: {pi: [a]}\n", ["gate.yaml:1:15: "]),
        ("- a\n", ["gate.yaml:1:1: "]),
    ],
)  # fmt: skip
def test_a_file_that_a_merge_or_a_hand_has_spoilt_is_told_at_the_place(text: str, places: list[str]) -> None:
    with pytest.raises(GateFileError) as caught:
        parse_gate(text, "gate.yaml")
    for place in places:
        assert place in str(caught.value)


def test_a_file_with_the_line_ends_of_windows_says_the_same_and_keeps_what_the_team_wrote() -> None:
    text = render_gate(HEAD, {made.KEY: made.known()}, [Acceptance("2026-11-30", "r")])
    windows = text.replace("\n", "\r\n")
    assert parse_gate(windows.encode(), "gate.yaml") == parse_gate(text, "gate.yaml")
    again = render_gate(windows, {made.KEY: made.known(requests=3)}, [])
    assert again.startswith(HEAD.replace("\n", "\r\n"))
    assert parse_gate(again, "gate.yaml").baseline[made.KEY].requests == 3
    assert "\n" not in again.replace("\r\n", "")


def test_every_mistake_is_told_at_its_place() -> None:
    text = "tagz: [gate]\nbaseline:\n  reference:\n    openai-chat:\n      loop: {verdict: good, requests: 2, duration: under 1 s}\n"
    with pytest.raises(GateFileError) as caught:
        parse_gate(text, "gate.yaml")
    assert "gate.yaml:1:1: unknown key 'tagz' in a gate" in str(caught.value)
    assert "did you mean 'tags'?" in str(caught.value)
    assert "gate.yaml:5:23: " in str(caught.value)
    assert caught.value.exit_code == 2


def test_the_schema_for_editors_takes_what_is_written() -> None:
    text = render_gate(HEAD, {made.KEY: made.known()}, [Acceptance("2026-11-30", "r")])
    schema = json.loads(json.dumps(schema_document(GATE, "the gate of qa")))
    value = yaml.load(text, yaml.BaseLoader)
    value["tolerate"]["later_chars"] = 20
    entry = value["baseline"]["reference"]["openai-chat"]["loop"]
    entry["requests"] = 2
    entry["stops"][0] |= {"reply": 1, "fired_at": 1046, "kept_chars": 454, "text_chars": 1362}
    jsonschema.validate(value, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**value, "tagz": []}, schema)
