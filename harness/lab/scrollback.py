"""Terminal output as the text that could be read in the end: control codes obeyed or taken out.

This is a page that only grows, and no screen: what was printed stays where it is, a carriage return or a
cursor that goes up overwrites it, and nothing scrolls away. That is how a scrollback looks, also that of a
program which redraws its last lines. One that paints a whole screen by absolute positions is not.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_C1 = {
    0x84: "\x1bD",
    0x85: "\x1bE",
    0x8D: "\x1bM",
    0x90: "\x1bP",
    0x98: "\x1bX",
    0x9B: "\x1b[",
    0x9C: "\x1b\\",
}
_C1 |= {0x9D: "\x1b]", 0x9E: "\x1b^", 0x9F: "\x1b_"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HAS_C1 = re.compile(r"[\x84\x85\x8d\x90\x98\x9b-\x9f]")
_CSI = re.compile(r"\x1b\[([0-?]*)[ -/]*([@-~])")
_TORN_CSI = re.compile(r"\x1b\[[0-?]*[ -/]*")
_ESCAPE = re.compile(r"\x1b[ -/]*([0-~])")
_STRING_END = {"]": re.compile(r"\x07|\x1b\\|[\x18\x1a]|(?=\x1b)")}
_STRING_END |= dict.fromkeys("PX^_", re.compile(r"\x1b\\|[\x18\x1a]"))
_TAB = 8
_FAR = 1_000  # cells: no screen is wider, and no cursor is sent further
_MANY_MOVES = 20


class Scrollback(NamedTuple):
    """The lines that stood there in the end, without blanks at their ends, and the full-screen moves made."""

    lines: tuple[str, ...]
    moves: int

    @property
    def is_painted(self) -> bool:
        """Whether the output looks like that of a program that paints the whole screen."""
        return self.moves > _MANY_MOVES


def read_terminal(text: str) -> Scrollback:
    r"""Read terminal output.

    >>> read_terminal("\x1b[1mhello\x1b[0m\r\nloading 10 %\rloading 99 %\x1b[K").lines
    ('hello', 'loading 99 %')
    """
    page = _Page()
    page.read(text)
    return Scrollback(tuple(line.rstrip() for line in page.whole()), page.moves)


class _Page:
    """Lines with a cursor. The line it is on is kept in pieces as long as it only grows.

    Of a very long line the cursor reaches the end only, as on a screen, where it takes several rows.
    """

    def __init__(self) -> None:
        self.lines = [""]
        self.moves = 0
        self._row = 0
        self._column = 0
        self._top = 0  # the cursor does not go above
        self._grown: list[str] = []
        self._beyond: dict[int, list[str]] = {}  # of very long lines, what comes before their ends
        self._endless: set[str] = set()  # kinds of strings that do not end any more

    def read(self, text: str) -> None:
        if _HAS_C1.search(text):
            text = text.translate(_C1)
        at = 0
        while control := _CONTROL.search(text, at):
            self._put(text[at : control.start()])
            at = self._obey(text, control.start())
        self._put(text[at:])
        self._settle()

    def whole(self) -> list[str]:
        """The lines with all that they hold."""
        return ["".join([*self._beyond.get(row, ()), line]) for row, line in enumerate(self.lines)]

    def _put(self, run: str) -> None:
        if not run:
            return
        at = self._column
        self._column += len(run)
        if self._grown or at == len(self.lines[self._row]):
            self._grown.append(run)
        else:
            line = self.lines[self._row].ljust(at)
            self._keep(line[:at] + run + line[self._column :])

    def _settle(self) -> None:
        if self._grown:
            line = self.lines[self._row] + "".join(self._grown)
            self._grown = []
            self._keep(line)

    def _keep(self, line: str) -> None:
        if len(line) > 2 * _FAR:
            self._beyond.setdefault(self._row, []).append(line[:-_FAR])
            self._column = max(0, self._column - (len(line) - _FAR))
            line = line[-_FAR:]
        self.lines[self._row] = line

    def _obey(self, text: str, at: int) -> int:
        """Do what a control character or sequence says; the offset behind it."""
        char = text[at]
        if char == "\x1b":
            return self._escape(text, at)
        self._settle()
        if char in "\n\v\f":
            self._down()
            self._column = 0
        elif char == "\r":
            self._column = 0
        elif char == "\b":
            self._column = max(0, self._column - 1)
        elif char == "\t":
            self._tab()
        return at + 1

    def _tab(self) -> None:
        end = (self._column // _TAB + 1) * _TAB
        if self._column == len(self.lines[self._row]):
            self._put(" " * (end - self._column))
        self._column = end

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self.lines):
            self.lines.append("")

    def _escape(self, text: str, at: int) -> int:
        kind = text[at + 1 : at + 2]
        if kind == "[":
            csi = _CSI.match(text, at)
            if csi:
                self._control(csi[2], csi[1])
                return csi.end()
            torn = _TORN_CSI.match(text, at)
            return torn.end() if torn else at + 2
        if kind in _STRING_END:
            return self._string(kind, text, at + 2)
        escape = _ESCAPE.match(text, at)
        if not escape:
            return at + 1
        self._single(escape[1])
        return escape.end()

    def _string(self, kind: str, text: str, at: int) -> int:
        """Pass over a string; one that never ends is only its introducer, so that no text is lost."""
        end = None if kind in self._endless else _STRING_END[kind].search(text, at)
        if end:
            return end.end()
        self._endless.add(kind)
        return at

    def _single(self, final: str) -> None:
        self._settle()
        if final in "DE":
            self._down()
            self._column = 0
        elif final == "M":
            self._row = max(self._top, self._row - 1)
        elif final == "c":
            self._new_page()

    def _control(self, final: str, arguments: str) -> None:
        if final == "m":  # colours, by far the most frequent
            return
        self._settle()
        if arguments.startswith("?"):
            if final in "hl" and arguments in {"?1049", "?1047", "?47"}:
                self._new_page()
            return
        first = arguments.partition(";")[0]
        number = min(int(first), _FAR) if first.isdecimal() and len(first) < _TAB else 0
        if final in "JK":
            self._erase(final, number)
        elif final in "Hf":
            self.moves += 1
            self._new_page()
        else:
            self._move(final, number or 1)

    def _move(self, final: str, number: int) -> None:
        if final in "AF":
            self._row = max(self._top, self._row - number)
        elif final in "BE":
            self._row = min(len(self.lines) - 1, self._row + number)
        elif final == "C":
            self._column = min(_FAR, self._column + number)
        elif final == "D":
            self._column = max(0, self._column - number)
        elif final == "G":
            self._column = number - 1
        if final in "EF":
            self._column = 0

    def _erase(self, final: str, which: int) -> None:
        if final == "J" and which >= 2:
            self._new_page()
            return
        if final == "J" and which == 0:
            del self.lines[self._row + 1 :]
            self._beyond = {row: parts for row, parts in self._beyond.items() if row <= self._row}
        line = self.lines[self._row]
        if which == 0:
            self.lines[self._row] = line[: self._column]
        elif which == 1:
            self.lines[self._row] = " " * min(self._column + 1, len(line)) + line[self._column + 1 :]
        else:
            self.lines[self._row] = ""

    def _new_page(self) -> None:
        """Go on below everything: what stood on the screen stays."""
        if self.lines[-1]:
            self.lines.append("")
        self._row = self._top = len(self.lines) - 1
        self._column = 0
