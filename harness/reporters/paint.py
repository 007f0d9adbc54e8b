"""Colours and symbols of the console report; both can be switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from harness.reporters.printable import padded, printable, width_of, wrapped

if TYPE_CHECKING:
    from harness.results import Verdict

Tone = Literal["good", "bad", "odd", "faint", "strong"]

_CODES: dict[Tone, str] = {"good": "32", "bad": "31", "odd": "33", "faint": "2", "strong": "1"}
_SYMBOLS: dict[Verdict, str] = {"passed": "✓", "failed": "✗", "error": "!", "skipped": "-"}
_TONES: dict[Verdict, Tone] = {"passed": "good", "failed": "bad", "error": "bad", "skipped": "odd"}
NARROWEST = 40


class Paint(NamedTuple):
    """How the report may look.

    Args:
        color: Whether ANSI colour codes may be used.
        width: Columns of the terminal; less than 40 counts as 40.
        ascii_only: Whether the output can show ASCII only; symbols are then words.
    """

    color: bool
    width: int
    ascii_only: bool = False

    def tone(self, text: str, tone: Tone) -> str:
        """Colour a text that is already printable."""
        return f"\x1b[{_CODES[tone]}m{text}\x1b[0m" if self.color and text else text

    def symbol(self, verdict: Verdict) -> str:
        """A mark for a verdict, one column wide, or as wide as ``passed `` in ASCII."""
        mark = padded(verdict, 7) if self.ascii_only else _SYMBOLS[verdict]
        return self.tone(mark, _TONES[verdict])

    def safe(self, text: str) -> str:
        """The text with everything escaped that the output cannot or must not show."""
        return printable(text, ascii_only=self.ascii_only)

    def block(self, head: str, text: str, tone: Tone | None = None) -> list[str]:
        """Lines that begin with ``head`` and go on below its end, within the width.

        ``head`` is printed as it is and never broken, the text is made safe and keeps at least 20 columns.
        """
        indent = width_of(_without_codes(head))
        room = max(self.width, NARROWEST) - indent
        lines = wrapped(self.safe(text), max(room, NARROWEST // 2))
        painted = [self.tone(line, tone) if tone else line for line in lines]
        return [(head + painted[0]).rstrip(), *(" " * indent + line for line in painted[1:])]


def _without_codes(text: str) -> str:
    """A head without our own colour codes (``ESC [ ... m``)."""
    if "\x1b" not in text:
        return text
    pieces = text.split("\x1b[")
    return pieces[0] + "".join(piece.split("m", 1)[-1] for piece in pieces[1:])
