"""The density rule at its thresholds and with its exemptions."""

from __future__ import annotations

from functools import partial

import pytest

from harness.detectors.finding import Finding
from harness.detectors.near_duplicate import NearDuplicateParagraphs, is_code_shaped
from harness.detectors.streams import ParagraphReader
from harness.detectors.tokens import tokens

WORDS = [
    "amber",
    "birch",
    "cedar",
    "dune",
    "ember",
    "fjord",
    "grove",
    "harbour",
    "inlet",
    "juniper",
    "kelp",
    "lagoon",
    "marsh",
    "north",
    "otter",
    "pine",
]


def restated(number: int) -> str:
    """One of many paragraphs that share 15 of 16 words."""
    return " ".join([*WORDS[:15], f"reed{chr(97 + number)}"]) + "."


def fresh(number: int) -> str:
    """A paragraph that shares nothing with any other."""
    return " ".join(f"{word}{chr(97 + number % 26)}{chr(97 + number // 26)}" for word in WORDS) + "."


def fire(*paragraphs: str, **options: object) -> Finding | None:
    make = partial(NearDuplicateParagraphs, **options)  # type: ignore[arg-type]
    return ParagraphReader((make(),)).feed("".join(paragraph + "\n\n" for paragraph in paragraphs))


def test_eight_echoes_fire_and_the_text_before_the_oldest_is_kept() -> None:
    finding = fire(fresh(0), *(restated(n) for n in range(9)))
    assert finding is not None
    first = len(fresh(0)) + 2
    length = len(restated(0)) + 2
    assert (finding.anomaly_start, finding.garbage_start) == (first, first + length)
    assert finding.fired_at == first + 9 * length
    assert finding.details == {"echoes": 8, "paragraphs": 10, "similarity": 0.882}


def test_seven_echoes_among_twelve_are_silent_and_eight_are_not() -> None:
    mixed = [restated(0)]
    for n in range(1, 25):
        mixed += [restated(n)] if n % 12 < 7 else [fresh(n)]
    assert fire(*mixed) is None
    assert fire(*mixed, min_echoes=7) is not None


@pytest.mark.parametrize(("between", "fires"), [(31, True), (32, False)])
def test_an_echo_reaches_32_paragraphs_back_and_no_further(between: int, *, fires: bool) -> None:
    cycle = [fresh(n) for n in range(between + 1)]
    assert (fire(*cycle, *cycle) is not None) == fires


def test_the_anchor_is_the_most_similar_paragraph_and_the_earliest_of_equals() -> None:
    near, nearer = restated(0).replace("amber", "basalt").replace("birch", "chalk"), restated(1)
    finding = fire(near, nearer, nearer, *(restated(n) for n in range(2, 10)), min_echoes=8)
    assert finding is not None
    assert finding.anomaly_start == 0
    assert finding.garbage_start == len(near) + 2
    late = fire(fresh(0), near, nearer, restated(2), min_echoes=2)
    assert late is not None
    assert late.anomaly_start == len(fresh(0)) + 2


def test_drift_in_numbers_and_hashes_is_a_restatement() -> None:
    steps = [
        f"Step {n}: upload part {n * 7} of the archive, checksum {n:07x}ab, and wait for it."
        for n in range(9)
    ]
    assert len({tokens(step) for step in steps}) == 1
    assert fire(*steps) is not None


def test_fenced_paragraphs_are_neither_judged_nor_remembered() -> None:
    assert fire(*(f"```\n{restated(n)}\n```" for n in range(20))) is None
    assert fire("```", *(restated(n) for n in range(20))) is None
    assert fire("```", *(restated(n) for n in range(20)), "```", *(restated(n) for n in range(8))) is None
    assert fire("```", *(restated(n) for n in range(20)), "```", *(restated(n) for n in range(9))) is not None


def test_a_fence_is_closed_by_its_own_mark_only() -> None:
    assert fire("````", "```", *(restated(n) for n in range(20))) is None
    assert fire("~~~", "```", *(restated(n) for n in range(20))) is None
    assert fire("```", "```python", *(restated(n) for n in range(20))) is None
    assert fire("~~~", "~~~~", *(restated(n) for n in range(20))) is not None


def test_lines_shaped_like_code_are_left_out() -> None:
    code = [f"    {restated(n)}" for n in range(20)]
    assert fire(*code) is None
    assert fire(*code, skips_code_lines=False) is not None
    indented = f"    {restated(0)}\n    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda my ny xi omikron pi rho"
    below = [f"{fresh(n)}\n{indented}" for n in range(20)]
    assert fire(*below) is None
    assert fire(*below, skips_code_lines=False) is not None


def test_what_is_left_of_a_paragraph_must_be_long_enough() -> None:
    intro = [f"Then run it:\n    {restated(n)}" for n in range(20)]
    assert fire(*intro) is None


@pytest.mark.parametrize(
    ("line", "is_code"),
    [
        ("An ordinary line.", False),
        (" One space is no indent.", False),
        ("  two spaces are", True),
        ("\ttab", True),
        ("  - nested item", False),
        ("    * nested item", False),
        ("\t12. nested item", False),
        ("  -x is an option", True),
        ("call(first,", True),
        ("}", True),
        ("ends;  ", True),
        ("(a remark)", False),
    ],
)
def test_a_line_is_code_by_its_indent_or_its_ending(line: str, *, is_code: bool) -> None:
    assert is_code_shaped(line) == is_code


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Café ÜBER naïve", {"café", "über", "naïve"}),
        ("v1.2 at 10:30-11:45", {"v#", "at", "#"}),
        ("snake_case_name", {"snake", "case", "name"}),
        ("deadbeef cafe defaced Acceded", {"#", "cafe"}),
        ("issue #42", {"issue", "##"}),
        ("---", set()),
        ("x" * 600, {"x" * 512}),
    ],
)
def test_words_are_folded(text: str, words: set[str]) -> None:
    assert tokens(text) == words


def test_paragraphs_without_words_echo_nothing() -> None:
    assert fire(*["🙂🚀" * 40] * 30) is None


@pytest.mark.parametrize("echoes", [0, 13])
def test_a_count_that_the_window_cannot_reach_is_refused(echoes: int) -> None:
    with pytest.raises(ValueError, match=rf"min_echoes is {echoes}, but must be 1..12"):
        NearDuplicateParagraphs(min_echoes=echoes)
