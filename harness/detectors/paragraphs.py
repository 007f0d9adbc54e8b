"""Cut a stream into paragraphs as it arrives, whatever the deltas were."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.detectors.bounded_text import BoundedText

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_UNITS = 64
MIN_WORD_CHARS = 24

# A word character is an ASCII alphanumeric or anything above 0x7F but box drawing and blocks.
_WORD = "0-9A-Za-z\x80-\u24ff\u25a0-\U0010ffff"
_ENOUGH_WORDS = re.compile(f"(?:[^{_WORD}]*+[{_WORD}]){{{MIN_WORD_CHARS}}}")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)


def is_eligible(lines: Sequence[str]) -> bool:
    """Whether lines are long enough to be judged as a paragraph.

    At least 64 UTF-16 units, each line counting one more for its newline, and at least 24 word
    characters. Source: senpi pull request 1326.

    >>> is_eligible(["Too short."]), is_eligible(["-" * 80]), is_eligible(["a word " * 12])
    (False, False, True)
    """
    units = len(lines)
    for line in lines:
        units += len(line)
    if units < MIN_UNITS:  # only then can the second half of surrogate pairs decide
        units += sum(char > "\uffff" for line in lines for char in line)
    return units >= MIN_UNITS and _ENOUGH_WORDS.match("\n".join(lines)) is not None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph that has ended at a blank line. Offsets are code points in the stream.

    Attributes:
        start: Where its first line begins.
        end: The place just after the newline of the blank line that ended it.
        lines: Its lines without their newlines, up to the splitter's cap.
        text: Identity: two paragraphs are equal exactly when their texts are.
        is_fenced: Whether a line of it lies in fenced code or opens or closes a fence.
        is_eligible: See :func:`is_eligible`.
    """

    start: int
    end: int
    lines: tuple[str, ...]
    text: str
    is_fenced: bool
    is_eligible: bool


class ParagraphSplitter:
    r"""Split one stream into paragraphs.

    Lines end at LF; a CR before it belongs to the line's end. A paragraph ends at a line that is
    empty or only whitespace, once that line has its own newline. A paragraph with no blank line after
    it has not ended and is not returned. How the text was cut never changes the result.

    Args:
        cap: Characters kept of an open line and of an open paragraph; beyond them only a digest is.

    >>> splitter = ParagraphSplitter()
    >>> list(splitter.feed("One\ntwo."))
    []
    >>> [(p.start, p.end, p.text) for p in splitter.feed("\n\nThree.\n \nFour")]
    [(0, 10, 'One\ntwo.'), (10, 19, 'Three.')]
    """

    def __init__(self, cap: int = 16_384) -> None:
        self._cap = cap
        self._long_line = BoundedText(cap)
        self._rest = BoundedText(0)
        self.reset()

    def reset(self) -> None:
        """Start a new stream."""
        self._pieces: list[str] = []
        self._held = 0
        self._long_line.clear()
        self._rest.clear()
        self._read = 0
        self._fence = ""
        self._open()

    def _open(self) -> None:
        self._start = -1
        self._lines: list[str] = []
        self._kept = 0
        self._fenced = bool(self._fence)
        if self._rest.length:
            self._rest.clear()

    def feed(self, delta: str) -> Sequence[Paragraph]:
        """Read more text and return the paragraphs that ended in it, in order."""
        self._pieces.append(delta)
        if "\n" not in delta:
            self._held += len(delta)
            if self._held > self._cap:
                self._spill("".join(self._pieces))
            return ()
        text = "".join(self._pieces)
        found: list[Paragraph] = []
        if self._long_line.length:
            first, _, text = text.partition("\n")
            self._spill(first)
            self._end_line(self._long_line.value(), self._long_line.length, found)
            self._long_line.clear()
        *lines, unended = text.split("\n")
        for line in lines:
            self._end_line(line if len(line) <= self._cap else self._shortened(line), len(line), found)
        self._pieces = [unended]
        self._held = len(unended)
        if self._held > self._cap:
            self._spill(unended)
        return found

    def _spill(self, text: str) -> None:
        self._long_line.add(text)
        self._pieces = []
        self._held = 0

    def _shortened(self, line: str) -> str:
        bounded = BoundedText(self._cap)
        bounded.add(line)
        return bounded.value()

    def _end_line(self, line: str, length: int, found: list[Paragraph]) -> None:
        start = self._read
        self._read = start + length + 1
        if not line or line.isspace():
            if self._start >= 0:
                found.append(self._close())
            return
        if self._start < 0:
            self._start = start
        line = line.removesuffix("\r")
        if "```" in line or "~~~" in line:
            self._toggle_fence(line)
        if not self._lines or (self._kept + len(line) < self._cap and not self._rest.length):
            self._lines.append(line)
            self._kept += len(line) + 1
        else:
            self._rest.add(f"{line}\n")

    def _toggle_fence(self, line: str) -> None:
        """Open a fence, or close it with the same character, as long at least, and nothing after it."""
        match = _FENCE.match(line)
        if not match:
            return
        mark, after = match.groups()
        if not self._fence:
            self._fence = mark
            self._fenced = True
        elif mark.startswith(self._fence) and not after.strip():
            self._fence = ""

    def _close(self) -> Paragraph:
        text = "\n".join(self._lines)
        if self._rest.length:
            text = f"{text}\n{self._rest.value()}"
        paragraph = Paragraph(
            start=self._start,
            end=self._read,
            lines=tuple(self._lines),
            text=text,
            is_fenced=self._fenced,
            is_eligible=is_eligible(self._lines),
        )
        self._open()
        return paragraph
