"""The run's token: where clients of the known providers can carry it."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KEY_HEADERS = ("x-api-key", "x-goog-api-key", "api-key")
PLACES = "'Authorization: Bearer', 'x-api-key', 'x-goog-api-key' or '?key='"


def offered(headers: Mapping[str, str], path: str) -> Iterator[str]:
    """What a request offers as a token. Header names are in lower case.

    >>> list(offered({"authorization": "Bearer a", "x-api-key": "b"}, "/v1/messages?key=c"))
    ['a', 'b', 'c']
    """
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        yield value.strip()
    yield from (headers[name] for name in KEY_HEADERS if name in headers)
    for pair in path.partition("?")[2].split("&"):
        name, _, value = pair.partition("=")
        if name == "key":
            yield unquote(value)


def is_admitted(token: str, headers: Mapping[str, str], path: str) -> bool:
    """Whether a request may pass: there is no token, or it carries that one."""
    wanted = token.encode("utf-8", "surrogateescape")
    return not token or any(
        compare_digest(wanted, value)
        for text in offered(headers, path)
        for value in (text.encode("utf-8", "replace"), text.encode("latin-1", "replace"))
    )  # headers come as Latin-1, whatever a client meant by their bytes


def refusal(headers: Mapping[str, str], path: str) -> str:
    """Why a request did not pass, without what it offered."""
    has_one = any(True for _ in offered(headers, path))
    what = "with another token than the run's" if has_one else "without the run's token"
    return f"came {what}\n  it may stand in {PLACES}"
