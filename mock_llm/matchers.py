"""Matchers: what a request must be like for a turn or a lane to answer it.

A matcher is some checks that must all fit. A check fits when one of the values that it looks at does; one
with ``lacks`` when none of them contains the text, so that what is absent lacks everything.

What came *since the model's last answer* counts for ``last_user`` and ``tool_result``: a request that brings
a tool's result has no last user text, so that it never takes a turn that waits for the user.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from mock_llm.patterns import RunsAwayError, found

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from mock_llm.request import ModelRequest

Part = Literal[
    "path", "model", "dialect", "header", "system", "user", "last_user", "tool_result", "json", "nth"
]  # what is looked at
How = Literal["contains", "equals", "matches", "lacks"]

_SHOWN_CHARS = 60
_NAMES: Final = {
    "path": "the path",
    "model": "the model",
    "dialect": "the dialect",
    "system": "the system text",
    "user": "a user message",
    "last_user": "the last user text",
    "tool_result": "a tool result",
    "nth": "its number in the conversation",
}
_ABSENT: Final = {
    "header": "no such header",
    "user": "no message of a user",
    "last_user": "none since the model's last answer",
    "tool_result": "none since the model's last answer",
    "json": "nothing there",
}
_VERBS: Final = {"contains": "to contain", "equals": "to be", "matches": "to match", "lacks": "to lack"}


class Check(NamedTuple):
    """One thing that a request must be like.

    Attributes:
        part: What is looked at.
        how: How it is compared.
        wanted: The text, the pattern's text, or the JSON value.
        name: A header's name in lower case, or a JSON path as it is written.
        pattern: The compiled pattern of ``matches``.
        path: The steps of a JSON path.
        place: Where the pattern is written, as ``file:line:column``.
    """

    part: Part
    how: How
    wanted: Any
    name: str = ""
    pattern: re.Pattern[str] | None = None
    path: tuple[str | int, ...] = ()
    place: str = ""


Matcher = tuple[Check, ...]


class UndecidedError(Exception):
    """A check whose pattern runs away; the message says where it is written and what to do."""


class Fit(NamedTuple):
    """How a check came out; ``got`` describes what was there."""

    check: Check
    fits: bool
    got: str


def matches(matcher: Matcher, request: ModelRequest, nth: int) -> bool:
    """Whether all checks fit; ``nth`` is the request's number in its conversation, from 1.

    Raises:
        UndecidedError: If a pattern runs away on the request.
    """
    return all(_fits_one(check, list(_values(check, request, nth))) for check in matcher)


def explain(matcher: Matcher, request: ModelRequest, nth: int) -> list[Fit]:
    """The same, check by check, with what was there."""
    fits = []
    for check in matcher:
        values = list(_values(check, request, nth))
        got = ", ".join(map(_shown, values[:3])) if values else _ABSENT[check.part]
        fits.append(Fit(check, _fits_one(check, values), got))
    return fits


def named(check: Check) -> str:
    """What a check looks at: ``the model``, ``header 'x-app'``, ``'$.tools[0].name'``."""
    if check.part == "header":
        return f"header '{check.name}'"
    return f"'{check.name}'" if check.part == "json" else _NAMES[check.part]


def wanted(check: Check) -> str:
    """What a check wants: ``to contain 'pi'``, ``to match /^stop/``."""
    shown = f"/{check.wanted}/" if check.how == "matches" else _shown(check.wanted)
    return f"{_VERBS[check.how]} {shown}"


def last_user(request: ModelRequest) -> str | None:
    """The last thing the user said since the model's last answer."""
    return next((m.text for m in _since_answer(request) if m.role == "user"), None)


def tool_results(request: ModelRequest) -> list[str]:
    """The results of tools since the model's last answer, in order."""
    return [m.text for m in _since_answer(request) if m.role == "tool"][::-1]


def at_path(value: Any, path: tuple[str | int, ...]) -> Iterator[Any]:
    """The value at a path of keys and indexes; nothing when there is none.

    >>> list(at_path({"a": [{"b": 1}]}, ("a", -1, "b"))), list(at_path({"a": 1}, ("a", "b")))
    ([1], [])
    """
    step: Any
    for step in path:
        if not isinstance(value, dict if isinstance(step, str) else list):
            return
        try:
            value = value[step]
        except LookupError:
            return
    yield value


def _since_answer(request: ModelRequest) -> Iterator[Any]:
    """The messages after the model's last one, the last first."""
    for message in reversed(request.messages):
        if message.role == "assistant":
            return
        yield message


def _values(check: Check, request: ModelRequest, nth: int) -> Iterator[Any]:
    """What is looked at: usually one value, none when it is absent, several results of tools."""
    match check.part:
        case "header":
            if check.name in request.headers:
                yield request.headers[check.name]
        case "user":
            yield from (message.text for message in request.messages if message.role == "user")
        case "last_user":
            text = last_user(request)
            if text is not None:
                yield text
        case "tool_result":
            yield from tool_results(request)
        case "json":
            yield from at_path(request.body, check.path)
        case "nth":
            yield nth
        case "path" | "model" | "dialect" | "system":
            yield getattr(request, check.part)


def _fits_one(check: Check, values: list[Any]) -> bool:
    if check.how == "lacks":
        return not any(_fits(check, value) for value in values)
    return any(_fits(check, value) for value in values)


def _fits(check: Check, value: Any) -> bool:
    """Whether a value is or holds what the check names, whichever of the two it wants."""
    if check.how == "equals":
        return _same(check.wanted, value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if check.pattern is not None:
        try:
            return found(check.pattern, text)
        except RunsAwayError as error:
            raise UndecidedError(f"{check.place}: {error}") from None
    return check.wanted in text


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON: ``true`` is not 1, but 1 is 1.0."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 4]}...{text[-1]}"
