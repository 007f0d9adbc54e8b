"""Reading a request body field by field, with errors that say which field is wrong."""

from __future__ import annotations

import json
from math import isinf
from typing import TYPE_CHECKING, Any

from mock_llm.request import BadRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

RETRY_HEADER = "x-stainless-retry-count"
MOST_LEVELS = 200


def read_object(body: bytes | Mapping[str, object]) -> Mapping[str, Any]:
    """The JSON object of a body.

    Raises:
        BadRequest: If the body is not JSON, is nested too deeply, or not an object.
    """
    value: Any = body
    too_deep = BadRequest(f"the body is nested deeper than {MOST_LEVELS} levels")
    if isinstance(body, bytes):
        try:
            value = json.loads(body, parse_constant=_no_number, parse_float=_finite)
        except RecursionError:
            raise too_deep from None
        except ValueError as error:
            start = body[:80].decode("utf-8", "replace")
            raise BadRequest(f"the body is not JSON ({error}); it starts with {start!r}") from None
        if body.count(b"[") + body.count(b"{") > MOST_LEVELS and is_deep(value):
            raise too_deep
    if not isinstance(value, dict):
        raise BadRequest(f"the body is not a JSON object but {kind(value)}")
    return value


def _no_number(word: str) -> float:
    raise ValueError(f"'{word}' is no number of JSON")


def _finite(word: str) -> float:
    number = float(word)
    return _no_number(word[:20]) if isinf(number) else number


def is_deep(value: Any) -> bool:
    """Whether it has more than :data:`MOST_LEVELS` levels, so that it may not be copied and written again."""
    level = [value]
    for _ in range(MOST_LEVELS):
        inner = [each.values() if isinstance(each, dict) else each for each in level]
        level = [item for items in inner for item in items if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def required(body: Mapping[str, Any], key: str, wanted: type, what: str) -> Any:
    """A field that must be there, of the wanted type (never a bool for a number)."""
    value = body.get(key)
    if not isinstance(value, wanted) or isinstance(value, bool):
        found = kind(value) if key in body else "missing"
        raise BadRequest(f"'{key}' must be {what}, and is {found}")
    return value


def streamed(body: Mapping[str, Any]) -> bool:
    """What ``stream`` says; absent and null mean no."""
    value = body.get("stream")
    if value is None or isinstance(value, bool):
        return bool(value)
    raise BadRequest(f"'stream' must be true or false, and is {kind(value)}")


def objects(value: Any, where: str) -> list[Mapping[str, Any]]:
    """A list of JSON objects."""
    if not isinstance(value, list):
        raise BadRequest(f"'{where}' must be a list, and is {kind(value)}")
    for place, item in enumerate(value):
        if not isinstance(item, dict):
            raise BadRequest(f"'{where}[{place}]' must be an object, and is {kind(item)}")
    return value


def joined_text(content: Any, where: str) -> str:
    """The text of a content: a string, null, or a list of blocks of which some have text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(text_of(block) for block in objects(content, where))


def text_of(block: Mapping[str, Any], key: str = "text") -> str:
    """A string field of a block, or an empty string."""
    value = block.get(key)
    return value if isinstance(value, str) else ""


def retry_count(headers: Mapping[str, str]) -> int:
    """Which attempt of the client's own retry this is; 0 is the first.

    >>> retry_count({"x-stainless-retry-count": "2"})
    2
    """
    value = headers.get(RETRY_HEADER, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 6 else 0


def kind(value: Any) -> str:
    """A JSON value's type in words."""
    names = {str: "a string", bool: "true or false", dict: "an object", list: "a list", type(None): "null"}
    return names.get(type(value), "a number")
