"""The mistakes of YAML that are made most, with the place that is shown and the cure."""

from __future__ import annotations

import pytest

from mock_llm.located import open_source, parse_yaml


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        (
            "say: {nonce} please",
            (1, 6, 13),
            "put the whole text in quotes: one that begins with '{' is no text",
        ),
        ("- [x] done", (1, 3, 6), "put the whole text in quotes: one that begins with '[' is no text"),
        (
            "say: Note: this",
            (1, 10, 11),
            "put the whole text in quotes: ': ' inside it would begin a mapping",
        ),
        ("{say: a: b}", (1, 8, 9), "put the whole text in quotes: ': ' inside it would begin a mapping"),
        ('say: "a" b', (1, 6, 9), "the text ends at its closing quote: put all of it in quotes"),
        ("say: 'it''s' so", (1, 6, 13), "the text ends at its closing quote: put all of it in quotes"),
        ("say: @home", (1, 6, 7), "put the text in quotes: '@' begins no text in YAML"),
        ("say: `x`", (1, 6, 7), "put the text in quotes: '`' begins no text in YAML"),
        ("say: %x", (1, 6, 7), "put the text in quotes: '%' begins no text in YAML"),
        ("say: *bold* x", (1, 6, 11), "put the text in quotes: '*' begins no text in YAML"),
        ("a:\n\tb: 1", (2, 1, 2), "indent with blanks: YAML allows no tab here"),
        ("a:\n  - b: 1\n\t  c: 2", (3, 1, 2), "indent with blanks: YAML allows no tab here"),
        ("say: !wow x", (1, 6, 10), "take it out, or put the text in quotes if '!' belongs to it"),
        (
            "- {shows: AGAIN {nonce}, reply: 1}",
            (1, 11, 18),
            "put the whole text in quotes: a '{' inside it is no text",
        ),
        ("[one, see [1]]", (1, 7, 12), "put the whole text in quotes: a '[' inside it is no text"),
        ("say: [a, b", (1, 6, 7), "while parsing a flow sequence"),
    ],
)
def test_a_common_slip_has_its_cure(text: str, place: tuple[int, int, int], hint: str) -> None:
    problems = open_source("a.yaml", text)
    parse_yaml(problems)
    [found] = problems.found
    assert ((found.line, found.column), found.hints) == (place[:2], (hint,))
    assert found.end_column >= place[2] or "\t" in text


def test_an_alias_without_an_anchor_may_be_meant_as_text() -> None:
    problems = open_source("a.yaml", "say: *bold")
    parse_yaml(problems)
    assert "put the text in quotes if '*' belongs to it" in problems.found[0].hints
