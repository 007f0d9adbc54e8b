"""What ``qa gate`` prints: one line a run, then the findings, then what follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.reporters.layout import LEVELS, counts, name_of, reason, worst_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.reporters.paint import Paint
    from harness.results import Change, RunResult, ScenarioResult

_HEADS = {
    "fails": "must be repaired:",
    "accept": "repair, or take it with: qa gate --accept 'reason'",
    "warns": "worth a look:",
}
_ACCEPTED = "accepted:"


def render_run_line(result: ScenarioResult, paint: Paint) -> str:
    """One run in one line, with why it did not pass."""
    name = paint.safe(name_of(result))
    where = f"{paint.safe(result.agent)}, {result.dialect}, {result.duration_s:.2f} s"
    passed, made = result.passes
    rate = f", {passed} of {made} attempts passed" if result.attempts else ""
    head = f"{paint.symbol(result.verdict)} {name}  {paint.tone(where + rate, 'faint')}"
    if result.verdict == "passed":
        return head
    return "\n".join([head, *paint.block("    ", reason(result))])


def render_gate(run: RunResult, paint: Paint) -> str:
    """The findings, the worst first, and the last line that says how the gate ended."""
    lines: list[str] = []
    for level in LEVELS:
        found = [change for change in worst_first(run.changes) if change.level == level]
        if found:
            is_taken = level == "accept" and run.accepted
            lines += ["", _ACCEPTED if is_taken else _HEADS[level]]
            tone = level != "warns" and not is_taken
            new = [change for change in found if change.kind == "new-scenario"]
            for change in found:
                if change not in new:
                    lines += _change(change, paint, is_bad=tone)
            lines += _new(new, paint) if new else []
    return "\n".join([*lines, "", *_end(run, paint)])


def _new(changes: Sequence[Change], paint: Paint) -> list[str]:
    names = ", ".join(dict.fromkeys(change.scenario for change in changes))
    head = f"  {len(changes)} not in the baseline until 'qa gate --accept REASON' puts them there:"
    return [head, *paint.block("    ", names)]


def _change(change: Change, paint: Paint, *, is_bad: bool) -> Iterator[str]:
    control = " (control)" if change.control else ""
    where = f"{change.agent}, {change.dialect}"
    place = f" ({change.place})" if change.place else ""
    head = f"  {paint.safe(change.scenario)}{control}: "
    yield from paint.block(head, f"{change.text}{place} [{where}]", "bad" if is_bad else None)


def _end(run: RunResult, paint: Paint) -> Iterator[str]:
    if run.evidence:
        yield f"evidence: {paint.safe(run.evidence)} ({run.duration_s:.2f} s)"
    words = ", ".join(f"{number} {verdict}" for verdict, number in counts(run).items() if number)
    yield f"runs: {words or 'none'}"
    levels = ("fails",) if run.accepted else ("fails", "accept")
    failing = sum(change.level in levels for change in run.changes)
    warnings = sum(change.level == "warns" for change in run.changes)
    noun = "warning" if warnings == 1 else "warnings"
    aside = f", {warnings} {noun}" if warnings else ""
    if failing:
        findings = "1 finding" if failing == 1 else f"{failing} findings"
        yield paint.tone(f"gate: failed, {findings}{aside}", "bad")
    else:
        yield paint.tone(f"gate: passed{aside}", "good")
