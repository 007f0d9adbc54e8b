"""What became of an exchange, as far as it matters for the answers to later requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from mock_llm.journal import Exchange

# Faults that a client may well survive: when it hangs up during one, that is its own will.
_HARMLESS = frozenset(
    {
        "comments", "crlf", "retry-lines", "no-space", "split-utf8", "duplicate-event", "unknown-event",
        "wrong-content-type", "no-content-type", "oversized-event", "trickle",
    }
)  # fmt: skip
# These delay a reply, which is of use when it comes after all.
_DELAYS = frozenset({"slow-first-token", "stall"})


class Fate(NamedTuple):
    """How an exchange ended.

    Attributes:
        failed: It was of no use to the client, which may well ask the same again: the reply was broken by a
            fault, or the client gave up before the first character.
        cut: What the client had for certain of a reply that it cut off; empty for any other.
        whole: The text of a reply that arrived whole; empty for any other.
    """

    failed: bool = False
    cut: str = ""
    whole: str = ""


def fate_of(exchange: Exchange) -> Fate:
    """The fate of an exchange; one that is still open has none yet.

    What was cut off is exact to the delta on a paced stream. On any other it is what the client's kernel is
    known to have, which may be nothing.
    """
    is_broken = bool(exchange.fault) and exchange.fault not in _HARMLESS
    match exchange.ended:
        case "complete" | "cap":
            if is_broken and exchange.fault not in _DELAYS:
                return Fate(failed=True)
            return Fate(whole=exchange.text_sent)
        case "fault":
            return Fate(failed=True)
        case "client-hung-up":
            if is_broken or not exchange.chars_sent:
                return Fate(failed=True)
            known = exchange.chars_sent if exchange.exact else exchange.received_at_least
            return Fate(cut=exchange.text_sent[:known])
    return Fate()
