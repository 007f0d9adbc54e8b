"""Floods to the character, control tokens to the count, and the line ends and leads that all texts can have."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.detectors.guard import Guard
from mock_llm.generators import GENERATORS, generate

QUOTING = {"fence", "inline-code", "block-quote", "indented", "quotation", "talk"}
CONTEXTS = ("start", "preamble", "prose", *sorted(QUOTING))
some = settings(max_examples=40, deadline=None)


def mechanism_in(text: str) -> str | None:
    finding = Guard().feed(0, "text", text)
    return finding.mechanism if finding else None


@some
@given(chars=st.integers(1, 3000), every=st.none() | st.integers(1, 200), character=st.sampled_from("!.好🔥"))
def test_a_character_flood_is_that_character_so_often(chars: int, every: int | None, character: str) -> None:
    text = generate("character-flood", {"chars": chars, "line_chars": every, "character": character})
    assert text.replace("\n", "") == character * chars
    lines = text.split("\n")
    assert [len(line) for line in lines[:-1]] == [every] * (len(lines) - 1)


def test_a_flood_of_two_characters_is_refused() -> None:
    with pytest.raises(ValueError, match="'character' is one code point, but this has 2"):
        generate("character-flood", {"character": "ab"})


@some
@given(seed=st.integers(0, 2**32), chars=st.integers(1, 2000))
def test_a_whitespace_flood_is_blank_to_the_character(seed: int, chars: int) -> None:
    for kind, blank in (("newlines", "\n"), ("spaces", " "), ("tabs", "\t")):
        assert generate("whitespace-flood", {"kind": kind, "chars": chars, "seed": seed}) == blank * chars
    mixed = generate("whitespace-flood", {"kind": "mixed", "chars": chars, "seed": seed})
    assert len(mixed) == chars
    assert not mixed.strip(" \n\t")
    assert set(mixed[::4]) == {"\n"}


@some
@given(separator=st.text(min_size=1, max_size=6), chars=st.integers(1, 2000))
def test_a_separator_flood_is_exact(separator: str, chars: int) -> None:
    text = generate("separator-flood", {"separator": separator, "chars": chars})
    assert text == (separator * chars)[:chars]


@pytest.mark.parametrize(
    ("name", "values", "mechanism"),
    [
        ("character-flood", {"character": "!", "chars": 255}, None),
        ("character-flood", {"character": "!", "chars": 256}, "dominant-scalar-run"),
        ("character-flood", {"character": "好", "chars": 224}, "dominant-scalar-run"),
        ("whitespace-flood", {"kind": "newlines", "chars": 319}, None),
        ("whitespace-flood", {"kind": "newlines", "chars": 320}, "whitespace-flood"),
        ("whitespace-flood", {"kind": "spaces", "chars": 480}, "whitespace-flood"),
        ("separator-flood", {"separator": "-", "chars": 45_400}, None),
    ],
)
def test_floods_meet_the_published_thresholds(
    name: str, values: dict[str, Any], mechanism: str | None
) -> None:
    assert mechanism_in(generate(name, values)) == mechanism


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("gap", ["none", "space", "newline"])
@pytest.mark.parametrize("token", ["<|im_end|>", "<think>", "</s>", "[INST]"])
def test_a_leaked_token_stands_so_often(token: str, gap: str, context: str) -> None:
    values = {"token": token, "gap": gap, "context": context, "count": 9}
    assert generate("control-token-leak", values).count(token) == 9


@pytest.mark.parametrize("context", CONTEXTS)
def test_a_leak_fires_at_the_published_count_of_its_context(context: str) -> None:
    needed = 8 if context in QUOTING else 4 if context == "prose" else 3
    leaks = [
        generate("control-token-leak", {"context": context, "count": count, "seed": seed})
        for count in (needed - 1, needed)
        for seed in range(1, 9)
    ]
    assert [mechanism_in(leak) for leak in leaks] == [None] * 8 + ["control-token-leak"] * 8


def test_what_is_no_token_is_refused() -> None:
    with pytest.raises(ValueError, match="'im_end' has none of the forms"):
        generate("control-token-leak", {"token": "im_end"})


@pytest.mark.parametrize("name", GENERATORS)
def test_line_ends_can_be_crlf_and_prose_can_lead(name: str) -> None:
    text = generate(name, {})
    crlf = generate(name, {"newline": "crlf"})
    assert crlf == text.replace("\n", "\r\n")
    led = generate(name, {"lead": 2})
    assert led == generate("prose", {"paragraphs": 2}) + text
