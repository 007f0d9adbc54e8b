"""Mistakes in a file: where they are, what is wrong, what to do, and the one picture that shows them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_BREAK = re.compile(r"\r\n|\n|\r")
_WINDOW = 100  # characters of a source line that are shown
_MOST_VALUES = 8


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake. Line and column count from 1 and columns are code points; ``end_column`` is exclusive.

    The first of ``hints`` stands beside the caret, the others below it.
    """

    file: str
    line: int
    column: int
    end_column: int
    message: str
    hints: tuple[str, ...] = ()


class ScriptError(ValueError):
    """A file that cannot be used: all its problems in line order; ``str`` gives their pictures."""

    def __init__(self, problems: Iterable[Problem], source: str) -> None:
        self.problems = tuple(sorted(problems, key=lambda p: (p.line, p.column)))
        self.source = source
        super().__init__(self.problems, source)

    def __str__(self) -> str:
        """All pictures, a blank line between two."""
        return "\n\n".join(render_problem(problem, self.source) for problem in self.problems)


class Source:
    """The text of a file with its lines, to turn an offset into a line and a column."""

    __slots__ = ("_starts", "file", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._starts = [0, *(match.end() for match in _BREAK.finditer(text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def first_line_end(self, start: int, end: int) -> int:
        """The end of ``text[start:end]``, or of its first line when it has several; blanks left out."""
        line_break = _BREAK.search(self.text, start, end)
        stop = line_break.start() if line_break else end
        return start + max(1, len(self.text[start:stop].rstrip()))


@dataclass(slots=True)
class Problems:
    """Collects the mistakes of one file, so that all of them are reported at once."""

    source: Source
    found: list[Problem] = field(default_factory=list)

    def add(self, start: int, end: int, message: str, *hints: str) -> None:
        """Note a mistake at ``source.text[start:end]``; empty hints are dropped."""
        line, column = self.source.place(start)
        width = self.source.first_line_end(start, end) - start
        kept = tuple(hint for hint in hints if hint)
        self.found.append(Problem(self.source.file, line, column, column + width, message, kept))

    def raise_any(self, kind: type[ScriptError] = ScriptError) -> None:
        """Raise what was found as one error, if anything was."""
        if self.found:
            raise kind(self.found, self.source.text)


def render_problem(problem: Problem, source: str) -> str:
    """The picture of a problem: place and message, the source line, a caret with the cure.

    >>> problem = Problem("a.yaml", 1, 1, 5, "unknown key 'saay'", ("did you mean 'say'?",))
    >>> print(render_problem(problem, "saay: x"))
    a.yaml:1:1: unknown key 'saay'
      1 | saay: x
        | ^^^^ did you mean 'say'?
    """
    head = f"{problem.file}:{problem.line}:{problem.column}: {problem.message}"
    line = _line(source, problem.line)
    if not line.strip():
        return "\n".join([head, *(f"  {hint}" for hint in problem.hints)])
    before, marked, after = _cut(line, problem.column - 1, problem.end_column - 1)
    gutter = " " * len(str(problem.line))
    caret = f"{' ' * _width(before)}{'^' * max(1, _width(marked))} {''.join(problem.hints[:1])}".rstrip()
    picture = [f"  {problem.line} | {before}{marked}{after}".rstrip(), f"  {gutter} | {caret}"]
    return "\n".join([head, *picture, *(f"  {hint}" for hint in problem.hints[1:])])


def did_you_mean(word: str, options: Sequence[str]) -> str:
    """The closest valid name, or at most eight valid ones when none is close.

    >>> did_you_mean("saay", ["say", "think"])
    "did you mean 'say'?"
    >>> did_you_mean("zzz", ["say", "think"])
    'valid here: say, think'
    """
    from difflib import get_close_matches

    lowered = {option.lower(): option for option in reversed(options)}
    close = get_close_matches(word.lower()[:80], list(lowered), n=1, cutoff=0.6)
    if close:
        return f"did you mean '{lowered[close[0]]}'?"
    more = ", ..." if len(options) > _MOST_VALUES else ""
    return f"valid here: {', '.join(options[:_MOST_VALUES])}{more}" if options else ""


def quoted(text: str, most: int = 40) -> str:
    """A value as a message shows it: in single quotes, on one line, cut when long."""
    shown = "".join(map(_visible, text if len(text) <= most else f"{text[: most - 1]}…"))
    return f"'{shown}'"


def _line(source: str, number: int) -> str:
    lines = _BREAK.split(source)
    return lines[number - 1] if 1 <= number <= len(lines) else ""


def _cut(line: str, start: int, end: int) -> tuple[str, str, str]:
    """The line around ``start:end`` in three printable pieces, shortened when it is very long."""
    low = 0 if len(line) <= _WINDOW else max(0, start - _WINDOW // 3)
    high = low + _WINDOW
    pieces = line[low:start], line[start : min(end, high)], line[min(end, high) : high]
    before, marked, after = ("".join(map(_visible, piece)) for piece in pieces)
    return ("…" if low else "") + before, marked, after + ("…" if high < len(line) else "")


def _visible(char: str) -> str:
    """One character as it can be printed: a tab as four blanks, a control character as a mark."""
    if char == "\t":
        return "    "
    return char if char.isprintable() else "�"


def _width(text: str) -> int:
    """Terminal columns of printable text."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    marks = sum(category(char) in {"Mn", "Me", "Cf"} for char in text)
    return len(text) - marks + sum(east_asian_width(char) in {"W", "F"} for char in text)
