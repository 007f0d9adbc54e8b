"""Text that is safe to print: escape codes become visible, and lines know their width."""

from __future__ import annotations

import unicodedata
from itertools import accumulate

# Direction overrides and isolates can make a line read as something else than it says.
_DIRECTION = frozenset(range(0x202A, 0x202F)) | frozenset(range(0x2066, 0x206A)) | {0x200E, 0x200F, 0x061C}
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str, *, ascii_only: bool = False) -> str:
    r"""Make control characters visible; with ``ascii_only`` every character above 0x7E as well.

    >>> print(printable("a\x1b[31mb\n"))
    a\x1b[31mb\n
    >>> print(printable("café", ascii_only=True))
    caf\xe9
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(char, ascii_only=ascii_only) for char in text)


def _shown(char: str, *, ascii_only: bool) -> str:
    if char in _SHORT:
        return _SHORT[char]
    code = ord(char)
    is_unsafe = unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or code in _DIRECTION
    if is_unsafe or (ascii_only and code > 0x7E):
        return _escape(code)
    return char


def _escape(code: int) -> str:
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def width_of(text: str) -> int:
    r"""Terminal cells that the text takes.

    >>> width_of("abc"), width_of("日本"), width_of("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(_cells(char) for char in text)


def _cells(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def padded(text: str, cells: int) -> str:
    """The text with blanks to its right, at least ``cells`` wide."""
    return text + " " * max(0, cells - width_of(text))


def wrapped(text: str, cells: int) -> list[str]:
    """Lines of at most ``cells``, broken at blanks where a blank is near; never an empty list.

    >>> wrapped("one two three", 8), wrapped("abcdefgh", 3)
    (['one two', 'three'], ['abc', 'def', 'gh'])
    """
    lines: list[str] = []
    rest = text
    while width_of(rest) > cells:
        cut = _fitting(rest, cells)
        blank = rest.rfind(" ", 0, cut + 1)
        end = blank if blank > cut // 2 else cut
        lines.append(rest[:end].rstrip())
        rest = rest[end:].lstrip(" ")
    return [*lines, rest]


def _fitting(text: str, cells: int) -> int:
    """How many characters of a text that is too wide fit into ``cells``; at least one."""
    fitting = sum(used <= cells for used in accumulate(map(_cells, text)))
    return max(1, fitting)
