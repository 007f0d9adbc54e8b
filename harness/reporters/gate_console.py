"""What ``qa gate`` prints: one line a run, then the findings, then what follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.reporters.layout import FAILING, LEVELS, by_run, counts, name_of, reason, where_of, wrong_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.reporters.paint import Paint
    from harness.results import Change, RunResult, ScenarioResult

_HEADS = {
    "fails": "must be repaired:",
    "accept": "repair, or take it with: qa gate --accept 'reason'",
    "warns": "worth a look:",
    "accepted": "accepted, and in the baseline from now on:",
}


def render_run_line(result: ScenarioResult, paint: Paint) -> str:
    """One run in one line, with why it did not pass."""
    name = paint.safe(name_of(result))
    where = f"{paint.safe(result.agent)}, {result.dialect}, {result.duration_s:.2f} s"
    passed, made = result.passes
    rate = f", {passed} of {made} attempts passed" if result.attempts else ""
    head = f"{paint.symbol(result.verdict)} {name}  {paint.tone(where + rate, 'faint')}"
    if result.verdict == "passed":
        return head
    lines = [head, *paint.block("    ", reason(result))]
    wrong = wrong_steps(result)
    if wrong and wrong[0].kind == "snapshot" and wrong[0].evidence:
        lines += paint.block("    ", wrong[0].evidence[0])  # how to look at it here
    return "\n".join(lines)


def render_gate(run: RunResult, paint: Paint, wrote: str = "") -> str:
    """The findings, the worst first, and the last line that says how the gate ended.

    ``wrote`` is a line that says where a new baseline is.
    """
    lines: list[str] = []
    for level in LEVELS:
        found = [change for change in run.changes if change.level == level]
        if found:
            lines += ["", _HEADS[level]]
            new = [change for change in found if change.kind == "new-scenario"]
            for changes in by_run(change for change in found if change.kind != "new-scenario"):
                lines += _changes(changes, paint, is_bad=level in FAILING)
            lines += _new(new, paint) if new else []
    return "\n".join([*lines, "", *_end(run, paint, wrote)])


def _new(changes: Sequence[Change], paint: Paint) -> list[str]:
    names = ", ".join(dict.fromkeys(change.scenario for change in changes))
    cure = "" if changes[0].level == "accepted" else ", in the baseline with: qa gate --accept 'reason'"
    return [f"  {_count(len(changes), 'new scenario')}{cure}:", *paint.block("    ", names)]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _changes(changes: Sequence[Change], paint: Paint, *, is_bad: bool) -> Iterator[str]:
    """The findings of one run; its name and agent stand in the first line, a place where it is new."""
    head, where, last = _head(changes[0], paint), f" [{where_of(changes[0])}]", None
    for change in changes:
        place = f" ({change.place})" if change.place and change.place != last else ""
        yield from paint.block(head, f"{change.text}{place}{where}", "bad" if is_bad else None)
        head, where, last = "    also: ", "", change.place


def _head(change: Change, paint: Paint) -> str:
    return f"  {paint.safe(change.scenario)}{' (control)' if change.control else ''}: "


def _end(run: RunResult, paint: Paint, wrote: str) -> Iterator[str]:
    if run.evidence:
        yield f"evidence: {paint.safe(run.evidence)} ({run.duration_s:.2f} s)"
    words = ", ".join(f"{number} {verdict}" for verdict, number in counts(run).items() if number)
    yield f"runs: {words or 'none'}"
    if wrote:
        yield paint.safe(wrote)
    failing = sum(change.level in FAILING for change in run.changes)
    warnings = sum(change.level == "warns" for change in run.changes)
    aside = f", {_count(warnings, 'warning')}" if warnings else ""
    if failing:
        yield paint.tone(f"gate: failed, {_count(failing, 'finding')}{aside}", "bad")
    else:
        yield paint.tone(f"gate: passed{aside}", "good")
