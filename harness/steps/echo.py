"""What the screen shows beyond what the user has typed: a repeated prompt is no answer."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from harness.steps.wording import folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CONTEXT = 8
"""Characters on each side of a phrase by which the place it was typed at is recognised."""
_CUTS = ("\u2026", "...")
_LONGEST_CUT = max(map(len, _CUTS))


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
    ahead, behind = _in_common(before[::-1], around[0][::-1]), _in_common(after, around[1])
    if ahead is None or behind is None:
        return False
    return not (ahead.is_cut or behind.is_cut) or ahead.chars + behind.chars > 0


class _InCommon(NamedTuple):
    """How many characters agree, and whether an ellipsis stands where the others would."""

    chars: int
    is_cut: bool


def _in_common(shown: str, typed: str) -> _InCommon | None:
    """How far what is shown begins as what was typed; None where it goes on in other words.

    It is enough that they agree as far as either goes, the context reaches, or an ellipsis cuts it off.
    """
    shown, typed = shown.replace(" ", "")[: _CONTEXT + _LONGEST_CUT], typed.replace(" ", "")[:_CONTEXT]
    same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(shown, typed, strict=False))))
    if same == min(len(shown), len(typed)):
        return _InCommon(same, is_cut=False)
    return _InCommon(same, is_cut=True) if shown.startswith(_CUTS, same) else None
