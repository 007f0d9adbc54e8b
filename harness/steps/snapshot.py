"""Step ``snapshot``: what the run looked like is what was accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.steps.verdicts import CheckVerdict, Pending, failed

if TYPE_CHECKING:
    from harness.evidence import Evidence
    from harness.steps.snapshot_arguments import Snapshot


def check(args: Snapshot, evidence: Evidence) -> CheckVerdict:
    """The verdict of the comparison, which is made once, when the run has ended."""
    if not evidence.finished:
        return Pending("the end of the run")
    if args in evidence.snapshots:
        return evidence.snapshots[args]
    names = ", ".join(args.of)
    return failed("nothing was compared", f"{names} as in the snapshots")
