"""JUnit XML, in the form that Jenkins' own schema takes and GitLab, GitHub actions and Azure read.

One test suite for each scenario, agent and dialect, since only a suite has properties there; in it the
scenario and its control as test cases. What the gate found is a suite of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from harness.reporters.layout import FAILING, details, name_of, reason, within, worst_first
from harness.reporters.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.results import Attempt, Change, RunResult, ScenarioResult

_FILES = ("events.jsonl", "terminal.cast", "output.txt", "result.json")


def render_junit(run: RunResult, *, root: str = "") -> str:
    """A run as JUnit XML.

    What failed is a ``failure``, what could not be run an ``error``; attempts that did not pass stay in sight
    as ``flakyFailure`` where another one passed and as ``rerunFailure`` where none did. The evidence of a run
    that did not pass is attached in the way Jenkins and GitLab know: ``[[ATTACHMENT|path]]``.

    Args:
        run: What to report.
        root: The folder that paths are written relative to.
    """
    suites: dict[tuple[str, str, str], list[ScenarioResult]] = {}
    for result in run.scenarios:
        suites.setdefault((result.scenario, result.agent, result.dialect), []).append(result)
    found = [_element(change) for change in run.changes if change.level in FAILING]
    totals = _totals(
        run.scenarios,
        tests=len(run.scenarios) + len(run.changes),
        failures=found.count("failure"),
        errors=found.count("error"),
    )
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f'<testsuites name="qa" {totals} time="{run.duration_s:.3f}">')
    for results in suites.values():
        lines += _suite(results, root)
    if run.changes:
        lines += _gate(run.changes, root)
    return "\n".join([*lines, "</testsuites>", ""])


def _suite(results: Sequence[ScenarioResult], root: str) -> Iterator[str]:
    first = results[0]
    skipped = sum(result.verdict == "skipped" for result in results)
    where = f"{first.agent}.{first.dialect}"
    time = sum(result.duration_s for result in results)
    file = within(first.file, root)
    yield (
        f"<testsuite name={_attr(first.scenario)} package={_attr(where)} file={_attr(file)} "
        f'{_totals(results, tests=len(results))} skipped="{skipped}" time="{time:.3f}">'
    )
    yield "<properties>"
    for name, value in _properties(results, root):
        yield f"<property name={_attr(name)} value={_attr(value)}/>"
    yield "</properties>"
    for result in results:
        yield from _case(result, where, root)
    yield "</testsuite>"


def _properties(results: Sequence[ScenarioResult], root: str) -> Iterator[tuple[str, str]]:
    first = results[0]
    yield from (("agent", first.agent), ("dialect", first.dialect), ("summary", first.summary))
    for result in results:
        before = "control." if result.control else ""
        yield f"{before}evidence", within(result.evidence, root)
        yield f"{before}requests", str(result.requests)
        for stop in result.stops:
            figures = {"mechanism": stop.mechanism, "fired_at": stop.fired_at, "kept_chars": stop.kept_chars}
            for name, value in figures.items():
                if value not in ("", None):
                    yield f"{before}reply_{stop.reply}.{name}", str(value)
        if result.attempts:
            passed, made = result.passes
            yield f"{before}passes", f"{passed} of {made}"


def _case(result: ScenarioResult, where: str, root: str) -> Iterator[str]:
    yield (
        f'<testcase name={_attr(name_of(result))} classname={_attr(where)} time="{result.duration_s:.3f}">'
    )
    if result.verdict == "skipped":
        yield f"<skipped message={_attr(reason(result))}/>"
    elif result.verdict != "passed":
        element = "failure" if result.verdict == "failed" else "error"
        kind = _kind(result)
        text = _text("\n".join(details(result)))
        yield f"<{element} type={_attr(kind)} message={_attr(reason(result))}>{text}</{element}>"
    for attempt in result.attempts:
        yield from _attempt(attempt, root, is_flaky=result.is_flaky)
    out = [*_figures(result)]
    if result.verdict in ("failed", "error") and result.evidence and result.steps:
        out += [f"[[ATTACHMENT|{within(result.evidence, root)}/{name}]]" for name in _FILES]
    yield f"<system-out>{_text(chr(10).join(out))}</system-out>"
    yield "</testcase>"


def _kind(result: ScenarioResult) -> str:
    return "control" if result.control else "expectation" if result.verdict == "failed" else "could-not-run"


def _attempt(attempt: Attempt, root: str, *, is_flaky: bool) -> Iterator[str]:
    if attempt.verdict not in ("failed", "error"):
        return
    noun = "Failure" if attempt.verdict == "failed" else "Error"
    element = ("flaky" if is_flaky else "rerun") + noun
    where = _text(f"evidence: {within(attempt.evidence, root)}")
    yield f'<{element} type="attempt" message={_attr(attempt.what)}>'
    yield f"<system-out>{where}</system-out></{element}>"


def _figures(result: ScenarioResult) -> Iterator[str]:
    for step in result.steps:
        yield f"{step.verdict:7} {step.label}: {step.observed}"


def _gate(changes: Sequence[Change], root: str) -> Iterator[str]:
    kinds = [_element(change) for change in changes if change.level in FAILING]
    failures, errors = kinds.count("failure"), kinds.count("error")
    yield (
        f'<testsuite name="gate" package="gate" tests="{len(changes)}" failures="{failures}" '
        f'errors="{errors}" skipped="0">'
    )
    for change in worst_first(changes):
        control = " (control)" if change.control else ""
        name = f"{change.kind}: {change.scenario}{control}"
        where = ".".join(filter(None, ("gate", change.agent, change.dialect)))
        yield f"<testcase name={_attr(name)} classname={_attr(where)}>"
        place = "" if change.place is None else f"{within(str(change.place), root)}: "
        if change.level not in FAILING:
            word = "warning" if change.level == "warns" else "accepted"
            yield f"<system-out>{_text(f'{word}: {place}{change.text}')}</system-out>"
        else:
            facts = f"type={_attr(change.kind)} message={_attr(change.text)}"
            yield f"<{_element(change)} {facts}>{_text(place)}</{_element(change)}>"
        yield "</testcase>"
    yield "</testsuite>"


def _element(change: Change) -> str:
    return "error" if change.kind == "could-not-run" else "failure"


def _totals(results: Sequence[ScenarioResult], *, tests: int, failures: int = 0, errors: int = 0) -> str:
    failed = failures + sum(result.verdict == "failed" for result in results)
    errors += sum(result.verdict == "error" for result in results)
    return f'tests="{tests}" failures="{failed}" errors="{errors}"'


def _attr(text: str) -> str:
    return quoteattr(printable(text))


def _text(text: str) -> str:
    # No control character is allowed in XML, escaped or not.
    return escape("\n".join(map(printable, text.split("\n"))))
