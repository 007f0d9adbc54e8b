"""Why a guard fired, looked up in the text again: paragraphs, their similarity, the window, the anchor."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from harness.detectors.near_duplicate import without_code
from harness.detectors.paragraph_repeat import folded
from harness.detectors.paragraphs import Paragraph, ParagraphSplitter, is_eligible
from harness.detectors.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.detectors.finding import Finding, StreamKind
    from harness.detectors.mechanisms import Mechanism, Number, Profile

ECHOES, REPEATS = "near-duplicate-paragraphs", "paragraph-repeat"


class Judged(NamedTuple):
    """A paragraph that counted.

    Attributes:
        start: Its offset.
        end: The offset behind the blank line that ended it.
        text: Its lines, as they stand there.
        role: ``echo``, ``fresh`` (in the window and no echo), ``anchor`` (what the oldest echo restates),
            ``first`` or ``copy`` (of equal ones).
        similarity: Of an echo or a fresh one, to the most similar paragraph before it; 0 to 1.
        anchor: Where that one starts; None when none shares a word.
    """

    start: int
    end: int
    text: str
    role: str
    similarity: float | None = None
    anchor: int | None = None


class Explanation(NamedTuple):
    """Why a mechanism fired, or how near it came.

    Attributes:
        mechanism: Which one.
        thresholds: Its numbers, as they are in the profile.
        paragraphs: Those that counted, in the order of the text; empty for a mechanism that reads characters.
        unit: What came again and again, for a mechanism that reads characters.
        figures: What was counted.
    """

    mechanism: str
    thresholds: Mapping[str, Number]
    paragraphs: tuple[Judged, ...] = ()
    unit: str = ""
    figures: Mapping[str, object] = {}


class Nearest(NamedTuple):
    """How near a mechanism that judges paragraphs came to firing: ``reached`` of the ``needed``."""

    mechanism: str
    reached: int
    needed: int
    what: str


def explain(text: str, finding: Finding, profile: Profile) -> Explanation:
    """Look up what a finding is about.

    Args:
        text: The part that fired.
        finding: What the guard said about it.
        profile: The profile of that guard.
    """
    mechanism = str(finding.details.get("collapse", finding.mechanism))
    row = _row(profile, mechanism)
    thresholds = row.thresholds if row else {}
    paragraphs: tuple[Judged, ...] = ()
    unit = ""
    if row and mechanism in (ECHOES, REPEATS):
        read = list(_paragraphs(text[: finding.fired_at], thresholds))
        paragraphs = tuple((_window if mechanism == ECHOES else _copies)(text, read, thresholds))
    else:
        unit = _unit(text, finding)
    return Explanation(mechanism, thresholds, paragraphs, unit, finding.details)


def nearest(text: str, stream: StreamKind, profile: Profile) -> tuple[Nearest, ...]:
    """How near the mechanisms that judge paragraphs came to firing in a text in which nothing fired."""
    found = []
    for row in profile.mechanisms:
        if row.id not in (ECHOES, REPEATS) or stream not in row.streams:
            continue
        numbers = row.thresholds
        read = list(_paragraphs(text, numbers))
        if row.id == ECHOES:
            most = _most_echoes(read, numbers)
            found.append(
                Nearest(row.id, most, int(numbers["min_echoes"]), f"of {numbers['window']} paragraphs echo")
            )
        else:
            most = _most_copies(read, numbers)
            found.append(Nearest(row.id, most, int(numbers["min_repeats"]), "equal paragraphs"))
    return tuple(found)


def _row(profile: Profile, mechanism: str) -> Mechanism | None:
    return next((row for row in profile.mechanisms if row.id == mechanism), None)


def _paragraphs(text: str, numbers: Mapping[str, Number]) -> Iterator[Paragraph]:
    """The eligible paragraphs; ``text`` as it is compared, without lines that are shaped like code."""
    units, word_chars = int(numbers["min_units"]), int(numbers["min_word_chars"])
    for paragraph in ParagraphSplitter().feed(text):
        if not is_eligible(paragraph.text, units, word_chars):
            continue
        if "min_echoes" not in numbers:
            yield paragraph
        elif not paragraph.is_fenced:
            seen = without_code(paragraph.text) if numbers["skips_code_lines"] else paragraph.text
            if seen == paragraph.text or is_eligible(seen, units, word_chars):
                yield paragraph._replace(text=seen)


class _Echo(NamedTuple):
    paragraph: Paragraph
    similarity: float
    anchor: Paragraph | None


def _echoes(read: Sequence[Paragraph], numbers: Mapping[str, Number]) -> Iterator[_Echo]:
    """Each paragraph with the most similar one of those before it, the earliest of equals."""
    before: deque[tuple[frozenset[str], Paragraph]] = deque(maxlen=int(numbers["lookback"]))
    for paragraph in read:
        words = tokens(paragraph.text, int(numbers["max_chars"]))
        best, anchor = 0.0, None
        for other, earlier in before:
            union = len(words | other)
            similarity = len(words & other) / union if union else 0.0
            if similarity > best:
                best, anchor = similarity, earlier
        yield _Echo(paragraph, best, anchor)
        before.append((words, paragraph))


def _is_echo(echo: _Echo, numbers: Mapping[str, Number]) -> bool:
    return echo.anchor is not None and echo.similarity >= numbers["min_similarity"]


def _window(text: str, read: Sequence[Paragraph], numbers: Mapping[str, Number]) -> Iterator[Judged]:
    window = list(_echoes(read, numbers))[-int(numbers["window"]) :]
    oldest = next((echo for echo in window if _is_echo(echo, numbers)), None)
    if oldest and oldest.anchor and oldest.anchor.start < window[0].paragraph.start:
        yield _judged(text, oldest.anchor, "anchor")
    for echo in window:
        role = "echo" if _is_echo(echo, numbers) else "fresh"
        if oldest and echo.paragraph is oldest.anchor:
            role = "anchor"
        anchor = echo.anchor.start if echo.anchor else None
        yield _judged(text, echo.paragraph, role, round(echo.similarity, 3), anchor)


def _copies(text: str, read: Sequence[Paragraph], numbers: Mapping[str, Number]) -> Iterator[Judged]:
    key = folded if numbers["fold_numbers"] else _own_text
    ring = read[-int(numbers["window"]) - 1 :]
    equal = [paragraph for paragraph in ring if key(paragraph) == key(read[-1])] if read else []
    for at, paragraph in enumerate(equal):
        yield _judged(text, paragraph, "copy" if at else "first")


def _own_text(paragraph: Paragraph) -> str:
    return paragraph.text


def _judged(
    text: str, paragraph: Paragraph, role: str, similarity: float | None = None, anchor: int | None = None
) -> Judged:
    body = text[paragraph.start : paragraph.end].rstrip()
    return Judged(paragraph.start, paragraph.end, body, role, similarity, anchor)


def _unit(text: str, finding: Finding) -> str:
    """What came again: the first copy, which is kept, or what the detector calls it."""
    for name in ("token", "unit", "character"):
        if isinstance(finding.details.get(name), str):
            return str(finding.details[name])
    return text[finding.anomaly_start : finding.garbage_start]


def _most_echoes(read: Sequence[Paragraph], numbers: Mapping[str, Number]) -> int:
    window: deque[bool] = deque(maxlen=int(numbers["window"]))
    most = 0
    for echo in _echoes(read, numbers):
        window.append(_is_echo(echo, numbers))
        most = max(most, sum(window))
    return most


def _most_copies(read: Sequence[Paragraph], numbers: Mapping[str, Number]) -> int:
    key = folded if numbers["fold_numbers"] else _own_text
    ring: deque[str] = deque(maxlen=int(numbers["window"]) + 1)
    most = 0
    for paragraph in read:
        ring.append(key(paragraph))
        most = max(most, ring.count(ring[-1]))
    return most
