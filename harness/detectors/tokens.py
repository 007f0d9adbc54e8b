"""The words of a text as the rules compare them: numbers and hashes folded, case ignored."""

from __future__ import annotations

import re

MAX_CHARS = 512
FOLD = "#"

_HEX = re.compile(r"\b[0-9a-f]{7,}\b")
_NUMBER = re.compile(r"\d+(?:[.,:/-]+\d+)*")
_DIGIT = re.compile(r"\d")
_TOKEN = re.compile(r"(?:[^\W_]|#)+")


def normalised(text: str) -> str:
    """Lower-case a text and fold its numbers and hex-like words of 7 and more characters to ``#``.

    >>> normalised("Step 3 of 1,024: commit DEADBEEF1")
    'step # of #: commit #'
    """
    text = _HEX.sub(FOLD, text.lower())
    return _NUMBER.sub(FOLD, text) if _DIGIT.search(text) else text


def tokens(text: str, max_chars: int = MAX_CHARS) -> frozenset[str]:
    """The set of words in the first ``max_chars`` characters of a text, normalised.

    A word is a run of letters, digits or ``#`` of any script.

    >>> sorted(tokens("Run 12 took 0.5 s; run 13 took 0.7 s."))
    ['#', 'run', 's', 'took']
    """
    return frozenset(_TOKEN.findall(normalised(text[:max_chars])))
