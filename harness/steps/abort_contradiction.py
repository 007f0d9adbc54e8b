"""Where the wire and the session tell different stories about a stopped reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.steps.replies import chars_before, ended_normally, kept_text, record_name, turn_text
from harness.steps.wording import chars

if TYPE_CHECKING:
    from harness.steps.arguments import StreamName
    from harness.steps.replies import Reply
    from mock_llm.journal import Exchange

# An agent that stops at once closes its socket within milliseconds. A second of further reading on a
# paced stream cannot be explained by data in flight or by a busy machine.
GRACE_S = 1.0


def contradiction(view: Reply, stream: StreamName) -> str:
    """Say what does not fit, or give an empty string. The reply has ended on the wire."""
    return _stop_reason_conflict(view) or _offset_conflict(view, stream) or _went_on_reading(view, stream)


def _stop_reason_conflict(view: Reply) -> str:
    message, exchange = view.message, view.exchange
    if message is None or exchange is None or view.is_aborted:
        return ""
    reason = message.error or message.stop_reason
    if not view.records:
        hung_up = f"the client hung up after {exchange.chars_sent:,} of {chars(exchange.chars_total)}"
        return f"{hung_up}, but the session says that reply {view.number} ended with '{reason}'"
    if ended_normally(message):
        fired = f"the session records {record_name(view.records[0])}"
        return f"{fired}, but says that reply {view.number} ended with '{reason}'"
    return ""


def _offset_conflict(view: Reply, stream: StreamName) -> str:
    exchange, fired_at = view.exchange, _fired_at(view)
    if exchange is None or fired_at is None:
        return ""
    if fired_at > exchange.chars_sent:
        sent = f"only {chars(exchange.chars_sent)} were sent"
        return f"the session says that the guard fired at {fired_at:,}, but {sent}"
    turn = exchange.turn
    if turn is None or turn.stream.until_hang_up:
        return ""
    length = len(turn_text(turn.turn, stream))
    if fired_at > length:
        return f"the guard fired at {fired_at:,}, but the {stream} stream has {chars(length)}"
    return ""


def _went_on_reading(view: Reply, stream: StreamName) -> str:
    exchange, fired_at = view.exchange, _fired_at(view)
    if exchange is None or view.was_cut_on_wire or not exchange.exact:
        return ""
    if fired_at is None:
        return _read_beyond_what_is_kept(view, exchange, stream)
    seconds = _seconds_after(exchange, fired_at, stream)
    if seconds <= GRACE_S:
        return ""
    went_on = f"the client went on reading for {seconds:.1f} s, all {chars(exchange.chars_sent)}"
    return f"the session says that the guard fired at {fired_at:,}, but {went_on}"


def _read_beyond_what_is_kept(view: Reply, exchange: Exchange, stream: StreamName) -> str:
    """A session that does not say where a guard fired leaves what was kept as the earliest place."""
    if view.message is None or not (view.arrived_whole or exchange.ended == "cap"):
        return ""
    kept = len(kept_text(view.message, stream, "")[0])
    seconds = _seconds_after(exchange, kept, stream)
    if seconds <= GRACE_S:
        return ""
    stopped = f"the session says that reply {view.number} was stopped and keeps {chars(kept)}"
    return f"{stopped}, but the client went on reading for {seconds:.1f} s, all {chars(exchange.chars_sent)}"


def _seconds_after(exchange: Exchange, fired_at: int, stream: StreamName) -> float:
    """How long an evenly paced reply went on after the offset."""
    if exchange.ended_s is None or exchange.turn is None or exchange.chars_sent == 0:
        return 0.0
    offset = chars_before(exchange.turn.turn, stream) + fired_at
    share = max(0, exchange.chars_sent - offset) / exchange.chars_sent
    return share * (exchange.ended_s - exchange.started_s)


def _fired_at(view: Reply) -> int | None:
    return next((r.fired_at for r in view.records if r.fired_at is not None), None)
