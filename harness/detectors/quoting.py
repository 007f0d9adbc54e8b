"""Whether the text at some place only talks about something: code, quotations, explanations of tokens."""

from __future__ import annotations

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")
_BACKTICKS = re.compile(r"`+")
_INDENT = re.compile(r"[ \t]*")
_BLOCK_QUOTE = re.compile(r" {0,3}>")
_QUOTATION_MARKS = ('"', "'", "\u201c", "\u2018", "\u00ab", "\u201e", "\u300c", "\u300e")
_ABOUT_TOKENS = re.compile(
    r"\b(?:token|tokenizer|delimiter|special|literal|example|documentation|sequence|sentinel|vocabulary)s?\b",
    re.IGNORECASE,
)
_HEAD = 256  # characters of a line that tell an indent, a block quote or a fence
_TAB = 4


class Quoting:
    """Follow a text and say whether what stands at its end is quoted.

    Args:
        reach: How many characters back a word about tokens makes what follows a quotation.

    >>> quoting = Quoting()
    >>> quoting.read("The special token is ")
    >>> quoting.is_quoted
    True
    """

    def __init__(self, reach: int = 128) -> None:
        self._reach = reach
        self.reset()

    def reset(self) -> None:
        """Start a new text."""
        self._fence = ""
        self._near = ""  # the last characters
        self._start_line()

    def _start_line(self) -> None:
        self._line = ""  # the first characters of the open line
        self._more = False  # it has visible characters beyond those
        self._opened = 0  # backticks that opened inline code in it
        self._backticks = 0  # backticks at its end, not yet known to be all of them

    def read(self, text: str) -> None:
        """Go on with the text."""
        self._near = (self._near + text)[-self._reach :] if self._reach else ""
        first, newline, rest = text.partition("\n")
        self._extend_line(first)
        if not newline:
            return
        self._end_line()
        end = rest.rfind("\n") + 1
        if "```" in rest or "~~~" in rest:
            for line in rest[: max(0, end - 1)].split("\n"):
                self._extend_line(line)
                self._end_line()
        self._extend_line(rest[end:])

    def _extend_line(self, text: str) -> None:
        room = _HEAD - len(self._line)
        self._line += text[:room]
        self._more = self._more or bool(text[room:].strip())
        if not self._backticks and "`" not in text:
            return
        text = "`" * self._backticks + text
        self._backticks = 0
        for run in _BACKTICKS.finditer(text):
            if run.end() == len(text):
                self._backticks = len(run.group())
            else:
                self._opened = _toggled(self._opened, len(run.group()))

    def _end_line(self) -> None:
        match = _FENCE.match(self._line)
        if match:
            mark, after = match.groups()
            if not self._fence:
                self._fence = mark
            elif mark.startswith(self._fence) and not after.strip() and not self._more:
                self._fence = ""
        self._start_line()

    @property
    def is_quoted(self) -> bool:
        """Whether what comes next is inside of code or a quotation, or near a word about tokens."""
        indent = _INDENT.match(self._line)
        assert indent is not None
        return (
            bool(self._fence)
            or len(indent.group().expandtabs(_TAB)) >= _TAB
            or _BLOCK_QUOTE.match(self._line) is not None
            or self._near.endswith(_QUOTATION_MARKS)
            or self._is_in_inline_code()
            or _ABOUT_TOKENS.search(self._near) is not None
        )

    def _is_in_inline_code(self) -> bool:
        """Whether a run of backticks is open. At the start of a line it may still become a fence."""
        if not self._opened and not self._line.strip(" \t`"):
            return False
        return (_toggled(self._opened, self._backticks) if self._backticks else self._opened) > 0


def _toggled(opened: int, backticks: int) -> int:
    """The backticks that hold inline code open after one more run of them."""
    return 0 if backticks == opened else opened or backticks
