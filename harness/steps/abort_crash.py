"""A hang-up that was no guard's doing: the agent ended, and its connection with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.evidence import Evidence
    from harness.steps.replies import Reply


def ended_with_hang_up(view: Reply, evidence: Evidence) -> str:
    """Say how the agent ended, or give an empty string when it outlived its hang-up.

    It did when it recorded a rule, when its session calls the message aborted, when it made another
    request, and when it exited normally after printing what its description calls ``output_marker``.
    """
    code = evidence.exit_code
    if code is None or not view.was_cut_on_wire or view.is_aborted or went_on(view, evidence):
        return ""
    marker = evidence.guard.output_marker
    if _has_record(view, evidence) or (code == 0 and marker and marker in evidence.output):
        return ""
    if evidence.driven:  # it may have lived on until it was asked to quit
        hung_up = f"the agent hung up on reply {view.number}, made no further request"
        return f"{hung_up}, and {_ended(code)}"
    return f"the agent {_ended(code)} while reply {view.number} was streamed"


def ended_badly(view: Reply, evidence: Evidence) -> str:
    """Say how the agent failed with this reply as its last one, or give an empty string."""
    code = evidence.exit_code
    if not code or went_on(view, evidence):
        return ""
    return f"the agent {_ended(code)}"


def _has_record(view: Reply, evidence: Evidence) -> bool:
    """Whether a rule was recorded for this reply, also when its message was not saved any more."""
    if evidence.transcript is None:
        return False
    saved = len(evidence.transcript.messages)
    return bool(view.records) or any(record.message >= saved for record in evidence.transcript.rules)


def went_on(view: Reply, evidence: Evidence) -> bool:
    """Whether the agent made a request after it had hung up on the reply."""
    exchange = view.exchange
    if exchange is None or exchange.ended_s is None:
        return False
    ended_s = exchange.ended_s
    return len(evidence.main) > view.number or any(e.started_s > ended_s for e in evidence.exchanges)


def _ended(code: int) -> str:
    return f"exited with {code}" if code >= 0 else f"was ended by signal {-code}"
