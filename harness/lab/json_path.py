"""Paths into JSON records, such as ``message.content[].text``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[str | int | None, ...]
"""Steps: a key, an index, or None for every element of a list."""

_KEY = re.compile(r"[^.\[\]]+")
_INDEX = re.compile(r"\[(\d*)\]")
_MOST_PATHS = 40


def parse_path(text: str) -> Path:
    """Read a path: keys with dots between, ``[]`` for every element of a list, ``[0]`` for one.

    Raises:
        ValueError: With the place of what is wrong.

    >>> parse_path("message.content[].text")
    ('message', 'content', None, 'text')
    """
    steps: list[str | int | None] = []
    at = 0
    while at < len(text) or not steps:
        if text.startswith("[", at):
            index = _INDEX.match(text, at)
            if not index:
                raise ValueError(f"character {at + 1}: '[' begins no '[]' and no '[0]'")
            steps.append(int(index[1]) if index[1] else None)
            at = index.end()
            continue
        if steps and text[at] == ".":
            at += 1
        key = _KEY.match(text, at)
        if not key:
            raise ValueError(f"character {at + 1}: a key is missing")
        steps.append(key.group())
        at = key.end()
    return tuple(steps)


def strings_at(value: Any, path: Path) -> Iterator[str]:
    """The strings a path leads to, in order. Where it leads to nothing, or to anything else, there are none.

    >>> record = {"content": [{"text": "a"}, {"image": 1}, {"text": "b"}]}
    >>> list(strings_at(record, parse_path("content[].text")))
    ['a', 'b']
    """
    if not path:
        if isinstance(value, str):
            yield value
        return
    step, rest = path[0], path[1:]
    if isinstance(step, str):
        if isinstance(value, dict) and step in value:
            yield from strings_at(value[step], rest)
    elif isinstance(value, list):
        for item in value if step is None else value[step : step + 1]:
            yield from strings_at(item, rest)


def paths_of(value: Any) -> list[str]:
    """Where a record has strings, as paths; at most 40.

    >>> paths_of({"id": 1, "message": {"role": "user", "content": [{"text": "a"}, {"text": "b"}]}})
    ['message.role', 'message.content[].text']
    """
    found: dict[str, None] = {}
    _collect(value, "", found)
    return list(found)


def _collect(value: Any, path: str, found: dict[str, None]) -> None:
    if len(found) >= _MOST_PATHS:
        return
    if isinstance(value, str):
        found[path] = None
    elif isinstance(value, dict):
        for key, item in value.items():
            _collect(item, f"{path}.{key}" if path else key, found)
    elif isinstance(value, list):
        for item in value[:8]:
            _collect(item, f"{path}[]", found)
