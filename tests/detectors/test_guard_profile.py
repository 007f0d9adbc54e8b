"""Guard profiles: the published numbers as a file, profiles of one's own, and what is wrong with one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.detectors.batch import Scanner
from harness.detectors.mechanisms import PUBLISHED
from harness.detectors.profile_data import profile_data, profile_of
from harness.guard_profile import parse_profile
from harness.guard_profile_file import PUBLISHED_FILE, load_profile
from harness.problems import UserError
from mock_llm.problems import ScriptError

FLOOD = "!" * 300


def mistakes(text: str) -> list[str]:
    with pytest.raises(ScriptError) as caught:
        parse_profile(text, "a.yaml")
    return [f"{p.line}:{p.column}: {p.message}" for p in caught.value.problems]


def test_the_published_file_equals_what_is_built_in_and_gives_every_number_a_source() -> None:
    profile = load_profile(PUBLISHED_FILE)
    assert profile.name == PUBLISHED.name
    for read, built_in in zip(profile.mechanisms, PUBLISHED.mechanisms, strict=True):
        assert (read.id, read.rule, read.streams) == (built_in.id, built_in.rule, built_in.streams)
        assert read.numbers == built_in.thresholds
        assert all(type(read.numbers[name]) is type(n) for name, n in built_in.thresholds.items())
    numbers = sum(len(row.thresholds) for row in PUBLISHED.mechanisms)
    assert PUBLISHED_FILE.read_text().count("source: ") == numbers


def test_a_profile_changes_what_it_names_and_nothing_else() -> None:
    profile = parse_profile(
        "profile: mine\n"
        "mechanisms:\n"
        "  dominant-scalar-run: {min_ascii: {value: 100, source: our logs}, streams: [text]}\n"
        "  short-period: {off: true}\n",
        "a.yaml",
    )
    assert profile.name == "mine"
    assert profile.ids == tuple(name for name in PUBLISHED.ids if name != "short-period")
    assert profile.mechanisms[0].numbers["min_ascii"] == 100
    assert profile.mechanisms[1:] == PUBLISHED.without("short-period").mechanisms[1:]
    finding = Scanner(profile=profile).scan(FLOOD)
    assert finding is not None
    assert finding.fired_at == 100
    assert Scanner(profile=profile).scan(FLOOD, "thinking") is None


def test_every_mistake_is_named_at_its_place() -> None:
    text = (
        "profile: x\n"
        "mechanism: 3\n"
        "mechanisms:\n"
        "  paragraph-repeet: {window: 3}\n"
        "  paragraph-repeat: {window: 1, min_repeats: 3}\n"
        "  short-period: {min_matched: -4, max_perod: 3, streams: [txt]}\n"
        "  near-duplicate-paragraphs: {min_similarity: 1.5}\n"
    )
    assert mistakes(text) == [
        "2:1: unknown key 'mechanism' in a guard profile",
        "4:3: unknown key 'paragraph-repeet' in the mechanisms",
        "5:3: 'paragraph-repeat': min_repeats is 3, but must be 2..2",
        "6:31: expected a whole number from 0 to 1000000, got -4",
        "6:35: unknown key 'max_perod' in the mechanism 'short-period'",
        "6:59: unknown value 'txt'",
        "7:47: expected a number from 0 to 1, got 1.5",
    ]


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("", "1:1: the file is empty"),
        ("mechanisms: {}", "1:1: missing key 'profile' in a guard profile"),
        ("- profile", "1:1: expected a guard profile (a mapping), got a list"),
        (
            "profile: x\nmechanisms:\n  whitespace-flood: {min_any: 3}",
            "3:3: 'whitespace-flood': min_chars is 320, but must be 1..3",
        ),
        (
            "profile: x\nmechanisms:\n  line-cycle: {min_cycles: 0}",
            "3:3: 'line-cycle': min_cycles is 0, but must be at least 1",
        ),
        (
            "profile: x\nmechanisms:\n  repetitive-turns: {streams: [text, thinking]}",
            "3:38: unknown value 'thinking'",
        ),
        (
            "profile: x\nmechanisms:\n  short-period: {min_matched: 63}",
            "3:3: 'short-period': min_matched is 63, but must be at least 64 (max_period)",
        ),
    ],
)
def test_a_profile_that_cannot_be_used_says_why(text: str, mistake: str) -> None:
    assert mistakes(text) == [mistake]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read the guard profile '.*none.yaml': No such file"):
        load_profile(tmp_path / "none.yaml")


def test_a_profile_travels_as_json() -> None:
    profile = PUBLISHED.tuned("line-cycle", min_chars=100).without("short-period")
    travelled = profile_of(json.loads(json.dumps(profile_data(profile))))
    assert travelled == profile


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "no guard profile"),
        ({"profile": "x", "mechanisms": {"nope": {}}}, "unknown mechanism 'nope'"),
        ({"profile": "x", "mechanisms": {"line-cycle": {"nope": 1}}}, "'line-cycle': .*nope"),
        ({"profile": "x", "mechanisms": {"line-cycle": {"min_chars": 0}}}, "min_chars is 0"),
        ({"profile": "x", "mechanisms": {"line-cycle": {"streams": ["txt"]}}}, "streams are of text"),
        (
            {"profile": "x", "mechanisms": {"repetitive-turns": {"streams": ["tool"]}}},
            "streams are of text, got",
        ),
    ],
)
def test_data_that_are_no_profile_say_why(data: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        profile_of(data)


def test_an_unknown_threshold_or_mechanism_is_refused() -> None:
    with pytest.raises(TypeError, match="nope"):
        PUBLISHED.tuned("line-cycle", nope=1)
    with pytest.raises(KeyError, match="nope"):
        PUBLISHED.tuned("nope", window=1)


def test_the_guard_loads_without_yaml_and_without_hashing() -> None:
    program = "import sys, harness.detectors.guard; print([m for m in ('yaml', 'hashlib', 'json') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
