"""Characters beyond U+FFFF in two halves, as from a client that decodes each delta for itself."""

from __future__ import annotations

import re

_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def joined(text: str) -> str:
    r"""The text with every pair of surrogates as the one character that it means.

    >>> len(joined("a\ud83d\ude42")), len(joined("\ude42\ud83d"))
    (2, 2)
    """
    if text.isascii() or not _has_halves(text):
        return text
    return _PAIR.sub(lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"), text)


def _has_halves(text: str) -> bool:
    """Whether there is any half of a pair: no encoding takes one, and says so faster than a search."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def ends_in_half(text: str) -> bool:
    """Whether the last character is the first half of a pair."""
    return "\ud800" <= text[-1:] <= "\udbff"
