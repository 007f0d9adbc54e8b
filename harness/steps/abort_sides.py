"""A stop by a guard that is no stream rule: which sides show it, and where they contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.steps.replies import ended_normally, was_stopped
from harness.steps.wording import chars, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.evidence import Evidence
    from harness.steps.abort_words import Said
    from harness.steps.replies import Reply


def sides(view: Reply, evidence: Evidence, words: Sequence[Said]) -> list[str]:
    """Wire, session and screen, each with what it shows of the stop; a side that was not had says so.

    The session's side is a stop reason, an error or a missing message; the screen's are the guard's words.
    """
    told = [str(word) for word in words if word.channel == "request"]
    return [_wire(view), _session(view, evidence, words), *told, _screen(evidence, words)]


def _wire(view: Reply) -> str:
    exchange = view.exchange
    assert exchange is not None
    total = chars(exchange.chars_total)
    if not view.was_cut_on_wire:
        return f"wire: all {total} were sent" if view.arrived_whole else f"wire: '{exchange.ended}'"
    most = "" if exchange.exact else "at most "
    is_endless = exchange.turn is not None and exchange.turn.stream.until_hang_up
    sent = chars(exchange.chars_sent) if is_endless else f"{exchange.chars_sent:,} of {total}"
    return f"wire: client hung up after {most}{sent}"


def _session(view: Reply, evidence: Evidence, words: Sequence[Said]) -> str:
    if not evidence.session.is_kept:
        return "session: this agent keeps none"
    said = next((f", {quoted(word.line)}" for word in words if word.channel == "session"), "")
    if view.message is None:
        return f"session: it has no message of the reply{said}"
    message = view.message
    kept = chars(len(message.text) + len(message.thinking))
    return f"session: stop reason '{message.stop_reason}', {kept} kept{said}"


def _screen(evidence: Evidence, words: Sequence[Said]) -> str:
    name = "screen" if evidence.typed else "output"
    line = next((word.line for word in words if word.channel == "output"), "")
    return f"{name}: {quoted(line)}" if line else f"{name}: nothing of it"


def conflict(view: Reply, words: Sequence[Said]) -> str:
    """Say which sides contradict the words of a guard, or give an empty string.

    A guard that says that it has stopped a reply has not if the whole of it was sent and is kept as an answer
    that ended by itself.
    """
    message, exchange = view.message, view.exchange
    if message is None or exchange is None:
        return ""
    if was_stopped(message) or view.is_aborted:
        return ""
    said = f"the {words[0].channel} says {quoted(words[0].line)}"
    reason = quoted(message.stop_reason)
    if view.was_cut_on_wire:
        if not message.stop_reason or not ended_normally(message):
            return ""
        sent = f"the client hung up after {exchange.chars_sent:,} of {chars(exchange.chars_total)}"
        return f"{said} and {sent}, but the session says that reply {view.number} ended with {reason}"
    if len(message.text) + len(message.thinking) < exchange.chars_total:
        return ""
    whole = f"all {chars(exchange.chars_total)} of reply {view.number} were sent"
    return f"{said}, but {whole} and the session keeps them, ended with {reason}"
