"""A reply that was not stopped, or whose stop cannot be seen: what may be said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.steps.abort_crash import ended_badly
from harness.steps.wording import chars

if TYPE_CHECKING:
    from harness.evidence import Evidence
    from harness.steps.replies import Reply
    from mock_llm.journal import Exchange


def is_told(evidence: Evidence, view: Reply) -> bool:
    """Whether an agent without a session tells of a stop that came too late to show as a hang-up."""
    if evidence.session.is_kept or not view.arrived_whole:
        return False
    guard, later = evidence.guard, evidence.main[view.number : view.number + 1]
    texts = [m.text for e in later if e.request for m in e.request.messages if m.role != "assistant"]
    is_printed = bool(guard.output_marker) and guard.output_marker in evidence.output
    return is_printed or (bool(guard.interrupt_marker) and any(guard.interrupt_marker in t for t in texts))


def not_stopped(evidence: Evidence, view: Reply) -> str:
    """What came of a reply that nothing shows to have been stopped."""
    exchange = view.exchange
    assert exchange is not None
    is_proven = _is_proven(evidence, exchange)
    fired = "guard did not fire" if is_proven else "no sign that the guard fired"
    who = fired if evidence.guard.rules else "no guard"
    if view.arrived_whole:
        ended = "" if view.message else ended_badly(view, evidence)
        then = f", and then {ended}" if ended else ""
        verb = "arrived" if is_proven and not ended else "were sent"
        return f"{who}: all {chars(exchange.chars_sent)} {verb}{then}"
    if exchange.ended == "cap":
        return f"{who}: the model stopped at its own cap after {chars(exchange.chars_sent)}"
    return f"{who}: {exchange.chars_sent:,} of {chars(exchange.chars_total)} sent, '{exchange.ended}'"


def why_not_stopped(evidence: Evidence, view: Reply) -> str:
    """Why that fails an abort step."""
    assert view.exchange is not None
    if _is_proven(evidence, view.exchange) or not evidence.guard.rules:
        return "the reply was not stopped"
    return "nothing shows that the reply was stopped; a paced 'stream' (every_ms: 5) lets a hang-up show"


def _is_proven(evidence: Evidence, exchange: Exchange) -> bool:
    """Whether what was sent was read: a session says so, or a client that stayed on a paced stream."""
    return evidence.session.is_kept or exchange.exact
