"""Stable text in place of unstable: named masks, each replacement logged."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from mock_llm.patterns import substitute

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

_SHORTEST = 4
_KEPT = r"(?P<kept>\[[A-Z][A-Z0-9-]*\])"

PATTERNS: Mapping[str, str] = {
    "time": (
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
        r"|(?<![\w.-])1[5-9]\d{8}(?:\d{3}(?:\d{3})?)?(?:\.\d+)?(?!\w)"  # seconds, ms or us since 1970
    ),
    "id": (
        r"(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
        r"|(?<![0-9A-Za-z])(?:toolu|call|msg|chatcmpl|resp|req|fc|rs|item|ses|prt)[_-](?=[A-Za-z_-]*\d)[0-9A-Za-z_-]{4,})"
    ),
    "version": r"(?<![\w.])v?\d+\.\d+\.\d+(?:-[0-9A-Za-z.]*[0-9A-Za-z])?(?![\w.]*\d)",
}
"""The masks for what only its form tells; each different text gets a number: ``[ID-1]``."""


class Replacement(NamedTuple):
    """One text that was replaced; ``line`` counts from 1."""

    line: int
    name: str
    mask: str
    original: str


class Redacted(NamedTuple):
    """A text after redaction, and what was done to it."""

    text: str
    replacements: tuple[Replacement, ...]


class Redaction:
    """Masks a text until nothing is left to mask, so doing it once more changes nothing.

    Args:
        values: Texts of this run and their masks, such as ``{"qa12ab": "[NONCE]"}``; those shorter than four
            characters are left alone. Digits alone count only as a whole number.
        patterns: Regular expressions by name, before those of :data:`PATTERNS`.
        last: The same, behind them.

    >>> Redaction({"qa12ab34": "[NONCE]"}).apply("OK qa12ab34, call_a1b2c3 then call_a1b2c3").text
    'OK [NONCE], [ID-1] then [ID-1]'
    """

    def __init__(
        self,
        values: Mapping[str, str],
        patterns: Mapping[str, str] | None = None,
        last: Mapping[str, str] | None = None,
    ) -> None:
        self._values = {value: mask for value, mask in values.items() if len(value) >= _SHORTEST}
        longest_first = sorted(self._values, key=len, reverse=True)
        self._literal = re.compile("|".join(map(_whole, longest_first))) if longest_first else None
        named = {**(patterns or {}), **PATTERNS, **(last or {})}
        self._patterns = {name: compiled(pattern) for name, pattern in named.items()}
        self._given = frozenset(patterns or {})

    def apply(self, text: str) -> Redacted:
        """The text with every mask in place.

        Raises:
            RunsAwayError: If one of the ``patterns`` does not end.
        """
        work = _Work(text)
        while True:
            before = len(work.done)
            self._once(work)
            if len(work.done) == before:
                return Redacted(work.text, tuple(work.done))

    def _once(self, work: _Work) -> None:
        if self._literal is not None:
            work.sub(self._literal, lambda m: (name_of(self._values[m.group()]), self._values[m.group()]))
        for name, pattern in self._patterns.items():
            work.sub(pattern, partial(work.named, name), is_bounded=name in self._given)


class _Work:
    def __init__(self, text: str) -> None:
        self.text = text
        self.done: list[Replacement] = []
        self._numbers: dict[tuple[str, str], int] = {}
        self._used: dict[str, int] = {}
        for label, number in re.findall(r"\[([A-Z][A-Z0-9-]*)-(\d{1,9})\]", text):
            self._used[label] = max(self._used.get(label, 0), int(number))

    def numbered(self, name: str, original: str) -> str:
        label, key = name.upper(), (name, original)
        if key not in self._numbers:
            self._numbers[key] = self._used[label] = self._used.get(label, 0) + 1
        return f"[{label}-{self._numbers[key]}]"

    def named(self, name: str, match: re.Match[str]) -> tuple[str, str]:
        return name, self.numbered(name, match["hit"])

    def sub(self, pattern: re.Pattern[str], masked: _Masked, *, is_bounded: bool = False) -> None:
        whole = self.text

        def replaced(match: re.Match[str]) -> str:
            if match.groupdict().get("kept") or not match.group():
                return match.group()
            name, mask = masked(match)
            line = whole.count("\n", 0, match.start()) + 1
            self.done.append(Replacement(line, name, mask, match.group()))
            return mask

        self.text = substitute(pattern, replaced, whole) if is_bounded else pattern.sub(replaced, whole)


if TYPE_CHECKING:
    from collections.abc import Callable

    _Masked = Callable[[re.Match[str]], tuple[str, str]]


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern that leaves masks alone.

    Raises:
        re.error: If it is no regular expression.
    """
    return re.compile(rf"{_KEPT}|(?P<hit>{pattern})")


def name_of(mask: str) -> str:
    """The name of a mask.

    >>> name_of("[USER-HOME]")
    'user-home'
    """
    return mask.strip("[]").lower()


def without_match(wanted: Iterable[str], done: Sequence[Replacement]) -> tuple[str, ...]:
    """The names that replaced nothing, in their order."""
    seen = {replacement.name for replacement in done}
    return tuple(name for name in wanted if name not in seen)


def _whole(value: str) -> str:
    found = re.escape(value)
    return rf"(?<![\w-]){found}(?!\w)" if value.isdigit() else found


def day_pattern(days: Iterable[date]) -> str:
    """The pattern of some days, in the forms that agents write.

    >>> from datetime import date
    >>> redaction = Redaction({}, last={"today": day_pattern([date(2026, 11, 30)])})
    >>> redaction.apply("Mon Nov 30 2026, 2026-11-30").text
    '[TODAY-1], [TODAY-2]'
    """
    forms = {form for day in days for form in _day_forms(day)}
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(forms, key=len, reverse=True)))})(?!\w)"


def _day_forms(day: date) -> Iterator[str]:
    full, short = _MONTHS[day.month - 1], _MONTHS[day.month - 1][:3]
    name = _DAYS[day.weekday()]
    yield day.isoformat()
    yield from (f"{day.month}/{day.day}/{day.year}", f"{day.day:02}/{day.month:02}/{day.year}")
    yield f"{day.month:02}/{day.day:02}/{day.year}"
    for month, weekday in ((full, name), (short, name[:3])):
        for text in (
            f"{month} {day.day}, {day.year}",
            f"{day.day} {month} {day.year}",
            f"{month} {day.day:02} {day.year}",
        ):
            yield from (text, f"{weekday} {text}", f"{weekday}, {text}")


_MONTHS = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()  # noqa: SIM905
