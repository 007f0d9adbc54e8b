"""The wire formats, one module each, imported when first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from mock_llm.dialects.dialect import Dialect

# Name, module, how the path of its requests ends. The part before is the client's base URL, which may
# or may not hold a version.
_TABLE = (
    ("openai-chat", "mock_llm.dialects.openai_chat", "/chat/completions"),
    ("anthropic-messages", "mock_llm.dialects.anthropic_messages", "/messages"),
)
NAMES = tuple(name for name, _, _ in _TABLE)
PATHS = tuple(suffix for _, _, suffix in _TABLE)


def by_name(name: str) -> Dialect:
    """The dialect of that name.

    Raises:
        KeyError: If there is none; the message lists the names.
    """
    module = next((module for known, module, _ in _TABLE if known == name), None)
    if module is None:
        raise KeyError(f"no dialect '{name}'; there are {', '.join(NAMES)}")
    return cast("Dialect", import_module(module).DIALECT)


def dialect_for_path(path: str) -> Dialect | None:
    """The dialect that a request's path belongs to; a query is ignored.

    >>> dialect_for_path("/v1/messages?beta=true").name
    'anthropic-messages'
    >>> dialect_for_path("/v1/audio") is None
    True
    """
    bare = path.partition("?")[0]
    name = next((name for name, _, suffix in _TABLE if bare.endswith(suffix)), None)
    return None if name is None else by_name(name)
