"""The two fast forms against the rules written down plainly, and against each other, at every cut."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.detectors.batch import Scanner
from harness.detectors.finding import Finding, StreamKind
from harness.detectors.guard import Guard
from harness.detectors.mechanisms import PUBLISHED, Profile
from tests.detectors.plain_rules import first_verdict, line_cycle

CHARACTERS = PUBLISHED.without(
    "paragraph-repeat", "near-duplicate-paragraphs", "control-token-leak", "repetitive-turns"
)

UNITS = st.one_of(
    st.sampled_from(
        ["!", "?!", "字", "é", "🙂", "─", "ha ", "- ", "0x1f, ", "{ }\n", "ab", "\n", " ", "\t\n"]
    ),
    st.sampled_from(
        ["!!!!!!!! ", "\uff01" * 8 + " ", "$" * 60 + "\n", "no. ", "=-", "│ ", "\u3000", "a\r\n"]
    ),
    st.sampled_from(["the same line of words again\n", "a\nb\n", "one\n---\n", "x\r\ny\r\n", "- [ ] todo\n"]),
    st.sampled_from(
        ["A line of text that is rather long and says nothing new at all.\n", "<|sep|> ", "<td>"]
    ),
    st.text(alphabet="ab!字 \n.<", min_size=1, max_size=70),
)
PARTS = st.tuples(UNITS, st.integers(1, 600)).map(lambda part: (part[0] * part[1])[:1200])
WORDS = st.text(alphabet="abc, \n", max_size=30)
TEXTS = st.lists(st.one_of(PARTS, WORDS), max_size=6).map("".join)
CUTS = st.lists(st.integers(0, 3000), max_size=20)


def pieces_of(text: str, at: list[int]) -> list[str]:
    edges = [0, *sorted(min(cut, len(text)) for cut in at), len(text)]
    return [text[a:b] for a, b in pairwise(edges)]


def guarded(pieces: list[str], profile: Profile, kind: StreamKind = "text") -> Finding | None:
    """The guard's finding; it has to come with the piece in which it fired."""
    guard, read = Guard(profile=profile), 0
    for piece in pieces:
        before, read = read, read + len(piece)
        finding = guard.feed(0, kind, piece)
        if finding:
            assert before < finding.fired_at <= read
            return finding
    return guard.finish()


def short(finding: Finding | None) -> Any:
    return finding and (finding.mechanism, finding.anomaly_start, finding.garbage_start, finding.fired_at)


@settings(max_examples=300, deadline=None)
@given(TEXTS, CUTS)
@example("!" * 100 + " " + "!" * 200, [])
@example("é" * 8 + " " + "é" * 300, [100, 200])
@example(" " * 319 + "x" + "\n" * 330, [])
@example("ha " * 40 + "x" + "ha " * 100, [])
@example(("-" * 64 + "ha") * 3 + "ha " * 90, [150])
def test_the_character_rules_say_what_they_say_when_written_down_plainly(text: str, at: list[int]) -> None:
    expected = first_verdict(text)
    assert short(Scanner(profile=CHARACTERS).scan(text)) == expected
    assert short(guarded(pieces_of(text, at), CHARACTERS)) == expected


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_character_by_character_they_say_it_at_that_character(text: str) -> None:
    assert short(guarded(list(text), CHARACTERS)) == first_verdict(text)


LONG_AND_SHORT = st.sampled_from(
    [
        "a long line number one\n",
        "a long line number two\n",
        "a long one with CR\r\n",
        "bb\n",
        "---\n",
        "-" * 20 + "\n",
    ]
)
CYCLES = st.tuples(st.lists(LONG_AND_SHORT, min_size=1, max_size=5).map("".join), st.integers(1, 8))
OTHERS = st.integers(0, 40).map(lambda count: "".join(f"{n}\n" for n in range(count)))
LINES = st.lists(st.one_of(CYCLES.map(lambda cycle: cycle[0] * cycle[1]), OTHERS), max_size=6).map("".join)


@settings(max_examples=300, deadline=None)
@given(LINES, CUTS)
@example("a long line number one\nbb\nc\nd\n" * 6 + "".join(f"{n}\n" for n in range(40)), [160])
def test_lines_of_which_only_a_digest_is_kept_cycle_as_others_do(text: str, at: list[int]) -> None:
    expected = next(line_cycle(text), None)
    profile = PUBLISHED.without(*(name for name in PUBLISHED.ids if name != "line-cycle"))
    with patch("harness.detectors.line_cycle._CAP", 12), patch("harness.detectors.batch._BITE", 160):
        assert short(Scanner(profile=profile).scan(text)) == expected
        assert short(guarded(pieces_of(text, at), profile)) == expected


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXTS, max_size=3).map("\n\n".join), CUTS, st.sampled_from(["text", "thinking", "tool"]))
def test_the_guard_and_the_scanner_agree_at_every_cut(text: str, at: list[int], kind: StreamKind) -> None:
    whole = Scanner().scan(text, kind)
    assert guarded(pieces_of(text, at), PUBLISHED, kind) == whole
    assert guarded([text[a : a + 20] for a in range(0, len(text), 20)], PUBLISHED, kind) == whole


@settings(max_examples=150, deadline=None)
@given(TEXTS.filter(lambda text: "\r" not in text), CUTS)
def test_the_prose_rules_do_not_care_for_crlf(text: str, at: list[int]) -> None:
    prose = PUBLISHED.without(*CHARACTERS.ids, "control-token-leak")
    text = f"{text}\n\n" * 3
    plain, crlf = guarded([text], prose), guarded(pieces_of(text.replace("\n", "\r\n"), at), prose)
    assert (plain and plain.mechanism) == (crlf and crlf.mechanism)
    if plain and crlf:
        assert crlf.fired_at == plain.fired_at + text[: plain.fired_at].count("\n")
        assert crlf.garbage_start == plain.garbage_start + text[: plain.garbage_start].count("\n")


def halves(text: str) -> str:
    """The text with every character beyond U+FFFF as two surrogates, as a JSON client may hand it out."""
    units = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(units[at] | units[at + 1] << 8) for at in range(0, len(units), 2))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["🙂", "\U0001d54f ", "a", "é", "🙂 no. "]), st.integers(1, 260)),
        max_size=4,
    ),
    CUTS,
)
def test_characters_split_into_surrogates_count_as_one(parts: list[tuple[str, int]], at: list[int]) -> None:
    text = "".join(unit * count for unit, count in parts)
    guard = Guard()
    found = [guard.feed(0, "text", piece) for piece in pieces_of(halves(text), at)]
    finding = next(filter(None, found), None) or guard.finish()
    assert finding == Scanner().scan(text) == Scanner().scan(halves(text))


REAL = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "name", ["README.md", "docs/scenarios.md", "harness/refagent/loop.py", "pyproject.toml"]
)
@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("chars", [1, 7, 20, 333, 70_000])
def test_both_forms_agree_on_real_text(name: str, repeats: int, ending: str, chars: int) -> None:
    text = ((REAL / name).read_text(encoding="utf-8") * repeats).replace("\n", ending)
    pieces = [text[at : at + chars] for at in range(0, len(text), chars)]
    assert guarded(pieces, PUBLISHED) == Scanner().scan(text)


@pytest.mark.parametrize("seed", range(4))
def test_both_forms_agree_on_the_vectors_in_one_long_text(seed: int) -> None:
    lines = (
        (Path(__file__).parent / "vectors" / "parity-collapse.jsonl").read_text(encoding="utf-8").splitlines()
    )
    texts = [row["text"] for row in map(json.loads, lines) if row["finding"] is None]
    text = "\n\n".join(texts[seed::4])
    silent = PUBLISHED.without("paragraph-repeat", "near-duplicate-paragraphs")
    for profile in (PUBLISHED, silent):
        whole = Scanner(profile=profile).scan(text)
        for chars in (1, 20, 1000):
            pieces = [text[at : at + chars] for at in range(0, len(text), chars)]
            assert guarded(pieces, profile) == whole
    assert short(Scanner(profile=CHARACTERS).scan(text)) == first_verdict(text)
