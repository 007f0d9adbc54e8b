"""The console report: every step with its figure, and for a failure all that is needed to go on.

Texts end without a newline: whoever prints one adds it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.reporters.layout import explained
from harness.reporters.paint import Paint
from harness.reporters.printable import padded, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.results import RunResult, ScenarioResult, StepResult, Verdict

ListRow = tuple[str, "Sequence[str]", str]

_VERDICTS: tuple[Verdict, ...] = ("passed", "failed", "error", "skipped")


def render_run(run: RunResult, *, color: bool, width: int, ascii_only: bool = False) -> str:
    """Every scenario of a run, then the summary."""
    paint = Paint(color, width, ascii_only)
    blocks = ["\n".join(_scenario(result, paint)) for result in run.scenarios]
    return "\n\n".join([*blocks, "\n".join(_summary(run, paint))])


def render_scenario(result: ScenarioResult, *, color: bool, width: int, ascii_only: bool = False) -> str:
    """One scenario: its steps as a table, the details of what failed, how to run it again."""
    return "\n".join(_scenario(result, Paint(color, width, ascii_only)))


def render_summary(run: RunResult, *, color: bool, width: int, ascii_only: bool = False) -> str:
    """What did not pass, the counts, and the evidence; the last line counts the scenarios."""
    return "\n".join(_summary(run, Paint(color, width, ascii_only)))


def render_list(rows: Iterable[ListRow], *, color: bool, width: int, ascii_only: bool = False) -> str:
    """Scenarios as ``(name, tags, summary)``, in aligned columns."""
    paint = Paint(color, width, ascii_only)
    cells = [(paint.safe(name), paint.safe(", ".join(tags)), summary) for name, tags, summary in rows]
    if not cells:
        return "no scenarios"
    name_width = max(width_of(name) for name, _, _ in cells)
    tags_width = max(width_of(tags) for _, tags, _ in cells)
    lines: list[str] = []
    for name, tags, summary in cells:
        names = paint.tone(padded(name, name_width), "strong")
        lines += paint.block(f"{names}  {paint.tone(padded(tags, tags_width), 'faint')}  ", summary)
    return "\n".join(lines)


def _scenario(result: ScenarioResult, paint: Paint) -> list[str]:
    lines = [_title(result, paint)]
    if result.summary:
        lines += paint.block("  ", result.summary, "faint")
    if result.problem:
        lines += [line for text in result.problem.splitlines() for line in paint.block("  ", text)]
    lines += _control_table(result, paint) if result.control else _table(result.steps, paint)
    for step in _to_explain(result):
        lines += ["", *_details(step, paint)]
    for note in result.notes:
        lines += paint.block("  note: ", note)
    for attempt in result.attempts:
        if attempt.verdict != "passed":
            text = f"{attempt.verdict}, {attempt.what} ({attempt.evidence})"
            lines += paint.block("  another attempt: ", text, "bad")
    return lines + _way_on(result, paint)


def _title(result: ScenarioResult, paint: Paint) -> str:
    name = paint.safe(result.scenario) + (" (control)" if result.control else "")
    where = paint.safe(f"{result.agent}, {result.dialect}")
    facts = f"{where}, {result.duration_s:.2f} s" if result.verdict != "skipped" else f"{where}, skipped"
    passed, made = result.passes
    facts += f", {passed} of {made} attempts passed" if result.attempts else ""
    return f"{paint.symbol(result.verdict)} {paint.tone(name, 'strong')}  {paint.tone(facts, 'faint')}"


def _table(steps: Sequence[StepResult], paint: Paint) -> list[str]:
    column = max((width_of(paint.safe(step.label)) for step in steps), default=0)
    lines: list[str] = []
    for step in steps:
        head = f"  {paint.symbol(step.verdict)} {padded(paint.safe(step.label), column)}  "
        lines += paint.block(head, step.observed, "bad" if step.verdict == "failed" else None)
    return lines


def _control_table(result: ScenarioResult, paint: Paint) -> list[str]:
    """In a control a step is right when it failed exactly if it had to; without steps nothing was run."""
    if not result.steps:
        return []
    rows = [(step.label, *_control_words(step, result.must_fail), step.observed) for step in result.steps]
    column = max((width_of(paint.safe(label)) for label, *_ in rows), default=0)
    lines: list[str] = []
    for label, verdict, words, observed in rows:
        head = f"  {paint.symbol(verdict)} {padded(paint.safe(label), column)}  {padded(words, 19)}  "
        lines += paint.block(head, observed, "bad" if verdict == "failed" else None)
    return lines


def _control_words(step: StepResult, must_fail: Sequence[str]) -> tuple[Verdict, str]:
    has_to_fail = step.label in must_fail
    if step.verdict not in ("passed", "failed"):
        return step.verdict, step.verdict
    if has_to_fail:
        is_right = step.verdict == "failed"
        return ("passed", "failed as required") if is_right else ("failed", "had to fail, passed")
    return ("passed", "passed") if step.verdict == "passed" else ("failed", "had to pass, failed")


def _to_explain(result: ScenarioResult) -> Sequence[StepResult]:
    """The steps whose details are shown; in a control only those that had to pass."""
    failed = [step for step in result.steps if step.verdict in ("failed", "error")]
    return explained([step for step in failed if not result.control or step.label not in result.must_fail])


def _details(step: StepResult, paint: Paint) -> list[str]:
    word = "failed" if step.verdict == "failed" else "could not be checked"
    place = paint.tone(paint.safe(str(step.place)), "strong")
    lines = paint.block(f"  {place}: ", f"'{step.label}' {word}")
    if step.expected:
        lines += paint.block("    expected  ", step.expected)
    lines += paint.block("    observed  ", step.observed)
    for line in step.evidence:
        lines += paint.block("    ", line, "faint")
    return lines


def _way_on(result: ScenarioResult, paint: Paint) -> list[str]:
    if result.verdict not in ("failed", "error"):
        return []
    lines = [""]
    if result.evidence:
        lines.append(f"  the whole evidence: {paint.safe(result.evidence)}")
    if result.rerun:
        lines.append(f"  run just this again: {paint.safe(result.rerun)}")
    return lines if len(lines) > 1 else []


def _summary(run: RunResult, paint: Paint) -> list[str]:
    plain = [r for r in run.scenarios if not r.control]
    controls = [r for r in run.scenarios if r.control]
    lines: list[str] = []
    if run.evidence:
        lines.append(f"evidence: {paint.safe(run.evidence)} ({run.duration_s:.2f} s)")
    if controls:
        lines.append(f"controls: {_counts(controls, paint)}")
    return [*lines, f"scenarios: {_counts(plain, paint)}"]


def _counts(results: Sequence[ScenarioResult], paint: Paint) -> str:
    counts = {v: sum(r.verdict == v for r in results) for v in _VERDICTS}
    words = []
    for verdict, number in counts.items():
        if number or verdict in ("passed", "failed"):
            text = f"{number} {verdict}"
            is_bad = number and verdict in ("failed", "error")
            words.append(paint.tone(text, "bad") if is_bad else text)
    if flaky := sum(r.is_flaky for r in results):
        words.append(paint.tone(f"{flaky} flaky", "bad"))
    return ", ".join(words)
