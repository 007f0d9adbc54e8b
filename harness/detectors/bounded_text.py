"""Text of any length in bounded memory: exact while short, its head and a digest when long."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import blake2b

DIGEST_BYTES = 16

# Digests and lengths are written in box-drawing characters: those are neither word characters nor tokens,
# so they never add to what a rule counts.
_MARKS = {ord(digit): 0x2500 + int(digit, 16) for digit in "0123456789abcdef"}


class BoundedText:
    """Collect pieces of a text and compare it later, in memory of at most ``cap`` characters.

    Two texts have the same :meth:`value` exactly when they are equal (beyond the cap: when their
    lengths, heads and 128-bit digests are). How the text was cut into pieces never matters.

    Args:
        cap: How many characters are kept as they are.

    >>> text = BoundedText(cap=4)
    >>> text.add("ab"); text.add("cd"); text.value()
    'abcd'
    >>> text.add("e"); text.value().startswith("abcd")
    True
    """

    def __init__(self, cap: int) -> None:
        self._cap = cap
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._pieces: list[str] = []
        self._kept = 0
        self._beyond = 0
        self._last = ""
        self._digest: blake2b | None = None

    @property
    def length(self) -> int:
        """How many characters were added."""
        return self._kept + self._beyond

    def add(self, piece: str) -> None:
        """Append a piece."""
        room = self._cap - self._kept
        kept = piece[:room]
        if kept:
            self._pieces.append(kept)
            self._kept += len(kept)
        if len(piece) > room:
            self._fold(piece[room:])

    def copy(self) -> BoundedText:
        """Another one with the same text, to be gone on with independently."""
        other = BoundedText(self._cap)
        other._pieces = self._pieces.copy()
        other._kept, other._beyond, other._last = self._kept, self._beyond, self._last
        other._digest = self._digest and self._digest.copy()
        return other

    def value(self) -> str:
        """The text, or a stand-in that starts with its first ``cap`` characters.

        A stand-in ends in the last character that is not whitespace. A text of nothing but whitespace
        stays nothing but whitespace.
        """
        head = "".join(self._pieces)
        if self._digest is None or (not self._last and head.isspace()):
            return head
        stand_in = f"{self._beyond}{self._digest.hexdigest()}".translate(_MARKS)
        return f"{head}{stand_in}{self._last or head.rstrip()[-1:]}"

    def _fold(self, piece: str) -> None:
        if self._digest is None:
            from hashlib import blake2b  # rarely needed, and as slow to load as all detectors together

            self._digest = blake2b(digest_size=DIGEST_BYTES)
        self._beyond += len(piece)
        self._digest.update(piece.encode("utf-8", "surrogatepass"))
        visible = piece.rstrip()
        if visible:
            self._last = visible[-1]
