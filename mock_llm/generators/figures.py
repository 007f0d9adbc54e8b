"""What can be counted in a text: the figures by which loops and healthy texts are described."""

from __future__ import annotations

import re
from collections import Counter, deque
from typing import NamedTuple

RING = 64  # paragraphs that the published rule remembers
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")


class Figures(NamedTuple):
    """Figures of a text.

    Attributes:
        chars: Characters (code points).
        paragraphs: What blank lines part; empty ones do not count.
        distinct: How many of them are different.
        most_in_ring: How often the commonest one stands in any stretch of 64.
        period: Characters after which the text repeats from its start to its end; 0 when fewer than
            two whole periods are there.
    """

    chars: int
    paragraphs: int
    distinct: int
    most_in_ring: int
    period: int


def figures_of(text: str) -> Figures:
    r"""The figures of a text. CR LF counts as LF, but for the characters and the period.

    >>> figures_of("One.\n\nTwo.\n\n" * 3)
    Figures(chars=36, paragraphs=6, distinct=2, most_in_ring=3, period=12)
    """
    paragraphs = paragraphs_of(text)
    return Figures(
        len(text), len(paragraphs), len(set(paragraphs)), _most_in_ring(paragraphs), period_of(text)
    )


def paragraphs_of(text: str) -> list[str]:
    """What blank lines part, without empty ones."""
    return [each for each in _BLANK_LINE.split(text.replace("\r\n", "\n").strip("\n")) if each.strip()]


def period_of(text: str) -> int:
    """The smallest period of a text, 0 when it does not come twice. Time is linear.

    >>> period_of("abcabca"), period_of("abcab")
    (3, 0)
    """
    border, length = [0] * len(text), 0
    for at in range(1, len(text)):
        while length and text[at] != text[length]:
            length = border[length - 1]
        length += text[at] == text[length]
        border[at] = length
    period = len(text) - length
    return period if 2 * period <= len(text) and text else 0


def _most_in_ring(paragraphs: list[str]) -> int:
    ring: deque[str] = deque()
    counts: Counter[str] = Counter()
    most = 0
    for paragraph in paragraphs:
        if len(ring) == RING:
            counts[ring.popleft()] -= 1
        ring.append(paragraph)
        counts[paragraph] += 1
        most = max(most, counts[paragraph])
    return most
