"""What is done about each rule: what is kept of the reply, and how the model is asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from harness.detectors.finding import Finding
    from harness.refagent.conversation import StopReason


class Remedy(NamedTuple):
    """The agent's answer to one rule.

    Attributes:
        keeps: Whether what came before the garbage is kept; otherwise the whole reply is dropped.
        marks: Whether a marker block says that something was cut off.
        stop_reason: How the kept message is said to have ended.
        interrupts: Whether the next request carries an interrupt; otherwise the same request is sent again.
        remediation: What the session calls it.
        again: What is said when it did not help.
    """

    keeps: bool
    marks: bool
    stop_reason: StopReason
    interrupts: bool
    remediation: str
    again: str

    def error(self, finding: Finding) -> str:
        """The error text of the message."""
        if self.keeps:
            return f"stopped by stream rule {finding.rule}"
        return f"dropped by stream rule {finding.rule}: {finding.reason}"

    def notice(self, finding: Finding) -> str:
        """What the user is told."""
        at = f"{finding.fired_at:,} characters"
        if not self.keeps:
            return f"stream rule {finding.rule}: output dropped at {at}"
        return f"stream rule {finding.rule}: output interrupted at {at}, kept {finding.garbage_start:,}"


_CUT = Remedy(
    keeps=True,
    marks=True,
    stop_reason="aborted",
    interrupts=True,
    remediation="nudge",
    again="the corrected reply looped again",
)
# A leak says nothing about the model's work, so there is nothing to tell it: the reply is drawn once more.
_DRAWN_AGAIN = Remedy(
    keeps=False,
    marks=False,
    stop_reason="error",
    interrupts=False,
    remediation="provider-error",
    again="the second reply leaked too",
)
# Nothing in the reply itself is garbage: it only says what was said before.
_KEPT = _CUT._replace(marks=False, again="the corrected reply repeats the ones before again")

_REMEDIES = {"control-token-leak": _DRAWN_AGAIN, "repetitive-turns": _KEPT}


def remedy_for(rule: str) -> Remedy:
    """What is done when ``rule`` has fired; a rule without a row of its own is a collapse."""
    return _REMEDIES.get(rule, _CUT)


_COLLAPSED = (
    "Your last reply was stopped because it had begun to repeat itself; the repeated part was thrown "
    "away. Do not take it up again and do not restate your plan."
)
_REPEATED = (
    "Your last reply was stopped because it says nearly the same as the replies before it. "
    "Do not say it once more."
)


def interrupt_text(rule: str) -> str:
    """What the model is told after rule ``rule`` stopped it. It quotes nothing of the dropped text."""
    return (
        f'<system-interrupt reason="rule_violation" rule="{rule}">\n'
        f"{_REPEATED if rule == 'repetitive-turns' else _COLLAPSED} Do the next concrete step, or give the "
        "answer the user asked for, and then stop.\n"
        "</system-interrupt>"
    )
