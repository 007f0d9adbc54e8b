"""What differs between two texts, in a few lines and side by side."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEAD = 40
_WORDS = re.compile(r"\w+(?:[.,]\w+)*|\W")
Mark = Literal[" ", "-", "+", "~", "@"]


class Row(NamedTuple):
    """One row of a diff: ``-`` only before, ``+`` only after, ``~`` another line, ``@`` lines left out."""

    mark: Mark
    before: str
    after: str


def rows(before: str | None, after: str, context: int = 3) -> list[Row]:
    """The rows of a diff, with so many equal lines around each difference."""
    old, new = lines_of(before or ""), lines_of(after)
    found: list[Row] = []
    groups = list(difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context))
    for group in groups:
        first_old, first_new = group[0][1], group[0][3]
        if found or first_old or first_new:
            found.append(Row("@", f"line {first_old + 1}", f"line {first_new + 1}"))
        for tag, i1, i2, j1, j2 in group:
            found += _rows(tag, old[i1:i2], new[j1:j2])
    return found


def _rows(tag: str, old: list[str], new: list[str]) -> Iterator[Row]:
    if tag == "equal":
        yield from (Row(" ", line, line) for line in old)
        return
    both = min(len(old), len(new))
    yield from (Row("~", a, b) for a, b in zip(old, new, strict=False))
    yield from (Row("-", line, "") for line in old[both:])
    yield from (Row("+", "", line) for line in new[both:])


def differing(old: str, new: str) -> tuple[tuple[str, str, str], tuple[str, str, str]]:
    """Two lines, each as what both begin with, what differs, and what both end with; words are not cut.

    >>> differing("take it up again.", "take it up anew.")
    (('take it up ', 'again', '.'), ('take it up ', 'anew', '.'))
    """
    one, two = _WORDS.findall(old), _WORDS.findall(new)
    most = min(len(one), len(two))
    start = next((n for n in range(most) if one[n] != two[n]), most)
    end = next((n for n in range(most - start) if one[-1 - n] != two[-1 - n]), most - start)
    return _parts(one, start, end), _parts(two, start, end)


def _parts(words: list[str], start: int, end: int) -> tuple[str, str, str]:
    rest = len(words) - end
    return "".join(words[:start]), "".join(words[start:rest]), "".join(words[rest:])


def lines_of(text: str) -> list[str]:
    r"""The lines of a text; a last one without an end is followed by a line that says so.

    >>> lines_of("a\r\nb\n"), lines_of("a")
    (['a\r', 'b'], ['a', '\\ no line end'])
    """
    *lines, last = text.split("\n")
    return [*lines, last, "\\ no line end"] if last else lines


def is_in_conflict(text: str) -> bool:
    """Whether git has left both sides of a merge in a text."""
    starts = [line[:8] for line in text.split("\n")]
    return "<<<<<<< " in starts and ">>>>>>> " in starts


def changed_lines(name: str, before: str | None, after: str, most: int = 4) -> list[str]:
    """The first lines that differ, below the snapshot's name; of a new text its size."""
    if before is None:
        count = len(lines_of(after))
        return [f"{name}: {count} new lines" if count != 1 else f"{name}: 1 new line"]
    lines = []
    for row in rows(before, after, 0):
        old, new = _from_difference(row.before, row.after) if row.mark == "~" else (row.before, row.after)
        lines += [f"- {old}"] if row.mark in "-~" else []
        lines += [f"+ {new}"] if row.mark in "+~" else []
    more = [f"... {len(lines) - most} more lines differ"] if len(lines) > most else []
    return [f"{name}:", *lines[:most], *more]


def _from_difference(old: str, new: str) -> tuple[str, str]:
    """Two long lines from a little before where they begin to differ."""
    same = next(
        (n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new))
    )
    if same <= 2 * _LEAD:
        return old, new
    return f"...{old[same - _LEAD :]}", f"...{new[same - _LEAD :]}"
