"""The figures of a run that a gate compares: which replies were stopped, by what, where, what was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from harness.results import Stop
from harness.steps.replies import kept_text, main_stream, reply, turn_text

if TYPE_CHECKING:
    from harness.evidence import Evidence
    from harness.steps.arguments import StreamName
    from harness.steps.replies import Reply


def stops(evidence: Evidence) -> tuple[Stop, ...]:
    """Every reply of the main lane that either side says was stopped.

    A reply counts when a rule is recorded for it, when the session says that it was stopped, or when the
    client hung up on it. Whether that was right is for the steps to say.
    """
    views = [reply(evidence, number) for number in range(1, len(evidence.main) + 1)]
    return tuple(
        _stop(view, evidence) for view in views if view.records or view.is_aborted or view.was_cut_on_wire
    )


def _stop(view: Reply, evidence: Evidence) -> Stop:
    exchange = view.exchange
    assert exchange is not None
    record = view.records[0] if view.records else None
    turn = exchange.turn
    named = record.data.get("stream") if record else None
    main = main_stream(turn.turn) if turn else "text"
    stream = cast("StreamName", named) if named in ("text", "thinking", "tool") else main
    is_endless = turn is not None and turn.stream.until_hang_up
    kept = (
        kept_text(view.message, stream, evidence.guard.truncation_marker)[0]
        if view.message is not None
        else None
    )
    return Stop(
        reply=view.number,
        stream=stream,
        rule=record.rule if record else "",
        mechanism=(record.mechanism or "") if record else "",
        fired_at=record.fired_at if record else None,
        kept_chars=None if kept is None else len(kept),
        sent_chars=exchange.chars_sent,
        text_chars=len(turn_text(turn.turn, stream)) if turn and not is_endless else 0,
    )
