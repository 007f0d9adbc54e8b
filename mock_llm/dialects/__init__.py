"""The wire formats, one module each, imported when first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from mock_llm.dialects.dialect import Counting, Dialect

# Name, module, how the path of its requests ends. The part before is the client's base URL, which may
# or may not hold a version.
_TABLE = (
    ("openai-chat", "mock_llm.dialects.openai_chat", ("/chat/completions",)),
    ("openai-responses", "mock_llm.dialects.openai_responses", ("/responses",)),
    ("anthropic-messages", "mock_llm.dialects.anthropic_messages", ("/messages",)),
    ("gemini", "mock_llm.dialects.gemini", (":generateContent", ":streamGenerateContent")),
)
NAMES = tuple(name for name, _, _ in _TABLE)
PATHS = tuple(suffix for _, _, suffixes in _TABLE for suffix in suffixes)
# The requests that ask for nothing but a count of tokens.
_COUNT_PATHS = {
    "/responses/input_tokens": "openai-responses",
    "/messages/count_tokens": "anthropic-messages",
    ":countTokens": "gemini",
}


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
    >>> dialect_for_path("/v1beta/models/gemini-pro:streamGenerateContent?alt=sse").name
    'gemini'
    >>> dialect_for_path("/v1/audio") is None
    True
    """
    bare = path.partition("?")[0]
    name = next((name for name, _, suffixes in _TABLE if bare.endswith(suffixes)), None)
    return None if name is None else by_name(name)


def counting_for_path(path: str) -> Counting | None:
    """The dialect in which a request asks how many tokens it has, if that is what its path says.

    >>> counting_for_path("/v1/messages/count_tokens?beta=true").name
    'anthropic-messages'
    >>> counting_for_path("/v1/messages") is None
    True
    """
    bare = path.partition("?")[0]
    name = next((name for suffix, name in _COUNT_PATHS.items() if bare.endswith(suffix)), None)
    return None if name is None else cast("Counting", by_name(name))
