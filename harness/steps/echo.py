"""What the screen shows beyond what the user has typed: a repeated prompt is no answer."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from harness.steps.wording import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CONTEXT = 8
"""Characters on each side of a phrase by which the place it was typed at is recognised."""


def is_shown(text: str, phrase: str, typed: Iterable[str] = ()) -> bool:
    r"""Whether a text shows a phrase elsewhere than where it repeats what was typed.

    Line breaks and runs of blanks do not matter. A repetition is recognised by what stands around the
    phrase, so one of which only a part is on the screen is recognised too. What was typed as nothing but
    the phrase cannot be told from an answer.

    >>> prompt = "Be brief, then say DONE twice."
    >>> is_shown("> Be brief,\n  then say DONE twice.", "DONE", [prompt])
    False
    >>> is_shown("> Be brief,\n  then say DONE twice.\nDONE", "DONE", [prompt])
    True
    """
    shown, wanted = folded(text), folded(phrase)
    echoes = [folded(one) for one in typed]
    around = [(one[:at], one[at + len(wanted) :]) for one in echoes for at in _places(one, wanted)]
    around = [pair for pair in around if any(pair)]
    return any(
        not any(_is_echo(shown[:at], shown[at + len(wanted) :], pair) for pair in around)
        for at in _places(shown, wanted)
    )


def _places(text: str, phrase: str) -> Iterator[int]:
    at = text.find(phrase) if phrase else -1
    while at >= 0:
        yield at
        at = text.find(phrase, at + 1)


def _is_echo(before: str, after: str, around: tuple[str, str]) -> bool:
    if not (before.strip() or after.strip()):
        return False  # nothing else is shown, so nothing of what was typed around the phrase
    return _agrees(before[::-1], around[0][::-1]) and _agrees(after, around[1])


def _agrees(shown: str, typed: str) -> bool:
    """Whether what is shown begins as what was typed, as far as either goes or the context reaches."""
    shown, typed = shown.replace(" ", "")[:_CONTEXT], typed.replace(" ", "")[:_CONTEXT]
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(shown, typed, strict=False))))
    return same == min(len(shown), len(typed))
