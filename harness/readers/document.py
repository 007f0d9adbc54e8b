"""A session file that is one JSON document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from harness.readers import SessionError
from harness.readers.jsonl import parse_json

if TYPE_CHECKING:
    from collections.abc import Mapping


def parse_document(files: Mapping[str, bytes]) -> Any:
    r"""The value of the first file; an empty file is none.

    Raises:
        SessionError: If it is no JSON; the message has line and column.

    >>> parse_document({"a.json": b'{"messages": []}'})
    {'messages': []}
    >>> parse_document({"a.json": b'{\n "messages": oh'})
    Traceback (most recent call last):
    harness.readers.SessionError: session file a.json:2:14: no JSON: Expecting value
    """
    name, content = next(iter(files.items()), ("", b""))
    text = content.decode("utf-8", "replace")
    if not text.strip():
        return None
    try:
        return parse_json(text)
    except json.JSONDecodeError as error:
        raise SessionError(f"{name}:{error.lineno}:{error.colno}", f"no JSON: {error.msg}") from None
    except ValueError as error:
        raise SessionError(f"{name}:1:1", f"no JSON: {error}") from None
