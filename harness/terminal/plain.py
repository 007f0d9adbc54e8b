"""Terminal output as plain text: escape sequences taken out, incrementally."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"\x1b\[[0-?]*+[ -/]*+(?:[@-~]|(?=[^@-~]))"  # CSI, also one that something else ends
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|(?=\x1b[^\\]))"  # OSC, DCS, SOS, PM, APC with their bodies
    r"|\x1b[ -/]++(?:[0-~]|(?=[^0-~]))|\x1b[0-OQ-WYZ\\`-~]"  # charset and two-character sequences
    r"|(?P<open>(?:\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?|\r)\Z)"
    r"|(?P<line>\r\n)"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)


class PlainText:
    r"""Collects output as text with lines ended by ``\n``; the cut of the input never matters.

    >>> plain = PlainText()
    >>> plain.feed("\x1b[1mhel"); plain.feed("lo\x1b["); plain.feed("0m\r\nworld")
    >>> plain.text
    'hello\nworld'
    """

    def __init__(self) -> None:
        self._done: list[str] = []
        self._rest = ""

    def feed(self, text: str) -> None:
        """Read more output."""
        text, self._rest = self._rest + text, ""
        at = 0
        for token in _TOKEN.finditer(text):
            self._done.append(text[at : token.start()])
            at = token.end()
            if token.lastgroup == "open":
                # Its begin and its last character tell how far it has come. The body, which may be that of a
                # picture, would be searched again with every piece.
                self._rest = token.group()[:2] + token.group()[2:][-1:]
            elif token.lastgroup == "line":
                self._done.append("\n")
        self._done.append(text[at:])

    @property
    def text(self) -> str:
        """All the text so far; a sequence that has not ended is left out."""
        self._done = ["".join(self._done)]
        return self._done[0] + ("\r" if self._rest == "\r" else "")
