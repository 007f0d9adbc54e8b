"""What another implementation says, beside what the guard says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from harness.lab.foreign import OFFSETS

if TYPE_CHECKING:
    from harness.lab.foreign import Claim
    from harness.lab.replay import Verdict


class Row(NamedTuple):
    """One figure of both; None is what one of them does not state."""

    name: str
    ours: str | int | None
    theirs: str | int | None

    @property
    def differs(self) -> bool:
        """Whether both say something, and not the same."""
        return None not in (self.ours, self.theirs) and self.theirs != self.ours


class Comparison(NamedTuple):
    """Both verdicts on one message.

    ``failure`` says why the other implementation has none. ``rows`` is empty when both stay silent.
    """

    verdict: Verdict
    claim: Claim | None
    rows: tuple[Row, ...] = ()
    failure: str = ""

    @property
    def differences(self) -> tuple[Row, ...]:
        """The rows that differ."""
        return tuple(row for row in self.rows if row.differs)


def compare(verdict: Verdict, claim: Claim | None) -> Comparison:
    """Lay two verdicts on one message side by side."""
    finding = verdict.finding
    if finding is None and claim is None:
        return Comparison(verdict, claim)
    said = Row("verdict", "fires" if finding else "silent", "fires" if claim else "silent")
    rows = [said]
    if len(verdict.message.parts) > 1:
        rows.append(Row("block", verdict.part, claim.block if claim else None))
    rows += [
        Row(name, getattr(finding, name, None), getattr(claim, name, None))
        for name in ("mechanism", *OFFSETS)
    ]
    return Comparison(verdict, claim, tuple(rows))
