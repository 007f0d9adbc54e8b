"""The exact rule at its thresholds."""

from __future__ import annotations

import pytest

from harness.detectors.finding import Finding
from harness.detectors.paragraph_repeat import ParagraphRing
from harness.detectors.paragraphs import is_eligible
from harness.detectors.streams import ParagraphReader

A = "Every morning the baker weighs the flour, the salt and the water before he lights the oven."


def other(number: int) -> str:
    """A paragraph like no other with a different number."""
    return " ".join(
        f"{chr(97 + number // 26)}{chr(97 + number % 26)}{word}" for word in "abcdefghijklmnopqrstuvw"
    )


def fire(*paragraphs: str, ring: ParagraphRing | None = None, ending: str = "\n") -> Finding | None:
    text = "".join(paragraph + ending * 2 for paragraph in paragraphs)
    return ParagraphReader((ring or ParagraphRing(),)).feed(text)


def test_the_third_of_three_fires_and_the_second_is_dropped() -> None:
    finding = fire(other(0), A, other(1), A, A)
    assert finding is not None
    first = len(other(0)) + 2
    second = first + len(A) + 2 + len(other(1)) + 2
    assert (finding.anomaly_start, finding.garbage_start) == (first, second)
    assert finding.fired_at == second + 2 * (len(A) + 2)
    assert finding.details == {"repeats": 3, "window": 64}


def test_twice_is_not_a_loop() -> None:
    assert fire(A, A) is None


@pytest.mark.parametrize(("between", "fires"), [(62, True), (63, False)])
def test_the_first_of_three_may_lie_64_paragraphs_back_and_no_more(between: int, *, fires: bool) -> None:
    finding = fire(A, *(other(n) for n in range(between)), A, A)
    assert (finding is not None) == fires


def test_paragraphs_that_are_not_eligible_take_no_place_in_the_ring() -> None:
    assert fire(A, *["Next."] * 200, A, *["Next."] * 200, A) is not None


def test_interleaved_repeats_fire_at_the_third_copy_of_the_first() -> None:
    finding = fire(A, other(1), A, other(1), A, other(1))
    assert finding is not None
    assert finding.anomaly_start == 0


def test_one_changed_letter_is_another_paragraph() -> None:
    assert fire(A, A.replace("salt", "malt"), A) is None


def test_crlf_text_fires_as_lf_text_does() -> None:
    finding = fire(A, A, A, ending="\r\n")
    assert finding is not None
    assert finding.fired_at == 3 * (len(A) + 4)


@pytest.mark.parametrize(
    ("lines", "eligible"),
    [
        (["a" * 63], True),
        (["a" * 62], False),
        (["a" * 31, "b" * 31], True),
        (["a" * 31, "b" * 30], False),
        (["😀" * 31 + "a"], True),
        (["😀" * 31], False),
        (["a" * 24 + "." * 60], True),
        (["a" * 23 + "." * 60], False),
        (["─█" * 40 + "é" * 24], True),
        (["─█" * 40 + "é" * 23], False),
    ],
)
def test_eligibility_counts_utf16_units_with_newlines_and_word_characters(
    lines: list[str], *, eligible: bool
) -> None:
    assert is_eligible("\n".join(lines)) == eligible


def test_a_reader_reports_once_and_starts_over_after_reset() -> None:
    text = f"{A}\n\n" * 3
    reader = ParagraphReader((ParagraphRing(),))
    first = reader.feed(text)
    assert first is not None
    assert reader.feed(text) is None
    reader.reset()
    assert reader.feed(text) == first


@pytest.mark.parametrize("repeats", [1, 6])
def test_a_count_that_the_ring_cannot_reach_is_refused(repeats: int) -> None:
    with pytest.raises(ValueError, match=rf"min_repeats is {repeats}, but must be 2..5"):
        ParagraphRing(window=4, min_repeats=repeats)
