"""Where control sequences end in terminal output, and what they say; incrementally."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_CHARS = 4096
"""More of a body is not kept; nothing that a program asks a terminal is that long."""

Kind = Literal["esc", "csi", "osc", "dcs", "apc", "other"]

_STRINGS: dict[str, Kind] = {"]": "osc", "P": "dcs", "_": "apc", "^": "other", "X": "other"}
_CANCEL = "\x18\x1a"
_STRING_END = re.compile(r"[\x07\x1b\x18\x1a]")
_CSI_END = re.compile(r"[\x1b\x18\x1a@-~]")
_ESC_END = re.compile(r"[\x1b\x18\x1a0-~]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")


class Sequence(NamedTuple):
    r"""A whole control sequence.

    ``body`` is what stands between the introducer and the terminator: of ``CSI ? 25 h`` it is ``?25h``,
    since the final character says what is meant. ``end`` is the offset behind it in the text that was fed.
    ``terminator`` is how a string ended. ``is_whole`` is false when ``body`` was cut at :data:`MOST_CHARS`.
    """

    kind: Kind
    body: str
    end: int
    terminator: str = ""
    is_whole: bool = True


class SequenceReader:
    r"""Finds control sequences; how the text is cut never changes what is found.

    A cancelled sequence (CAN, SUB, or an ESC that begins another) is not reported. Only an OSC ends at
    BEL; in the other strings BEL is data, as in xterm.

    >>> reader = SequenceReader()
    >>> list(reader.feed("a\x1b[?25"))
    []
    >>> list(reader.feed("h\x1b]2;title\x07"))[0]
    Sequence(kind='csi', body='?25h', end=1, terminator='', is_whole=True)
    """

    def __init__(self) -> None:
        self._state: Literal["ground", "escape", "csi", "string", "string-escape"] = "ground"
        self._kind: Kind = "esc"
        self._body: list[str] = []
        self._room = MOST_CHARS

    @property
    def unended(self) -> Sequence | None:
        """The string (OSC, DCS, APC) that has begun and not ended: all output since is a part of it."""
        if not self._state.startswith("string"):
            return None
        return Sequence(self._kind, "".join(self._body), 0, is_whole=self._room >= 0)

    def feed(self, text: str) -> Iterator[Sequence]:
        """Read on. Every sequence that ends in ``text`` is given once; the iterator must be exhausted."""
        at = 0
        while at < len(text):
            at, done = getattr(self, f"_in_{self._state.replace('-', '_')}")(text, at)
            if done:
                yield done

    def _in_ground(self, text: str, at: int) -> tuple[int, None]:
        start = text.find("\x1b", at)
        if start < 0:
            return len(text), None
        self._open("escape", "esc")
        return start + 1, None

    def _in_escape(self, text: str, at: int) -> tuple[int, Sequence | None]:
        first = text[at]
        if not self._body and first == "[":
            self._open("csi", "csi")
            return at + 1, None
        if not self._body and first in _STRINGS:
            self._open("string", _STRINGS[first])
            return at + 1, None
        return self._until(_ESC_END, text, at)

    def _in_csi(self, text: str, at: int) -> tuple[int, Sequence | None]:
        return self._until(_CSI_END, text, at)

    def _until(self, ends: re.Pattern[str], text: str, at: int) -> tuple[int, Sequence | None]:
        """Read up to the final character of an escape or CSI; other controls are executed meanwhile."""
        found = ends.search(text, at)
        self._keep(_CONTROLS.sub("", text[at : found.end() if found else len(text)]))
        if not found:
            return len(text), None
        if self._restarts(found.group()):
            return found.end(), None
        return found.end(), self._done(found.end(), "")

    def _in_string(self, text: str, at: int) -> tuple[int, Sequence | None]:
        found = _STRING_END.search(text, at)
        self._keep(text[at : found.start() if found else len(text)])
        if not found:
            return len(text), None
        end = found.group()
        if end == "\x1b":
            self._state = "string-escape"
        elif end in _CANCEL:
            self._state = "ground"
        elif self._kind == "osc":
            return found.end(), self._done(found.end(), end)
        else:
            self._keep(end)
        return found.end(), None

    def _in_string_escape(self, text: str, at: int) -> tuple[int, Sequence | None]:
        if text[at] == "\\":
            return at + 1, self._done(at + 1, "\x1b\\")
        self._open("escape", "esc")
        return at, None

    def _restarts(self, end: str) -> bool:
        if end == "\x1b":
            self._open("escape", "esc")
        elif end in _CANCEL:
            self._state = "ground"
        else:
            return False
        return True

    def _open(self, state: Literal["escape", "csi", "string"], kind: Kind) -> None:
        self._state, self._kind, self._room = state, kind, MOST_CHARS
        self._body.clear()

    def _keep(self, text: str) -> None:
        if text and self._room > 0:
            self._body.append(text[: self._room])
        self._room -= len(text)

    def _done(self, end: int, terminator: str) -> Sequence:
        self._state = "ground"
        return Sequence(self._kind, "".join(self._body), end, terminator, self._room >= 0)
