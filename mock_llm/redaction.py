"""Secrets out of what is stored: the headers and the query values that carry keys."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

REDACTED = "[redacted]"
_SECRET_WORDS = ("auth", "key", "token", "cookie", "secret", "password", "credential", "signature")
_QUERY_VALUE = re.compile(r"([?&])([^=&#]+)=([^&#]*)")
_SCHEME = re.compile(r"^(?:bearer|basic)\s+", re.IGNORECASE)
_SHORTEST_SECRET = 6  # shorter values, such as 'x', also stand in texts that are no secret


def redacted_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers with the values of those that may carry a key replaced; names in lower case.

    >>> redacted_headers({"Authorization": "Bearer sk-1", "X-Api-Key": "k", "accept": "*/*"})
    {'authorization': '[redacted]', 'x-api-key': '[redacted]', 'accept': '*/*'}
    """
    return {name.lower(): REDACTED if is_secret(name) else value for name, value in headers.items()}


def redacted_path(path: str) -> str:
    """A path with its query, the values of keys replaced.

    >>> redacted_path("/v1beta/models/m:generateContent?alt=sse&key=AIza1")
    '/v1beta/models/m:generateContent?alt=sse&key=[redacted]'
    """
    return _QUERY_VALUE.sub(lambda m: f"{m[1]}{m[2]}={REDACTED if is_secret(m[2]) else m[3]}", path)


def secrets_of(headers: Mapping[str, str], path: str) -> tuple[str, ...]:
    """The secret values that a request carries, the longest first."""
    found = {_SCHEME.sub("", value).strip() for name, value in headers.items() if is_secret(name)}
    found |= {m[3] for m in _QUERY_VALUE.finditer(path) if is_secret(m[2])}
    if any("%" in secret for secret in found):
        from urllib.parse import unquote  # few keys need it

        found |= {unquote(secret) for secret in found}
    found |= {json.dumps(secret)[1:-1] for secret in found}
    return tuple(sorted((s for s in found if len(s) >= _SHORTEST_SECRET), key=len, reverse=True))


def without(text: str, secrets: Iterable[str]) -> str:
    """A text with every occurrence of the secrets replaced."""
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text


def is_secret(name: str) -> bool:
    """Whether a header or a query parameter of that name may carry a key."""
    lowered = name.lower()
    return any(word in lowered for word in _SECRET_WORDS)
