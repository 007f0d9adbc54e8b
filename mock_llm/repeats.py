"""A client's own repetition of a request, told from a new request with the same words.

It is a repetition when the client says so (``retry``), or when the last exchange with the very same body was
of no use to it (see :mod:`mock_llm.fates`). A client that hung up in the middle of a reply did so on purpose;
what it asks then is a new request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from mock_llm.fates import Fate
    from mock_llm.request import ModelRequest
    from mock_llm.responder import Answer


class _Seen(NamedTuple):
    request: ModelRequest
    answer: Answer
    number: int
    was_answered: bool


class Repeats:
    """The requests so far, by what can be compared quickly, each body with its last answer."""

    def __init__(self, fate: Callable[[int], Fate]) -> None:
        self._fate = fate
        self._seen: dict[tuple[object, ...], list[_Seen]] = {}

    def find(self, request: ModelRequest) -> Answer | None:
        """The answer that the same request got before, if this one is a repetition of it."""
        seen = next((each for each in self._seen.get(_key(request), ()) if _same(each, request)), None)
        if seen is None:
            return None
        is_repetition = request.retry > 0 or (seen.was_answered and self._fate(seen.number).failed)
        return seen.answer if is_repetition else None

    def remember(self, request: ModelRequest, answer: Answer, number: int, *, was_answered: bool) -> None:
        """Keep the answer of exchange ``number``, in place of an earlier one to the same request."""
        same_key = self._seen.setdefault(_key(request), [])
        same_key[:] = [each for each in same_key if not _same(each, request)]
        same_key.append(_Seen(request, answer, number, was_answered))


def _key(request: ModelRequest) -> tuple[object, ...]:
    last = request.messages[-1].text if request.messages else ""
    return request.dialect, request.path, len(request.messages), last


def _same(seen: _Seen, request: ModelRequest) -> bool:
    return seen.request.body == request.body
