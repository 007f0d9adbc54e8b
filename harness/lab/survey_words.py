"""The words by which an agent's guards give themselves away, and how far a screen shows a reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.steps.abort_words import FRAME, Said, Says, guards_say, said
from harness.steps.replies import record_name

if TYPE_CHECKING:
    from harness.agents.spec import AgentSpec
    from harness.evidence import Evidence

_BLANK = f"{FRAME}\n"


def phrases(spec: AgentSpec) -> tuple[Says, ...]:
    """What to look for: the words of its guards, and the marks of its stream rules."""
    guard = spec.guard
    marks = (
        Says("rules", "request", guard.interrupt_marker),
        Says("rules", "session", guard.truncation_marker),
        Says("rules", "output", guard.output_marker),
    )
    return (*guards_say(spec), *(mark for mark in marks if mark.phrase))


def all_said(evidence: Evidence, spec: AgentSpec) -> tuple[Said, ...]:
    """Everything that guards have said; a rule that the session records comes first."""
    rules = evidence.transcript.rules if evidence.transcript else ()
    recorded = [Said("rules", "session", record_name(rule)) for rule in rules[:1]]
    return (*recorded, *said(evidence, phrases(spec)))


def shown_chars(text: str, output: str) -> int:
    r"""How far into ``text`` the output shows it from its beginning, wrapped and framed or not.

    >>> shown_chars("one two three four", "* one two\n  thr  Stopped.")
    11
    """
    places = [place for place, character in enumerate(text) if character not in _BLANK]
    bare, seen = _bare(text), _bare(output)
    low, high = 0, len(bare)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if bare[:middle] in seen else (low, middle - 1)
    return places[low - 1] + 1 if low else 0


def _bare(text: str) -> str:
    return text.translate(dict.fromkeys(map(ord, _BLANK)))
