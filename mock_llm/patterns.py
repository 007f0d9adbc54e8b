"""Regular expressions of a script or a scenario: compiled when it is loaded, and kept from running away.

Three bounds keep a search short. A pattern that repeats a group which itself ends in a repetition, such as
``(a+)+``, is refused, as it can take for ever on a text that almost fits. A search ends after ``LIMIT_S``
seconds of processor time with an error, for what such a look at the pattern cannot see, such as ``(a|a)*b``.
And of a request's text at most ``MAX_SEARCHED`` characters are searched: its beginning and its end, one half
each.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_SEARCHED = 20_000
LIMIT_S = 1.0
"""Processor time, not the time that passes: a busy machine changes no result."""

_REPEAT = re.compile(r"[*+?]|\{(\d*)(,?)(\d*)\}")
_FLAGS = re.compile(r"\(\?[a-zA-Z-]+\)")
_OPENING = re.compile(r"\(\?(?:P<\w+>|P=\w+|#[^)]*|<[=!]|[:=!>]|\([^)]*\)|[a-zA-Z-]*:|P>\w+)|\(", re.DOTALL)
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_SHORT_COUNT = re.compile(r"\{\d{1,3}\}")
# A brace that counts nothing is itself; the other engine would read a fuzzy search from some.
_LITERAL_BRACE = re.compile(r"(\\N\{[^}]*\}|\\.)|\{(?!(?:\d+(?:,\d*)?|,\d*)\})", re.DOTALL)


class RunsAwayError(ValueError):
    """A search that was ended; the message says which, and what to do."""

    def __init__(self, pattern: str, text: str) -> None:
        super().__init__(
            f"the regular expression /{pattern}/ had no result after {LIMIT_S:g} s of work on "
            f"{len(text):,} characters; let no two parts of it take the same text, such as 'a*' for '(a|a)*'"
        )


def compile_pattern(text: str) -> re.Pattern[str]:
    """The compiled pattern.

    Raises:
        ValueError: If it is no regular expression, or one that can run away; the message says why.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pattern = re.compile(text)
            if not is_simple(text):
                _bounded(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    except ValueError as error:  # what the other engine says, which knows some things less
        raise ValueError(f"not a regular expression that can be bounded: {error}") from None
    doubled = repeated_twice(text)
    if doubled:
        raise ValueError(
            f"'{doubled}' repeats what repeats already, which can take for ever; "
            "make the inner one possessive ('a++'), or take one of the two away"
        )
    return pattern


def checked_pattern(text: str) -> str:
    """The text itself, for the fields of a file.

    Raises:
        ValueError: As :func:`compile_pattern`.
    """
    return compile_pattern(text).pattern


def found(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the pattern is found in the text, or in the two ends of a long one.

    Raises:
        RunsAwayError: If the search does not end.

    >>> found(re.compile("^b|z$"), "a" * 50_000 + "z"), found(re.compile("b"), "a" * 50_000)
    (True, False)
    """
    if len(text) <= MAX_SEARCHED:
        return search(pattern, text) is not None
    half = MAX_SEARCHED // 2
    ends = ((0, half), (len(text) - half, len(text)))
    return any(search(pattern, text, *each) is not None for each in ends)


def search(
    pattern: re.Pattern[str], text: str, start: int = 0, end: int | None = None
) -> re.Match[str] | None:
    """Where the pattern is found first in ``text[start:end]``.

    Raises:
        RunsAwayError: If the search does not end.
    """
    end = len(text) if end is None else end
    if end - start <= MAX_SEARCHED and is_simple(pattern.pattern):
        return pattern.search(text, start, end)
    try:
        match: re.Match[str] | None = _bounded(pattern).search(text, start, end, timeout=LIMIT_S)
    except TimeoutError:
        raise RunsAwayError(pattern.pattern, text[start:end]) from None
    return match


def substitute(pattern: re.Pattern[str], replaced: Callable[[re.Match[str]], str], text: str) -> str:
    """The text with every match replaced.

    Raises:
        RunsAwayError: If the search does not end.
    """
    try:
        done: str = _bounded(pattern).sub(replaced, text, timeout=LIMIT_S)
    except TimeoutError:
        raise RunsAwayError(pattern.pattern, text) from None
    return done


@lru_cache(maxsize=64)
def is_simple(text: str) -> bool:
    r"""Whether a pattern has no choices and one endless repetition at most, so that no search is long.

    >>> is_simple(r"^>\n*\Z"), is_simple("-{20}"), is_simple("a*a*b"), is_simple("(a|a)*b"), is_simple("a?a?")
    (True, True, False, False, False)
    """
    bare = _SHORT_COUNT.sub("", _ESCAPED.sub("", text))
    return not any(mark in bare for mark in "(|?{") and bare.count("*") + bare.count("+") <= 1


@lru_cache(maxsize=64)
def _bounded(pattern: re.Pattern[str]) -> Any:
    """The same pattern of an engine whose searches can be ended."""
    import regex  # takes 15 ms, and most scripts have no pattern that needs it

    text = _LITERAL_BRACE.sub(lambda match: match[1] or r"\{", pattern.pattern)
    flags = pattern.flags & (re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE | re.ASCII)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return regex.compile(text, int(flags) | regex.V0)
        except regex.error as error:
            raise ValueError(str(error)) from None


class _Item(NamedTuple):
    """One element of a pattern: where it starts, and how it repeats."""

    start: int
    can_be_empty: bool = False
    is_endless: bool = False  # an unbounded repetition that gives characters back


class _Group(NamedTuple):
    start: int
    branches: list[list[_Item]]
    is_atomic: bool


def repeated_twice(text: str) -> str:
    r"""The first part of a valid pattern that repeats an endless repetition, or an empty string.

    >>> [repeated_twice(p) for p in (r"^(\w+\s?)*$", r"(?:a|b+)+c", "((?:x*)y?)+")]
    ['(\\w+\\s?)*', '(?:a|b+)+', '((?:x*)y?)+']
    >>> [repeated_twice(p) for p in (r"(\w+,)*", "(a++)+", "(?>a+)+", "(ab)+c*", r"\(a+\)+", "[(a+)+]+")]
    ['', '', '', '', '', '']
    """
    stack = [_Group(0, [[]], is_atomic=False)]
    at = 0
    while at < len(text):
        start, ends_endless = at, False
        if opening := _opening(text, at):
            at += len(opening)
            if opening.startswith(("(?#", "(?P=")) or _FLAGS.fullmatch(opening):
                continue
            stack.append(_Group(start, [[]], is_atomic=opening == "(?>"))
            continue
        if text[at] == "|":
            stack[-1].branches.append([])
            at += 1
            continue
        if text[at] == ")" and len(stack) > 1:
            group = stack.pop()
            start = group.start
            ends_endless = not group.is_atomic and any(map(_ends_endless, group.branches))
            at += 1
        else:
            at = _atom_end(text, at)
        at, item = _repeated(text, start, at)
        if ends_endless and item.is_endless:
            return text[start:at]
        endless = item.is_endless or ends_endless
        stack[-1].branches[-1].append(_Item(start, item.can_be_empty, endless))
    return ""


def _opening(text: str, at: int) -> str:
    flags = _FLAGS.match(text, at)
    match = flags or _OPENING.match(text, at)
    return match[0] if match else ""


def _atom_end(text: str, at: int) -> int:
    """The end of a character, an escape or a class."""
    if text[at] == "\\":
        return at + 2
    if text[at] != "[":
        return at + 1
    at += 2 if text[at + 1 : at + 2] == "^" else 1
    at += text[at : at + 1] == "]"
    while text[at : at + 1] not in ("]", ""):
        at += 2 if text[at] == "\\" else 1
    return at + 1


def _repeated(text: str, start: int, at: int) -> tuple[int, _Item]:
    """The end of an element with its quantifier, and what it is."""
    match = _REPEAT.match(text, at)
    if match is None or match[0] == "{}":
        return at, _Item(start)
    mark = match[0]
    at = match.end()
    is_possessive = text[at : at + 1] == "+"
    at += text[at : at + 1] in ("+", "?") and at < len(text)
    is_open = mark in "*+" or (mark[0] == "{" and bool(match[2]) and not match[3])
    can_be_empty = mark in "*?" or (mark[0] == "{" and match[1] in ("", "0"))
    return at, _Item(start, can_be_empty, is_open and not is_possessive)


def _ends_endless(items: list[_Item]) -> bool:
    """Whether the last element that must be there, or one after it, repeats without a bound."""
    for item in reversed(items):
        if item.is_endless:
            return True
        if not item.can_be_empty:
            return False
    return False
