"""What can be read on a screen, whatever is drawn around it."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from harness.steps.echo import is_shown
from harness.steps.wording import folded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.terminal.screen import Screen

_FRAME = "\u2500-\u259f"  # lines, corners and blocks
_BORDER = re.compile(rf"^[ {_FRAME}]+|[ {_FRAME}]+$", re.MULTILINE)
_UNREADABLE = re.compile(rf"[\s{_FRAME}]")
_BARS = "\u2502\u2503\u2506\u2507\u250a\u250b\u254e\u254f\u2551\u258c\u258f\u2590\u2595"  # vertical lines
_BAR = re.compile(f"[{_BARS}]")
_BARRED = re.compile(rf"(?:^[^\n]*[{_BARS}][^\n]*\n?)+", re.MULTILINE)
_ECHO_CHARS = 16


def bare(text: str) -> str:
    r"""Lines without the frames and bars around them.

    >>> bare("\u2502 one \u2502\n\u2502 two \u2502")
    'one\ntwo'
    """
    return _BORDER.sub("", text)


def by_panel(text: str) -> str:
    r"""Lines with what stands beside each other, between bars, one behind the other.

    So a text that a panel wraps is read as one, whatever the panel beside it shows.

    >>> by_panel("ask\n\u2502I want\u2502none\u2502\n\u2502to go.\u2502    \u2502")
    'ask\nI want\nto go.\nnone\n'
    """
    return _BARRED.sub(_panels, text)


def has_bar(phrase: str) -> bool:
    """Whether a phrase would be cut where panels are."""
    return bool(_BAR.search(phrase))


def _panels(rows: re.Match[str]) -> str:
    alike = groupby((_BAR.split(row) for row in rows.group().splitlines()), key=len)
    cells = (cell for _, cut in alike for panel in zip(*cut, strict=True) for cell in panel)
    return "".join(f"{cell}\n" for cell in cells if cell.strip())


def squeezed(text: str) -> str:
    """Only what is read: no white space, no lines. How a program wraps text no longer matters."""
    return _UNREADABLE.sub("", text)


class Sight:
    """What stands on the visible screen at one moment."""

    def __init__(self, screen: Screen) -> None:
        self._text, self._panels = bare(screen.text), bare(by_panel(screen.text))

    def holds(self, phrase: str) -> bool:
        """Whether a phrase stands there, whoever wrote it."""
        return any(folded(phrase) in folded(text) for text in (self._text, self._panels))

    def shows(self, phrase: str, typed: Iterable[str]) -> bool:
        """Whether it stands there, and not only where it repeats what was typed."""
        return is_shown(self._text if has_bar(phrase) else self._panels, phrase, typed)


class ReadSoFar(NamedTuple):
    """All text of a screen at one moment: what can be read, and the visible rows."""

    text: str
    rows: tuple[str, ...]


def read_so_far(screen: Screen) -> ReadSoFar:
    """What can be read now, with what has scrolled off."""
    return ReadSoFar(squeezed(by_panel(screen.whole_text)), screen.rows)


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
