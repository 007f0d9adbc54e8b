"""Captured text as the messages of a conversation, whatever it was captured from."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from harness.detectors.finding import StreamKind


class Part(NamedTuple):
    """One content block, or a whole text.

    ``lines`` are (offset, line of the file) in ascending order where a line of the text is not simply the
    next line of the file, as in terminal output.
    """

    stream: StreamKind
    text: str
    lines: tuple[tuple[int, int], ...] = ()

    def place(self, offset: int) -> tuple[int, int]:
        r"""Line and column of an offset, from 1.

        >>> Part("text", "one\ntwo").place(5)
        (2, 2)
        >>> Part("text", "one two", lines=((0, 7), (4, 8))).place(5)
        (8, 2)
        """
        if self.lines:
            start, line = self.lines[max(0, bisect_right(self.lines, (offset, 1 << 60)) - 1)]
            return line, offset - start + 1
        return self.text.count("\n", 0, offset) + 1, offset - self.text.rfind("\n", 0, offset)


class Message(NamedTuple):
    """One reply of the model. ``number`` counts the replies of the capture from 1."""

    number: int
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """All text blocks, joined: what is compared with other replies."""
        return "".join(part.text for part in self.parts if part.stream == "text")


class Capture(NamedTuple):
    """What was captured.

    Attributes:
        name: The file, or ``stdin``.
        reader: What read it: ``text``, ``terminal``, ``asciicast`` or the name of a session reader.
        messages: The replies in order; other text is one message with one part.
        notes: What a user should know about how it was read.
    """

    name: str
    reader: str
    messages: tuple[Message, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_session(self) -> bool:
        """Whether the messages are those of a conversation, and no plain text."""
        return self.reader not in PLAIN_READERS


PLAIN_READERS = ("text", "terminal", "asciicast")
