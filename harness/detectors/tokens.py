"""The words of a text as the rules compare them: numbers and hashes folded, case ignored."""

from __future__ import annotations

import re

MAX_CHARS = 512
FOLD = "#"

_HEX = re.compile(r"\b[0-9a-f]{7,}\b")
_NUMBER = re.compile(r"\d+(?:[.,:/-]+\d+)*")
# Where hex digits stand in ASCII. Looking there first is far cheaper than the expression.
_HEX_DIGITS = bytes(ord("x" if chr(code) in "0123456789abcdefABCDEF" else " ") for code in range(256))
_HEX_RUN = b"x" * 7
_TOKEN = re.compile(r"[\w#]+")
# ASCII in lower case, with a blank for everything that is no part of a word.
_ASCII_WORDS = bytes(
    ord(char.lower() if char.isascii() and (char.isalnum() or char == FOLD) else " ")
    for char in map(chr, range(256))
)


def normalised(text: str) -> str:
    """Lower-case a text and fold its numbers and hex-like words of 7 and more characters to ``#``.

    >>> normalised("Step 3 of 1,024: commit DEADBEEF1")
    'step # of #: commit #'
    """
    text = text.lower()
    if not text.isascii() or _may_have_hex(text.encode()):
        text = _HEX.sub(FOLD, text)
    return _NUMBER.sub(FOLD, text) if _has_digit(text) else text


def _may_have_hex(text: bytes) -> bool:
    return _HEX_RUN in text.translate(_HEX_DIGITS)


def _has_digit(text: str) -> bool:
    """Whether there may be a digit: ten searches in C take less than one expression."""
    return (
        "0" in text
        or "1" in text
        or "2" in text
        or "3" in text
        or "4" in text
        or "5" in text
        or "6" in text
        or "7" in text
        or "8" in text
        or "9" in text
        or not text.isascii()
    )


def words_in_order(text: str) -> list[str]:
    """The words of a text in their order, normalised. A word is a run of letters, digits or ``#``."""
    if text.isascii() and not _has_digit(text) and not _may_have_hex(data := text.encode()):
        return data.translate(_ASCII_WORDS).decode().split()  # there is nothing to fold
    return _words(normalised(text))


def tokens(text: str, max_chars: int = MAX_CHARS) -> frozenset[str]:
    """The set of words in the first ``max_chars`` characters of a text, normalised.

    A word is a run of letters, digits or ``#`` of any script.

    >>> sorted(tokens("Run 12 took 0.5 s; run 13 took 0.7 s."))
    ['#', 'run', 's', 'took']
    """
    return frozenset(words_in_order(text[:max_chars]))


def _words(text: str) -> list[str]:
    if text.isascii():
        return text.encode().translate(_ASCII_WORDS).decode().split()
    return _TOKEN.findall(text.replace("_", " "))
