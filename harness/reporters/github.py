"""GitHub's annotations: commands on the standard output that put a message beside a line of a file.

GitHub shows ten errors, ten warnings and ten notices of a step and drops the rest without a word, so the
worst come first, one annotation tells all of a run, and a last notice counts the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from harness.reporters.layout import (
    FAILING,
    by_run,
    details,
    name_of,
    reason,
    where_of,
    within,
    wrong_steps,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.place import Place
    from harness.results import Change, RunResult, ScenarioResult

MOST = 10
"""Annotations of one kind that GitHub takes of a step. Source: GitHub's page on the limits of workflows."""


class _Note(NamedTuple):
    is_error: bool
    place: Place | None
    file: str
    title: str
    text: str


def render_github(run: RunResult, *, root: str = "") -> str:
    """A run as workflow commands, one a line; an empty text when there is nothing to say.

    The gate's findings come first, the worst of them at the top; then what failed, and what could not be run.

    Args:
        run: What to report.
        root: The folder of the checked-out repository; a place outside it has no line to stand beside.
    """
    notes = list(_notes(run))
    lines: list[str] = []
    for is_error, word in ((True, "error"), (False, "warning")):
        of_kind = [note for note in notes if note.is_error == is_error]
        lines += [_command(word, note, root) for note in of_kind[:MOST]]
        if left := len(of_kind) - MOST:
            lines += [f"::notice title=qa::{_data(_more(left, word))}"] if left > 0 else []
    return "".join(f"{line}\n" for line in lines)


def _notes(run: RunResult) -> Iterator[_Note]:
    told = {(c.scenario, c.agent, c.dialect, c.control) for c in run.changes if c.level != "warns"}
    for levels in (FAILING, ("warns",)):
        for changes in by_run(c for c in run.changes if c.level in levels):
            yield _of_changes(changes)
    bad = [r for r in run.scenarios if r.verdict in ("failed", "error")]
    for result in sorted(bad, key=lambda r: (r.verdict != "failed", r.control)):
        key = (result.scenario, result.agent, result.dialect, result.control)
        if key not in told or not run.changes:
            yield _of_result(result, is_error=not run.changes)
    for result in run.scenarios:
        if result.is_flaky and not any(c.kind == "flaky" for c in run.changes):
            passed, made = result.passes
            yield _of_result(result, is_error=False, text=f"flaky: passed {passed} of {made} attempts")


def _of_changes(changes: Sequence[Change]) -> _Note:
    """One run's findings: the first is the worst, and stands in the title and on its line."""
    first = changes[0]
    control = " (control)" if first.control else ""
    title = f"{first.kind}: {first.scenario}{control} ({where_of(first)})"
    return _Note(first.level in FAILING, first.place, "", title, "\n".join(change.text for change in changes))


def _of_result(result: ScenarioResult, *, is_error: bool, text: str = "") -> _Note:
    steps = wrong_steps(result)
    place = steps[0].place if steps else None
    title = f"{name_of(result)} {result.verdict} ({result.agent}, {result.dialect})"
    return _Note(is_error, place, result.file, title, text or "\n".join([reason(result), *details(result)]))


def _command(word: str, note: _Note, root: str) -> str:
    file = within(note.place.file if note.place else note.file, root)
    place, text = note.place, note.text
    facts: list[tuple[str, str]] = []
    if file and not file.startswith("/"):
        facts = [("file", file)]
        facts += [("line", str(place.line)), ("col", str(place.column))] if place else []
    elif place:
        text = f"{place}: {text}"
    facts.append(("title", note.title))
    return f"::{word} {','.join(f'{name}={_value(value)}' for name, value in facts)}::{_data(text)}"


def _more(left: int, word: str) -> str:
    are = f"{word} is" if left == 1 else f"{word}s are"
    return f"{left:,} more {are} not shown here; the job summary and the JUnit report have them all"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _value(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
