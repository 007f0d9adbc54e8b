"""What the control API takes and gives, and who answers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping


class Asked(NamedTuple):
    """A request of the control API; header names are in lower case."""

    method: str
    target: str
    headers: Mapping[str, str]


class Answered(NamedTuple):
    """What the control API says; the body is JSON."""

    status: int
    body: bytes


class Controlling(Protocol):
    """Answers requests for paths under ``/__``, which are no part of the journal."""

    async def answer(self, asked: Asked) -> Answered:
        """The answer, when there is one; it may take as long as it likes."""
