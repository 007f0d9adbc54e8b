"""Terminal output as plain text: escape sequences taken out, incrementally."""

from __future__ import annotations

import re

_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\x1b[\]PX^_].*?(?:\x1b\\|\x07)"  # OSC, DCS, SOS, PM, APC with their bodies
    r"|\x1b[ -/]*[0-Z\\`-~]"  # two-character and charset sequences
    r"|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f]",
    re.DOTALL,
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07]*|[ -/]*)?\Z|\r\Z")


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
        pending = self._rest + text
        open_at = _UNFINISHED.search(pending, max(0, pending.rfind("\x1b"))) if pending else None
        cut = open_at.start() if open_at else len(pending)
        self._done.append(_clean(pending[:cut]))
        self._rest = pending[cut:]

    @property
    def text(self) -> str:
        """All the text so far."""
        if len(self._done) > 1:
            self._done = ["".join(self._done)]
        return (self._done[0] if self._done else "") + _clean(self._rest)


def _clean(text: str) -> str:
    return _SEQUENCE.sub("", text).replace("\r\n", "\n")
