"""Cut a stream into paragraphs as it arrives, whatever the deltas were."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from harness.detectors.bounded_text import BoundedText

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MIN_UNITS = 64
MIN_WORD_CHARS = 24
CAP = 16_384

# A word character is an ASCII alphanumeric or anything above 0x7F but box drawing and blocks.
_WORD = "0-9A-Za-z\x80-\u24ff\u25a0-\U0010ffff"
_NO_WORD = bytes(code for code in range(128) if not chr(code).isalnum())
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)", re.DOTALL)
# Between two paragraphs: the newline of the last line, the blank line that ends it, and further ones.
_BREAK = re.compile(r"\n(\n|[^\S\n]+\n)(?:[^\S\n]*\n)*")
_BLANKS = re.compile(r"(?:[^\S\n]*\n)+")


@lru_cache(maxsize=8)
def _enough_words(count: int) -> re.Pattern[str]:
    return re.compile(f"(?:[^{_WORD}]*+[{_WORD}]){{{count}}}")


def shortest(min_units: int) -> int:
    """Characters that an eligible paragraph has at least: all of them beyond U+FFFF, and a newline."""
    return min_units // 2


def is_eligible(text: str, min_units: int = MIN_UNITS, min_word_chars: int = MIN_WORD_CHARS) -> bool:
    r"""Whether lines are long enough to be judged as a paragraph.

    Args:
        text: The lines, joined by newlines.
        min_units: UTF-16 units that they need, each line counting one more for its newline.
        min_word_chars: ASCII alphanumerics, or anything above 0x7F outside of U+2500..U+259F, that they need.

    Source: senpi pull request 1326 (64, 24).

    >>> is_eligible("Too short."), is_eligible("-" * 80), is_eligible("a word " * 12)
    (False, False, True)
    """
    units = len(text) + 1
    if units < min_units:  # only then can the second half of surrogate pairs decide
        if text.isascii():
            return False
        units += sum(char > "\uffff" for char in text)
        if units < min_units:
            return False
    head = text[: 4 * min_word_chars]
    if head.isascii() and len(head.encode().translate(None, _NO_WORD)) >= min_word_chars:
        return True
    return _enough_words(min_word_chars).match(text) is not None


class Paragraph(NamedTuple):
    """A paragraph that has ended at a blank line. Offsets are code points in the stream.

    Attributes:
        start: Where its first line begins.
        end: The place just after the newline of the blank line that ended it.
        text: Its lines joined by LF, whatever they ended with; beyond the splitter's cap only a digest. Two
            paragraphs are equal exactly when their texts are.
        is_fenced: Whether a line of it lies in fenced code or opens or closes a fence.
    """

    start: int
    end: int
    text: str
    is_fenced: bool


_new = tuple.__new__  # making a named tuple without checks takes a third of the time


def _needs_care(body: str) -> bool:
    """Whether a paragraph has fences to be heeded, or a CR."""
    # One character is found or missed much faster than three.
    return "\r" in body or ("`" in body and "```" in body) or ("~" in body and "~~~" in body)


def eligible(paragraphs: Iterable[Paragraph], min_units: int, min_word_chars: int) -> list[Paragraph]:
    """The paragraphs that are long enough to be judged (see :func:`is_eligible`)."""
    size = 4 * min_word_chars
    return [
        one
        for one in paragraphs
        if (
            len(one.text) >= min_units  # as nearly all that are eligible show at a first look
            and (head := one.text[:size]).isascii()
            and len(head.encode().translate(None, _NO_WORD)) >= min_word_chars
        )
        or is_eligible(one.text, min_units, min_word_chars)
    ]


class ParagraphSplitter:
    r"""Split one stream into paragraphs.

    Lines end at LF; a CR before it belongs to the line's end. A paragraph ends at a line that is
    empty or only whitespace, once that line has its own newline. A paragraph with no blank line after
    it has not ended and is not returned. How the text was cut never changes the result.

    Args:
        cap: Characters kept of an open paragraph; beyond them only a digest is.
        shortest: Paragraphs with fewer characters are not returned.

    >>> splitter = ParagraphSplitter()
    >>> list(splitter.feed("One\ntwo."))
    []
    >>> [(p.start, p.end, p.text) for p in splitter.feed("\n\nThree.\n \nFour")]
    [(0, 10, 'One\ntwo.'), (10, 19, 'Three.')]
    """

    def __init__(self, cap: int = CAP, shortest: int = 0) -> None:
        self._cap = cap
        self._shortest = shortest
        self.reset()

    def reset(self) -> None:
        """Start a new stream."""
        self._pieces: list[str] = []  # of the open line
        self._held = 0
        self._long: BoundedText | None = None  # what came before them of a very long line
        self._read = 0  # up to the start of the open line
        self._fence = ""
        self._open(0)

    def _open(self, start: int) -> None:
        self._start = start
        self._body: BoundedText | None = None
        self._fenced = bool(self._fence)

    def feed(self, delta: str) -> Sequence[Paragraph]:
        """Read more text and return the paragraphs that ended in it, in order."""
        self._pieces.append(delta)
        self._held += len(delta)
        end = delta.rfind("\n") + 1
        if not end:
            if self._held > self._cap:
                self._spill("".join(self._pieces))
            return ()
        text = "".join(self._pieces)
        end += len(text) - len(delta)
        found: list[Paragraph] = []
        start = self._end_long_line(text, found) if self._long else 0
        if start < end:
            self._end_lines(text, start, end, found)
        self._pieces = [text[end:]]
        self._held = len(text) - end
        if self._held > self._cap:
            self._spill(text[end:])
        return found

    def _spill(self, text: str) -> None:
        self._long = self._long or BoundedText(self._cap)
        body = text.removesuffix("\r")  # which belongs to the line's end if that comes next
        self._long.add(body)
        self._pieces = [text[len(body) :]]
        self._held = len(text) - len(body)

    def _end_long_line(self, text: str, found: list[Paragraph]) -> int:
        """End a line that began in text long gone; return where the next one starts."""
        end = text.index("\n")
        assert self._long is not None
        last = text[:end].removesuffix("\r")
        self._long.add(last)
        line, length = self._long.value(), self._long.length + end - len(last)
        self._long = None
        if line.isspace():
            if self._body is not None:
                self._close("", self._read + length + 1, found)
        else:
            if self._body is None:
                self._open(self._read)
            self._toggle_fences(line)
            self._add(line)
        self._read += length + 1
        return end + 1

    def _end_lines(self, text: str, at: int, end: int, found: list[Paragraph]) -> None:
        """Take the complete lines ``text[at:end]``."""
        base = self._read - at
        self._read += end - at
        blanks = _BLANKS.match(text, at, end)
        if blanks:
            if self._body is not None:
                self._close("", base + text.index("\n", at) + 1, found)
            at = blanks.end()
        has_care, append, shortest, longest = _needs_care(text), found.append, self._shortest, self._cap
        for gap in _BREAK.finditer(text, at, end):
            stop, after = gap.span()
            body = text[at:stop]
            if (
                self._body is not None
                or stop - at > longest
                or self._fence
                or (has_care and _needs_care(body))
            ):
                if self._body is None:
                    self._open(base + at)
                self._close(body, base + gap.end(1), found)
            elif stop - at >= shortest:
                append(_new(Paragraph, (base + at, base + gap.end(1), body, False)))
            at = after
        if at < end:
            if self._body is None:
                self._open(base + at)
            self._hold(text[at : end - 1])

    def _hold(self, lines: str) -> None:
        self._add(self._normalised(lines))

    def _add(self, lines: str) -> None:
        if self._body is None:
            self._body = BoundedText(self._cap)
        elif lines:
            lines = f"\n{lines}"
        self._body.add(lines)

    def _close(self, lines: str, end: int, found: list[Paragraph]) -> None:
        if self._body is not None or len(lines) > self._cap:
            self._hold(lines)
            assert self._body is not None
            text = self._body.value()
        else:
            text = self._normalised(lines)
        if len(text) >= self._shortest:
            found.append(Paragraph(self._start, end, text, self._fenced))
        self._body = None

    def _normalised(self, lines: str) -> str:
        """Lines as they are compared: without CR, and each within the cap. Fences in them are heeded."""
        if len(lines) > self._cap and max(map(len, parts := lines.split("\n"))) > self._cap:
            lines = "\n".join(map(self._shortened, parts))
        elif "\r" in lines:
            lines = lines.replace("\r\n", "\n").removesuffix("\r")
        self._toggle_fences(lines)
        return lines

    def _shortened(self, line: str) -> str:
        bounded = BoundedText(self._cap)
        bounded.add(line.removesuffix("\r"))
        return bounded.value()

    def _toggle_fences(self, lines: str) -> None:
        if "```" in lines or "~~~" in lines:
            for line in lines.split("\n"):
                if "```" in line or "~~~" in line:
                    self._toggle_fence(line)

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
