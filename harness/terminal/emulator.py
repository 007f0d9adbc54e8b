"""A program's output brought to the screen: whole frames only, and every query answered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.terminal.answers import Answers, is_query, printable
from harness.terminal.sequences import SequenceReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.terminal.answers import Unanswered
    from harness.terminal.screen import Screen
    from harness.terminal.sequences import Sequence

MOST_HELD = 1 << 20
"""Characters of one frame that are held back at most."""

_MODES = re.compile(r"\?([\d;]*)([hl])")
_SYNCHRONIZED = "2026"


class Emulator:
    r"""Feeds a screen and answers the program.

    A program that redraws its screen brackets the work with DEC mode 2026: between ``CSI ? 2026 h`` and
    ``CSI ? 2026 l`` the screen holds half of the old picture and half of the new one. That text is held back
    until the frame is whole, so ``screen`` never shows half a frame, with three exceptions, in which
    ``is_torn`` is true until the frame ends: a query or a resize within it, more than :data:`MOST_HELD`
    characters, and a program that ended before its frame did.
    """

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.is_torn = False
        self._reader = SequenceReader()
        self._answers = Answers(screen)
        self._held: list[str] = []
        self._held_chars = 0
        self._is_in_frame = False

    @property
    def is_in_frame(self) -> bool:
        """Whether the program is drawing a frame; what it has drawn is not on the screen yet."""
        return self._is_in_frame

    @property
    def unseen(self) -> str:
        """Why the program's last output is not on the screen, as a clause; empty if it is."""
        if self._held_chars:
            return f"{self._held_chars:,} characters of a frame (DEC mode 2026) that has not ended"
        if (string := self._reader.unended) is not None:
            return (
                f"all that has come since '{printable(string)}' began: it has no end yet, and is a part of it"
            )
        return ""

    @property
    def unanswered(self) -> tuple[Unanswered, ...]:
        """The queries that were not answered."""
        return self._answers.unanswered

    def feed(self, text: str) -> Iterator[str]:
        """Read output; give the answers, each to be sent in one write. Must be exhausted."""
        at = 0
        for sequence in self._reader.feed(text):
            mark = _frame_mark(sequence)
            if mark is not None or is_query(sequence):
                self._take(text[at : sequence.end])
                at = sequence.end
            if mark is not None:
                self._mark(begins=mark)
            elif is_query(sequence):
                self._tear()
            if answer := self._answers.handle(sequence):
                yield answer
        self._take(text[at:])

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the screen."""
        self._tear()
        self.screen.resize(columns, rows)
        self._answers.resized()

    def finish(self) -> None:
        """The program writes no more."""
        self._tear()

    def _take(self, text: str) -> None:
        if not self._is_in_frame or self.is_torn:
            self.screen.feed(text)
            return
        self._held.append(text)
        self._held_chars += len(text)
        if self._held_chars > MOST_HELD:
            self._tear()

    def _mark(self, *, begins: bool) -> None:
        if not begins:
            self._show()
            self.is_torn = False
        self._is_in_frame = begins

    def _tear(self) -> None:
        self._show()
        self.is_torn = self._is_in_frame

    def _show(self) -> None:
        self.screen.feed("".join(self._held))
        self._held.clear()
        self._held_chars = 0


def _frame_mark(sequence: Sequence) -> bool | None:
    """Whether a frame begins (True) or ends (False) with this sequence."""
    if (sequence.kind, sequence.body) == ("esc", "c"):  # a reset ends it too
        return False
    found = _MODES.fullmatch(sequence.body) if sequence.kind == "csi" else None
    if found is None or _SYNCHRONIZED not in found[1].split(";"):
        return None
    return found[2] == "h"
