"""Regular expressions of a script: compiled when it is loaded, and kept from running away.

Two bounds keep a search short. A pattern that repeats a group which itself ends in a repetition, such as
``(a+)+``, is refused, as it can take for ever on a text that almost fits. And at most ``MAX_SEARCHED``
characters of a text are searched: its beginning and its end, one half each.
"""

from __future__ import annotations

import re
import warnings
from typing import NamedTuple

MAX_SEARCHED = 20_000

_REPEAT = re.compile(r"[*+?]|\{(\d*)(,?)(\d*)\}")
_FLAGS = re.compile(r"\(\?[a-zA-Z-]+\)")
_OPENING = re.compile(r"\(\?(?:P<\w+>|P=\w+|#[^)]*|<[=!]|[:=!>]|\([^)]*\)|[a-zA-Z-]*:|P>\w+)|\(", re.DOTALL)


def compile_pattern(text: str) -> re.Pattern[str]:
    """The compiled pattern.

    Raises:
        ValueError: If it is no regular expression, or one that can run away; the message says why.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pattern = re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"not a regular expression: {error}") from None
    doubled = repeated_twice(text)
    if doubled:
        raise ValueError(
            f"'{doubled}' repeats what repeats already, which can take for ever; "
            "make the inner one possessive ('a++'), or take one of the two away"
        )
    return pattern


def found(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the pattern is found in the text, or in the two ends of a long one.

    >>> found(re.compile("^b|z$"), "a" * 50_000 + "z"), found(re.compile("b"), "a" * 50_000)
    (True, False)
    """
    if len(text) <= MAX_SEARCHED:
        return pattern.search(text) is not None
    half = MAX_SEARCHED // 2
    return pattern.search(text, 0, half) is not None or pattern.search(text, len(text) - half) is not None


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
    if match is None or match[0] in ("{}", "{,}"):
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
