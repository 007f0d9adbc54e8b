"""What a fault looks like in YAML, as a shape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mock_llm.shape import Bool, Checked, Either, Enum, Field, Int, ListOf, MapOf, Num, Record, Str

if TYPE_CHECKING:
    from mock_llm.faults import Fault

_HOUR_MS = 3_600_000
_HEADERS = ("retry_after", "content_type")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"(?:[!-~](?:[\t -~]*[!-~])?)?")
_FRAMING = frozenset(("content-length", "transfer-encoding"))
_CHARS = Int("Characters of content.", 0, 100_000_000)
NAMES = (
    "status", "refused-connection", "close-before-headers", "reset-before-headers", "slow-first-token",
    "stall", "trickle", "reset", "close", "early-end", "half-event", "no-blank-line", "bad-json",
    "error-event", "duplicate-event", "unknown-event", "oversized-event", "split-utf8", "bom", "crlf",
    "comments", "ids", "retry-lines", "no-space", "wrong-content-type", "no-content-type",
)  # fmt: skip


def _fault(value: dict[str, Any]) -> Fault:
    from mock_llm.faults import KINDS, Fault  # few scripts have a fault

    given = {key: each for key, each in value.items() if each is not None}
    kind = given["kind"]
    foreign = [key for key in given if key not in KINDS[kind] | {"kind"}]
    if foreign:
        takes = ", ".join(sorted(KINDS[kind]))
        raise ValueError(f"'{foreign[0]}' says nothing of a '{kind}' fault; it takes {takes}")
    if isinstance(given.get("at"), tuple):
        low, *rest = given["at"]
        high = rest[0] if rest else low
        if high < low:
            raise ValueError(f"expected a range in 'at', got {low} to {high}")
        given["at"] = (low, high)
    given["headers"] = tuple(given.get("headers", {}).items())
    for name, text in (*given["headers"], *((key, given[key]) for key in _HEADERS if key in given)):
        _check_header(name, text)
    return Fault(**given)


def _check_header(name: str, text: str) -> None:
    if name.lower() in _FRAMING:
        raise ValueError(f"'{name}' says how the answer travels, and is not for a script to say")
    if not _TOKEN.fullmatch(name):
        raise ValueError(f"'{name}' cannot be the name of a header: it is letters, digits and '-'")
    if not _VALUE.fullmatch(text):
        raise ValueError(f"'{name}' holds what a header cannot, such as the end of a line or 'é'")


FAULT = Checked(
    Record(
        "a fault",
        {
            "kind": Field(Enum(NAMES, "What goes wrong."), required=True),
            "at": Field(
                Either(
                    (_CHARS, ListOf(_CHARS, at_least=2, at_most=2)),
                    "After how many characters; two numbers are a range of which the seed picks one.",
                )
            ),
            "attempts": Field(Int("For how many attempts of this turn; 0 means for every one.", 0, 1000)),
            "seed": Field(Int("Another seed, another place within the range of 'at'.", 0)),
            "status": Field(Int("The HTTP status.", 400, 599)),
            "message": Field(Str("What the error says.")),
            "error_type": Field(Str("The provider's type of the error, if not the usual one.")),
            "body": Field(Str("A body in place of the provider's shape.", allow_empty=True)),
            "headers": Field(MapOf(Str(allow_empty=True), "More response headers.")),
            "retry_after": Field(Str("The header 'retry-after': seconds or a date.")),
            "retry_after_ms": Field(Int("The header 'retry-after-ms'.", 0, _HOUR_MS)),
            "should_retry": Field(Bool("The header 'x-should-retry'.")),
            "for_ms": Field(Num("How long it lasts, in milliseconds.", 0, _HOUR_MS)),
            "ending": Field(
                Enum(("end", "close"), "Whether the body ends properly or the connection closes.")
            ),
            "megabytes": Field(Num("Size of the event.", 0, 256)),
            "content_type": Field(Str("The content type that is sent.")),
            "bytes": Field(Int("Bytes at a time.", 1, 1_000_000)),
            "every_ms": Field(Num("Milliseconds from one piece to the next.", 0, _HOUR_MS)),
        },
        "What goes wrong with the reply, and where; see [faults](faults.md).",
    ),
    _fault,
)
