"""What ``request``, ``output`` and ``recovery`` share: which texts must be there and which must not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from harness.steps.absence import Absent, absent
from harness.steps.echo import is_shown
from harness.steps.resolve import UnresolvedError, resolve
from harness.steps.screens import has_bar
from harness.steps.verdicts import Failed, Pending, failed
from harness.steps.wording import chars, folded, quoted, shortened
from harness.terminal.condition import REPEATED
from mock_llm.patterns import search

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harness.evidence import Evidence


class Wanted(NamedTuple):
    """Texts with their templates resolved."""

    contains: tuple[str, ...] = ()
    lacks: tuple[Absent, ...] = ()
    matches: str | None = None

    @property
    def expected(self) -> str:
        """The claim in words."""
        claims = [f"contains {quoted(t, 60)}" for t in self.contains]
        claims += [f"lacks {a.words}" for a in self.lacks]
        claims += [f"matches /{self.matches}/"] if self.matches else []
        return ", ".join(claims)


def wanted(
    evidence: Evidence, contains: Sequence[str], lacks: Sequence[str] = (), matches: str | None = None
) -> Wanted | Pending | Failed:
    """Resolve the templates; a regular expression has none.

    A value that may still come is pending, one that cannot is a failure.
    """
    raw = Wanted(tuple(contains), tuple(Absent(quoted(t, 60), (t,)) for t in lacks), matches)
    if not all((*contains, *lacks)):
        return failed("an empty text is found everywhere", raw.expected)
    try:
        return Wanted(
            tuple(resolve(t, evidence) for t in contains),
            tuple(absent(t, evidence) for t in lacks),
            matches,
        )
    except UnresolvedError as error:
        if error.may_come and not evidence.finished:
            return Pending(f"a value of '{{{error.name}}}'")
        return failed(str(error), raw.expected)


def missing(want: Wanted, has: Callable[[str], bool], text: str) -> list[str]:
    """What must be there and is not, each as a clause."""
    found = [f"lacks {quoted(t, 80)}" for t in want.contains if not has(t)]
    if want.matches and not _found(want.matches, text):
        found.append(f"does not match /{want.matches}/")
    return found


def unwanted(want: Wanted, has: Callable[[str], bool]) -> list[str]:
    """The pieces that must not be there and are."""
    return [found for found in (a.found(has) for a in want.lacks) if found]


def contains_words(found: Sequence[str]) -> list[str]:
    """What is there as clauses."""
    return [f"contains {quoted(piece, 80)}" for piece in found]


def satisfied(want: Wanted, text: str) -> str:
    """What was seen of a claim that holds."""
    seen = [f"found {quoted(t, 60)}" for t in want.contains]
    match = _found(want.matches, text) if want.matches else None
    seen += [f"found {quoted(match[0], 60)}"] if match else []
    seen += [f"lacks {a.words} in {chars(len(text))}" for a in want.lacks]
    return ", ".join(seen)


def _found(pattern: str, text: str) -> re.Match[str] | None:
    return search(re.compile(pattern, re.MULTILINE), text)


def shows(evidence: Evidence, phrase: str) -> bool:
    """Whether the output shows a phrase.

    Once the run has ended, a phrase that the program wrapped over lines counts too; before, that
    would mean reading the whole output again for every event.
    """
    if phrase in evidence.output:
        return True
    return evidence.finished and any(
        folded(phrase) in folded(text) for text in (evidence.output, evidence.panels)
    )


def unseen_answer(evidence: Evidence, phrase: str) -> str:
    """Why the output does not show a phrase as an answer, as a clause; empty if it does.

    Where the program repeats what the user has said, it does not. A prompt that is nothing but the phrase
    cannot be told from the answer.
    """
    output = evidence.output if has_bar(phrase) else evidence.panels or evidence.output
    if is_shown(output, phrase, [evidence.variables.get("prompt", ""), *evidence.typed]):
        return ""
    if is_shown(output, phrase):
        return f"the output shows {quoted(phrase, 60)} only {REPEATED}"
    return f"the output does not show {quoted(phrase, 60)}"


def nearest_lines(needle: str, text: str, limit: int = 3) -> list[str]:
    """The lines of a text that share most words with the needle, best first, as evidence lines."""
    words = set(needle.split())
    scored = [(len(words & set(line.split())), line.strip()) for line in text.splitlines() if line.strip()]
    scored = [pair for pair in scored if pair[0]]
    scored.sort(key=lambda pair: (-pair[0], abs(len(pair[1]) - len(needle))))
    return [f"| {shortened(line, 150)}" for _, line in scored[:limit]]


def lines_with(needle: str, text: str, limit: int = 3) -> list[str]:
    """Where the needle is, with a little of what stands around it, as evidence lines."""
    found: list[str] = []
    at = text.find(needle)
    while at >= 0 and len(found) < limit:
        found.append(f"| {shortened(text[max(0, at - 30) : at + len(needle) + 30], 150)}")
        at = text.find(needle, at + len(needle))
    return found
