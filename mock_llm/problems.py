"""Mistakes in a file: where they are, what is wrong, what to do, and the one picture that shows them."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_BREAK = re.compile(r"\r\n|\n|\r")
_WINDOW = 100  # characters of a source line that are shown
_MOST_VALUES = 8


class Problem(NamedTuple):
    """One mistake. Line and column count from 1 and columns are code points; ``end_column`` is exclusive.

    The first of ``hints`` stands beside the caret, the others below it. ``text`` is the text of ``file``
    when that is not the file that was loaded, but one that it includes.
    """

    file: str
    line: int
    column: int
    end_column: int
    message: str
    hints: tuple[str, ...] = ()
    text: str | None = None


class ScriptError(ValueError):
    """A file that cannot be used: all its problems in line order; ``str`` gives their pictures.

    Those of included files stand behind those of the file itself.
    """

    def __init__(self, problems: Iterable[Problem], source: str) -> None:
        found = sorted(problems, key=lambda p: p.text is not None)
        files = list(dict.fromkeys(problem.file for problem in found))
        self.problems = tuple(sorted(found, key=lambda p: (files.index(p.file), p.line, p.column)))
        self.source = source
        super().__init__(self.problems, source)

    def __str__(self) -> str:
        """All pictures, a blank line between two."""
        return "\n\n".join(render_problem(problem, self.source) for problem in self.problems)


class Source:
    """The text of a file with its lines, to turn an offset into a line and a column.

    The texts of included files are appended to it, so that one offset says the file as well.
    """

    __slots__ = ("_bases", "_parts", "file", "text")

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._bases = [0]
        self._parts = [_Part(file, text, "", -1)]

    @property
    def main_text(self) -> str:
        """The text of the file itself."""
        return self._parts[0].text

    def append(self, file: str, text: str, folder: str, included_at: int) -> int:
        """Add an included file, whose paths start at ``folder``; the offset of its first character."""
        base = len(self.text) + 1
        self.text = f"{self.text}\n{text}"
        self._bases.append(base)
        self._parts.append(_Part(file, text, folder, included_at))
        return base

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset in its file, both from 1."""
        part, base = self._at(offset)
        line = bisect_right(part.starts, offset - base)
        return line, offset - base - part.starts[line - 1] + 1

    def file_at(self, offset: int) -> str:
        """The file that an offset belongs to."""
        return self._at(offset)[0].file

    def folder_at(self, offset: int) -> str:
        """What the paths in that file are relative to; empty for the folder of the file itself."""
        return self._at(offset)[0].folder

    @property
    def files(self) -> int:
        """How many files it holds."""
        return len(self._parts)

    def files_above(self, offset: int) -> list[str]:
        """The file of an offset, and those that include it, the nearest first."""
        files = [self.file_at(offset)]
        while (offset := self._at(offset)[0].included_at) >= 0:
            files.append(self.file_at(offset))
        return files

    def includers(self, offset: int) -> list[str]:
        """From where an offset was included, as ``file:line:column``, the nearest first."""
        places = []
        while (at := self._at(offset)[0].included_at) >= 0:
            line, column = self.place(at)
            places.append(f"{self.file_at(at)}:{line}:{column}")
            offset = at
        return places

    def text_at(self, offset: int) -> str | None:
        """The text of the included file that an offset belongs to; None for the file itself."""
        part = self._at(offset)[0]
        return None if part.included_at < 0 else part.text

    def first_line_end(self, start: int, end: int) -> int:
        """The end of ``text[start:end]``, or of its first line when it has several; blanks left out."""
        line_break = _BREAK.search(self.text, start, end)
        stop = line_break.start() if line_break else end
        return start + max(1, len(self.text[start:stop].rstrip()))

    def _at(self, offset: int) -> tuple[_Part, int]:
        place = bisect_right(self._bases, offset) - 1
        return self._parts[place], self._bases[place]


class _Part:
    """One file of a source, and where it was included; -1 for the file itself."""

    __slots__ = ("file", "folder", "included_at", "starts", "text")

    def __init__(self, file: str, text: str, folder: str, included_at: int) -> None:
        self.file, self.text, self.folder, self.included_at = file, text, folder, included_at
        self.starts = [0, *(match.end() for match in _BREAK.finditer(text))]


@dataclass(slots=True)
class Problems:
    """Collects the mistakes of one file, so that all of them are reported at once."""

    source: Source
    found: list[Problem] = field(default_factory=list)

    def add(self, start: int, end: int, message: str, *hints: str) -> None:
        """Note a mistake at ``source.text[start:end]``; empty hints are dropped."""
        source = self.source
        line, column = source.place(start)
        width = source.first_line_end(start, end) - start
        kept = (*(hint for hint in hints if hint), *(f"included by {at}" for at in source.includers(start)))
        file, text = source.file_at(start), source.text_at(start)
        self.found.append(Problem(file, line, column, column + width, message, kept, text))

    def raise_any(self, kind: type[ScriptError] = ScriptError) -> None:
        """Raise what was found as one error, if anything was."""
        if self.found:
            raise kind(self.found, self.source.main_text)


def render_problem(problem: Problem, source: str) -> str:
    """The picture of a problem: place and message, the source line, a caret with the cure.

    >>> problem = Problem("a.yaml", 1, 1, 5, "unknown key 'saay'", ("did you mean 'say'?",))
    >>> print(render_problem(problem, "saay: x"))
    a.yaml:1:1: unknown key 'saay'
      1 | saay: x
        | ^^^^ did you mean 'say'?
    """
    head = f"{problem.file}:{problem.line}:{problem.column}: {problem.message}"
    line = _line(source if problem.text is None else problem.text, problem.line)
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
    if close := closest(word, options):
        return f"did you mean '{close}'?"
    more = ", ..." if len(options) > _MOST_VALUES else ""
    return f"valid here: {', '.join(options[:_MOST_VALUES])}{more}" if options else ""


def closest(word: str, options: Sequence[str]) -> str:
    """The valid name that a word is a misspelling of; empty when none is close."""
    from difflib import get_close_matches

    lowered = {option.lower(): option for option in reversed(options)}
    close = get_close_matches(word.lower()[:80], list(lowered), n=1, cutoff=0.6)
    return lowered[close[0]] if close else ""


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
