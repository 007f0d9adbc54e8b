"""An event stream taken apart, however it was cut."""

from __future__ import annotations

import codecs

MOST_CHARS = 16 * 1024 * 1024
"""What is kept of one event until it ends; a longer one is left out."""


class EventData:
    r"""The data of each event of a stream. How the bytes were cut never changes the result.

    >>> stream = EventData()
    >>> stream.feed(b"event: x\ndata: {\"a\"") + stream.feed(b":1}\r\n\r\ndata: [DONE]\n\n")
    ['{"a":1}', '[DONE]']
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._line: list[str] = []
        self._data: list[str] = []
        self._line_chars = self._data_chars = 0
        self._after_return = False

    def feed(self, data: bytes) -> list[str]:
        """The data of the events that end with these bytes."""
        text = self._decoder.decode(data)
        if not text:
            return []
        if self._after_return and text[0] == "\n":  # the second half of a line break
            text = text[1:]
            self._after_return = False
        if not text:
            return []
        self._after_return = text[-1] == "\r"
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self._lengthen(lines[0])
        done: list[str] = []
        for following in lines[1:]:
            done += self._take("".join(self._line), self._line_chars)
            self._line, self._line_chars = [], 0
            self._lengthen(following)
        return done

    def _lengthen(self, text: str) -> None:
        """More of the line that is under way; its length is known also when it is too long to be kept."""
        if self._line_chars < MOST_CHARS:
            self._line.append(text[: MOST_CHARS - self._line_chars])
        self._line_chars += len(text)

    def _take(self, line: str, chars: int) -> list[str]:
        if not chars:
            event, self._data, self._data_chars = self._data, [], 0
            return ["\n".join(event)] if event else []
        name, _, value = line.partition(":")
        if name == "data":
            self._data_chars += chars
            if self._data_chars <= MOST_CHARS:
                self._data.append(value.removeprefix(" "))
            else:
                self._data.clear()
        return []
