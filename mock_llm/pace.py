"""The pace of a recorded reply: when each of its pieces came."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mock_llm.turn import Delta

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Beat(NamedTuple):
    """A piece of ``chars`` characters that came ``at_ms`` milliseconds after the request."""

    at_ms: float
    chars: int


class Pace:
    """When the character after so many others is due; asked for growing numbers of characters.

    A reply that is longer than the recording (``until: client-hangs-up``) goes through it again and again,
    the first piece of each round one average gap after the last one of the round before.

    >>> pace = Pace((Beat(100, 3), Beat(140, 2)))
    >>> [pace.at_ms(chars) for chars in (0, 2, 3, 5, 8)]
    [100.0, 100.0, 140.0, 180.0, 220.0]
    """

    def __init__(self, beats: tuple[Beat, ...]) -> None:
        self._beats = beats
        first, last = beats[0].at_ms, beats[-1].at_ms
        gap = (last - first) / (len(beats) - 1) if len(beats) > 1 else last
        self._round_ms = last - first + gap
        self._late_ms = 0.0
        self._place = 0
        self._end = beats[0].chars

    def at_ms(self, chars: int) -> float:
        """The deadline, in milliseconds after the request, of what follows ``chars`` characters."""
        while chars >= self._end:
            self._place += 1
            if self._place == len(self._beats):
                self._place = 0
                self._late_ms += self._round_ms
            self._end += max(1, self._beats[self._place].chars)
        return self._beats[self._place].at_ms + self._late_ms


def cut_as_recorded(texts: Iterable[tuple[int, str]], beats: tuple[Beat, ...]) -> Iterator[Delta]:
    """The parts (index and text, in order) cut where the recording was cut, and at the end of each part.

    >>> [delta.text for delta in cut_as_recorded([(0, "abcde"), (1, "fg")], (Beat(0, 2), Beat(9, 4)))]
    ['ab', 'cde', 'f', 'g']
    """
    place, left = 0, beats[0].chars
    for part, text in texts:
        start = 0
        while start < len(text):
            if left <= 0:
                place = (place + 1) % len(beats)
                left = max(1, beats[place].chars)
            size = min(left, len(text) - start)
            yield Delta(part, text[start : start + size])
            start, left = start + size, left - size
