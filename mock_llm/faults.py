"""Faults as values: what goes wrong with a reply, at which character, for how many attempts. Pure.

A fault replaces the answer (an HTTP error, no answer at all), changes its head, or changes its events; the
last kind is in :mod:`mock_llm.fault_events`. A fault is one of a script's turn and knows nothing of sockets.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Literal, NamedTuple

from mock_llm.delivery import Close, Refuse, Reset

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mock_llm.delivery import Command
    from mock_llm.dialects.dialect import Dialect
    from mock_llm.script import Stream
    from mock_llm.turn import Turn

STALL_MS = 600_000
REFUSE_MS = 1_000
SLOW_MS = 1_000

_EVERY = frozenset(("attempts", "seed"))
_AT = _EVERY | {"at"}
_HTTP = _EVERY | {
    "status", "message", "error_type", "body", "headers", "retry_after", "retry_after_ms", "should_retry",
}  # fmt: skip

# Each kind with the settings that mean something to it.
KINDS: Mapping[str, frozenset[str]] = {
    "status": _HTTP,
    "refused-connection": _EVERY | {"for_ms"},
    "close-before-headers": _EVERY,
    "reset-before-headers": _EVERY,
    "slow-first-token": _EVERY | {"for_ms"},
    "stall": _AT | {"for_ms"},
    "trickle": _AT | {"bytes", "every_ms"},
    "reset": _AT,
    "close": _AT,
    "early-end": _AT,
    "half-event": _AT | {"ending"},
    "no-blank-line": _AT | {"ending"},
    "bad-json": _AT,
    "error-event": _AT | {"message", "error_type"},
    "duplicate-event": _AT,
    "unknown-event": _AT,
    "oversized-event": _AT | {"megabytes"},
    "split-utf8": _EVERY,
    "bom": _EVERY,
    "crlf": _EVERY,
    "comments": _EVERY,
    "ids": _EVERY,
    "retry-lines": _EVERY,
    "no-space": _EVERY,
    "wrong-content-type": _EVERY | {"content_type"},
    "no-content-type": _EVERY,
}
_HEAD_ONLY = frozenset(("slow-first-token", "wrong-content-type", "no-content-type"))
# What also means something to a reply that is not streamed; 'at' then counts bytes of its body.
_FOR_WHOLE = _HEAD_ONLY | {"stall", "trickle", "reset", "close", "bad-json", "bom"}
_BEFORE_HEADERS = frozenset(("refused-connection", "close-before-headers", "reset-before-headers"))


class Fault(NamedTuple):
    """What goes wrong with a reply; :data:`KINDS` says which settings a kind uses.

    Attributes:
        at: After how many characters of content, or a range of which the seed picks one for each attempt.
        attempts: For how many attempts of the turn, from the first; 0 means for every one.
        for_ms: How long a wait lasts at most; None takes the kind's default.
        ending: Whether the body ends properly (``end``) or the connection just closes (``close``).
    """

    kind: str
    at: int | tuple[int, int] = 0
    attempts: int = 1
    seed: int = 1
    status: int = 429
    message: str = "scripted fault"
    error_type: str = ""
    body: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    retry_after: str | None = None
    retry_after_ms: int | None = None
    should_retry: bool | None = None
    for_ms: float | None = None
    ending: Literal["end", "close"] = "end"
    megabytes: float = 1
    content_type: str = "text/plain; charset=utf-8"
    bytes: int = 1
    every_ms: float = 10

    @property
    def is_answer(self) -> bool:
        """True for a fault that stands in place of the whole answer."""
        return self.kind == "status" or self.is_before_headers

    @property
    def is_before_headers(self) -> bool:
        """True for a fault after which the client has seen no byte."""
        return self.kind in _BEFORE_HEADERS

    @property
    def changes_events(self) -> bool:
        """True for a fault of the body."""
        return not self.is_answer and self.kind not in _HEAD_ONLY

    def is_due(self, attempt: int) -> bool:
        """Whether it happens to this attempt of its turn, from 1."""
        return self.attempts == 0 or attempt <= self.attempts

    def offset(self, attempt: int) -> int:
        """After how many characters it happens in this attempt: the same for the same seed."""
        if isinstance(self.at, int):
            return self.at
        return Random(f"{self.seed}/{attempt}").randint(*self.at)  # noqa: S311 - repeatable, not secret


def objection(fault: Fault, turn: Turn, size: int, offset: int, *, is_streamed: bool) -> str:
    """Why this fault cannot happen to this reply, as the end of a sentence; empty when it can.

    ``size`` and ``offset``, the place of the fault, count characters of a streamed reply,
    bytes of a whole one.
    """
    if not is_streamed and not fault.is_answer and fault.kind not in _FOR_WHOLE:
        return "needs a streamed reply, and the client asked for a whole one"
    if "at" in KINDS[fault.kind] and offset > size:
        unit = "characters" if is_streamed else "bytes"
        return f"is at {offset} {unit}, and the reply has {size}"
    if fault.kind == "split-utf8" and all(_is_ascii(part) for part in turn.parts):
        return "needs a character beyond ASCII in the reply, and there is none"
    return ""


def _is_ascii(part: object) -> bool:
    return str(getattr(part, "text", getattr(part, "arguments", ""))).isascii()


def error_answer(
    fault: Fault, dialect: Dialect, request_id: str = ""
) -> tuple[tuple[tuple[str, str], ...], bytes]:
    """Headers and body of a ``status`` fault, in the provider's shape unless the script gives a body."""
    headers = {"content-type": "application/json"}
    if fault.body is not None:
        headers["content-type"] = (
            "text/html; charset=utf-8" if "<" in fault.body else "text/plain; charset=utf-8"
        )
    if fault.retry_after is not None:
        headers["retry-after"] = fault.retry_after
    if fault.retry_after_ms is not None:
        headers["retry-after-ms"] = str(fault.retry_after_ms)
    if fault.should_retry is not None:
        headers["x-should-retry"] = "true" if fault.should_retry else "false"
    headers |= {name.lower(): value for name, value in fault.headers}
    if fault.body is not None:
        return tuple(headers.items()), fault.body.encode("utf-8", "replace")
    body = dialect.error_body(fault.status, fault.message, fault.error_type, request_id)
    return tuple(headers.items()), body


def changed_headers(fault: Fault, headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """The reply's headers with the fault in them."""
    rest = tuple((name, value) for name, value in headers if name != "content-type")
    if fault.kind == "no-content-type":
        return rest
    if fault.kind == "wrong-content-type":
        return (("content-type", fault.content_type), *rest)
    return headers


def slowed(fault: Fault, stream: Stream) -> Stream:
    """The reply's pacing with the fault in it."""
    if fault.kind != "slow-first-token":
        return stream
    more_ms = SLOW_MS if fault.for_ms is None else fault.for_ms
    return stream._replace(first_after_ms=stream.first_after_ms + more_ms)


def before_headers(fault: Fault) -> Command:
    """What happens in place of an answer of which the client sees nothing."""
    if fault.kind == "refused-connection":
        return Refuse(REFUSE_MS if fault.for_ms is None else fault.for_ms)
    return Close() if fault.kind == "close-before-headers" else Reset()
