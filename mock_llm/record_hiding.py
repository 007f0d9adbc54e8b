"""Keys out of a reply that repeats them, also where one is cut over several deltas. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mock_llm.redaction import REDACTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mock_llm.record_lines import Line

MOST_WAITING = 256
_TEXTS = ("say", "think", "refuse", "args")


class Hiding:
    """Lines of a recording in, the same lines out without the secrets.

    A line whose text ends in the beginning of a secret waits for the next text of its part, and what comes
    after it waits too, but never more than :data:`MOST_WAITING` lines. A secret is replaced where it begins.

    Args:
        secrets: The keys that the request carried.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = secrets
        self._waiting: list[Line] = []

    def feed(self, line: Line) -> list[Line]:
        """A further line; the lines that are ready to be written."""
        if not self._secrets:
            return [line]
        self._waiting.append(line)
        is_safe = [self._cleaned(lines) for lines in self._texts()]
        return self.finish() if all(is_safe) or len(self._waiting) > MOST_WAITING else []

    def finish(self) -> list[Line]:
        """The lines that waited for more."""
        ready, self._waiting = self._waiting, []
        return ready

    def _texts(self) -> Iterator[list[tuple[Line, str]]]:
        """The lines that wait, by the text that they are pieces of; each with the name of its piece."""
        texts: dict[tuple[int, str], list[tuple[Line, str]]] = {}
        for line in self._waiting:
            for name in _TEXTS:
                if name in line:
                    texts.setdefault((line["part"], name), []).append((line, name))
        return iter(texts.values())

    def _cleaned(self, lines: list[tuple[Line, str]]) -> bool:
        """Take every whole secret out; False when the end may be the beginning of one."""
        text = "".join(line[name] for line, name in lines)
        for secret in self._secrets:
            start = 0
            while (start := text.find(secret, start)) >= 0:
                _replace(lines, start, start + len(secret))
                start += len(REDACTED)  # a key may well be 'redacted' itself
                text = "".join(line[name] for line, name in lines)
        return not any(
            text.endswith(secret[:size]) for secret in self._secrets for size in range(1, len(secret))
        )


def _replace(lines: list[tuple[Line, str]], start: int, end: int) -> None:
    """Put the mark in place of the characters from ``start`` to ``end`` of the joined text."""
    at = 0
    for line, name in lines:
        piece: str = line[name]
        low, high = max(start - at, 0), max(end - at, 0)
        if low < len(piece) and high:
            line[name] = piece[:low] + (REDACTED if at + low == start else "") + piece[high:]
        at += len(piece)
