"""What can be read on a screen, whatever is drawn around it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from harness.steps.echo import is_shown
from harness.steps.wording import folded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.terminal.screen import Screen

_FRAME = "\u2500-\u259f"  # lines, corners and blocks
_BORDER = re.compile(rf"^[ {_FRAME}]+|[ {_FRAME}]+$", re.MULTILINE)
_UNREADABLE = re.compile(rf"[\s{_FRAME}]")
_ECHO_CHARS = 16


def bare(text: str) -> str:
    r"""Lines without the frames and bars around them.

    >>> bare("\u2502 one \u2502\n\u2502 two \u2502")
    'one\ntwo'
    """
    return _BORDER.sub("", text)


def squeezed(text: str) -> str:
    """Only what is read: no white space, no lines. How a program wraps text no longer matters."""
    return _UNREADABLE.sub("", text)


class Sight:
    """What stands on the visible screen at one moment."""

    def __init__(self, screen: Screen) -> None:
        self._text = bare(screen.text)

    def holds(self, phrase: str) -> bool:
        """Whether a phrase stands there, whoever wrote it."""
        return folded(phrase) in folded(self._text)

    def shows(self, phrase: str, typed: Iterable[str]) -> bool:
        """Whether it stands there, and not only where it repeats what was typed."""
        return is_shown(self._text, phrase, typed)


class ReadSoFar(NamedTuple):
    """All text of a screen at one moment: what can be read, and the visible rows."""

    text: str
    rows: tuple[str, ...]


def read_so_far(screen: Screen) -> ReadSoFar:
    """What can be read now, with what has scrolled off."""
    return ReadSoFar(squeezed(screen.whole_text), screen.rows)


def echo_missing(text: str, before: ReadSoFar, screen: Screen) -> str:
    """What is missing before typed text counts as echoed, as a clause; empty if nothing.

    One line is echoed when its end can be read once more than before. Of several lines a program may
    show only that something was pasted, so there any change of the screen will do.
    """
    tail = squeezed(text)[-_ECHO_CHARS:]
    now = read_so_far(screen)
    if tail and now.text.count(tail) > before.text.count(tail):
        return ""
    if ("\n" in text or not tail) and now.rows != before.rows:
        return ""
    return f"the screen does not show '{tail}' once more"
