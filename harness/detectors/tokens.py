"""The words of a text as the rules compare them: numbers and hashes folded, case ignored."""

from __future__ import annotations

import re

MAX_CHARS = 512
FOLD = "#"

_HEX = re.compile(r"\b[0-9a-f]{7,}\b")
_NUMBER = re.compile(r"\d+(?:[.,:/-]+\d+)*")
_DIGIT = re.compile(r"\d")
_TOKEN = re.compile(r"[\w#]+")
_HEX_LETTERS = "abcdef"
_HEX_CHARS = 7
# ASCII in lower case, with a blank for everything that is no part of a word.
_ASCII_WORDS = {
    ord(char): char.lower() if char.isalnum() or char == FOLD else " " for char in map(chr, range(128))
}


def normalised(text: str) -> str:
    """Lower-case a text and fold its numbers and hex-like words of 7 and more characters to ``#``.

    >>> normalised("Step 3 of 1,024: commit DEADBEEF1")
    'step # of #: commit #'
    """
    text = _HEX.sub(FOLD, text.lower())
    return _NUMBER.sub(FOLD, text) if _DIGIT.search(text) else text


def words_in_order(text: str) -> list[str]:
    """The words of a text in their order, normalised. A word is a run of letters, digits or ``#``."""
    return _words(normalised(text))


def tokens(text: str, max_chars: int = MAX_CHARS) -> frozenset[str]:
    """The set of words in the first ``max_chars`` characters of a text, normalised.

    A word is a run of letters, digits or ``#`` of any script.

    >>> sorted(tokens("Run 12 took 0.5 s; run 13 took 0.7 s."))
    ['#', 'run', 's', 'took']
    """
    text = text[:max_chars]
    if _DIGIT.search(text):
        return frozenset(_words(normalised(text)))
    words = frozenset(_words(text.lower()))
    hexes = [word for word in words if len(word) >= _HEX_CHARS and not word.strip(_HEX_LETTERS)]
    return words.difference(hexes) | {FOLD} if hexes else words


def _words(text: str) -> list[str]:
    if text.isascii():
        return text.translate(_ASCII_WORDS).split()
    return _TOKEN.findall(text.replace("_", " "))
