"""What a check says: passed, failed, nothing to judge by, or not yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.steps.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_LINES = 8


@dataclass(frozen=True, slots=True)
class Passed:
    """The step holds; ``observed`` gives the figures that were seen."""

    observed: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The step cannot hold any more; ``evidence`` is a few short lines to look at."""

    observed: str
    expected: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pending:
    """The step may still pass or fail; ``waiting_for`` completes the sentence "waiting for ..."."""

    waiting_for: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """There is nothing here to judge the step by; ``why`` says what is missing and how to get it."""

    why: str


CheckVerdict = Passed | Failed | Skipped | Pending


def failed(observed: str, expected: str, lines: Iterable[str] = ()) -> Failed:
    """Build a failure whose texts are capped: at most 8 evidence lines of 160 characters.

    The session's line is left out where it would only say again what was observed.
    """
    kept = [shortened(line) for line in lines if line and line != f"session: {observed}"]
    if len(kept) > MAX_LINES:
        left_out = len(kept) - MAX_LINES + 1
        kept = [*kept[: MAX_LINES - 1], f"... and {left_out} more lines"]
    return Failed(shortened(observed, 240), shortened(expected, 240), tuple(kept))
