"""JSON objects, one a line, from a file that may still be growing."""

from __future__ import annotations

import json
from typing import Any

from mock_llm.dialects.fields import MOST_LEVELS, is_deep


def parse_lines(text: str) -> list[dict[str, Any]]:
    r"""The objects in order; whatever is no object, such as a line that was cut, is left out.

    >>> parse_lines('{"a": 1}\n[2]\n{"b": ')
    [{'a': 1}]
    """
    return [value for line in text.split("\n") if isinstance(value := _value(line), dict)]


def _value(line: str) -> Any:
    try:
        return parse_json(line)
    except ValueError:
        return None


def parse_json(text: str) -> Any:
    """The value of a JSON document.

    Raises:
        ValueError: If it is none, or is nested too deeply to be copied and written again.
    """
    too_deep = ValueError(f"nested deeper than {MOST_LEVELS} levels")
    try:
        value = json.loads(text)
    except RecursionError:
        raise too_deep from None
    if text.count("[") + text.count("{") > MOST_LEVELS and is_deep(value):
        raise too_deep
    return value


def object_of(value: Any) -> dict[str, Any]:
    """The object itself, or an empty one."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[dict[str, Any]]:
    """The objects in a list, or nothing."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def string_of(value: Any) -> str:
    """The string itself, or an empty one."""
    return value if isinstance(value, str) else ""


def integer_of(value: Any) -> int | None:
    """The integer itself, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
