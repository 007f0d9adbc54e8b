"""Lines that a terminal or a program broke to its width, put together again."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from harness.lab.capture import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.detectors.finding import StreamKind

_WIDEST = 400  # cells: wider lines were not broken by any terminal
_NARROWEST = 20
_MOST_MARGIN = 8
_ENOUGH = 0.8  # of the lines: what nearly all of them show is no accident
_PROSE_WORDS = 4
_MANY = 3  # full lines in a row are no accident
_FENCE = re.compile(r"\s*(?:`{3}|~{3})")
_STARTS_ANEW = re.compile(
    r"\s*(?:[-*+\u2022\u25cf\u23fa]\s|\d+[.)]\s|#{1,6}\s|>|\||`{3}|~{3}|[\u2500-\u259f])"
)


class _Line(NamedTuple):
    number: int  # in the file
    text: str


def unwrapped(lines: Sequence[str], stream: StreamKind, columns: int | None = None) -> Part:
    r"""The text of terminal lines, without the margin to their left and with broken lines joined.

    A line was broken where the first word of the next one had no room in it. When nearly all broken lines are
    full to the last cell, they were broken inside of words, and are joined without a blank. A guessed width
    counts only if at least half of the lines that are followed by another were broken at it.

    Args:
        lines: Without blanks at their ends.
        stream: What the text is.
        columns: Cells of the lines; None guesses it from the longest line of prose.

    >>> unwrapped(["  The quick brown", "  fox jumps over", "  the dog."], "text", 18).text
    'The quick brown fox jumps over the dog.\n'
    """
    margin = _margin(lines)
    rows = [_Line(at, line[_blanks(line, margin) :]) for at, line in enumerate(lines, 1)]
    width = (columns - margin) if columns else _width([row.text for row in rows])
    breaks, goes_on = _breaks(rows, width)
    if not columns and len(breaks) * 2 < goes_on:  # lines that are short on purpose
        breaks = set()
    full = sum(len(rows[at].text) >= width for at in breaks)
    is_hard = len(breaks) >= _MANY and full >= _ENOUGH * len(breaks)
    glue = "" if is_hard else " "
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    offset = 0
    for at, row in enumerate(rows):
        joins = at - 1 in breaks
        places.append((offset, row.number))
        end = glue if at in breaks else "\n"
        pieces.append((row.text.lstrip() if joins and not is_hard else row.text) + end)
        offset += len(pieces[-1])
    return Part(stream, "".join(pieces), tuple(places))


def _blanks(line: str, most: int) -> int:
    return min(most, len(line) - len(line.lstrip(" ")))


def _margin(lines: Sequence[str]) -> int:
    """Blanks before nearly every line."""
    indents = Counter(_blanks(line, _MOST_MARGIN) for line in lines if line)
    total, beyond = indents.total(), 0
    for margin in range(_MOST_MARGIN, 0, -1):
        beyond += indents[margin]
        if beyond and beyond >= _ENOUGH * total:
            return margin
    return 0


def _width(lines: Sequence[str]) -> int:
    """The longest line of prose, or 0 when it is longer than any terminal is wide."""
    width = max((len(line) for line in lines if len(line.split()) >= _PROSE_WORDS), default=0)
    return width if _NARROWEST <= width <= _WIDEST else 0


def _breaks(rows: Sequence[_Line], width: int) -> tuple[set[int], int]:
    """The lines that go on in the next one, and how many could, were they wide enough."""
    found: set[int] = set()
    candidates = 0
    if width <= 0:
        return found, candidates
    is_fenced = False
    for at, (above, below) in enumerate(pairwise(rows)):
        is_fence = _FENCE.match(above.text) is not None
        is_fenced ^= is_fence
        if is_fence or is_fenced or not above.text or not below.text or _STARTS_ANEW.match(below.text):
            continue
        candidates += 1
        first = below.text.split(None, 1)[0]
        if len(above.text) <= width + 1 and len(above.text) + 1 + len(first) > width:
            found.add(at)
    return found, candidates
