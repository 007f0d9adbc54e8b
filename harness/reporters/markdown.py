"""A summary in Markdown, as GitHub shows it on the page of a job and other places show it in a comment."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from harness.reporters.layout import LEVELS, by_run, counts, details, name_of, reason, where_of, within
from harness.reporters.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.results import Change, RunResult, ScenarioResult

MOST_BYTES = 1_000_000
"""GitHub takes 1 MiB of a step and shows nothing at all of a longer one."""

_HEADS = {
    "fails": "Must be repaired",
    "accept": 'Must be repaired, or taken with `qa gate --accept "reason"`',
    "warns": "Worth a look",
    "accepted": "Accepted",
}
_MARKS = {"passed": "✅", "failed": "❌", "error": "❗", "skipped": "⏭"}
_SPECIAL = re.compile(r"([\\`*_\[\]#|<>~&$@])")


def render_markdown(run: RunResult, *, root: str = "", most_bytes: int = MOST_BYTES) -> str:
    """A run as Markdown: the gate's findings, every run in a table, the details of what did not pass.

    Args:
        run: What to report.
        root: The folder that paths are written relative to.
        most_bytes: Details that would make the text longer than that are left out, and the text says so.
    """
    head = "\n".join([*_head(run), *_changes(run, root), *_table(run)])
    told = [r for r in run.scenarios if r.verdict in ("failed", "error") or r.is_flaky]
    blocks = ["\n".join(_details(r, root)) for r in told]
    kept, size = [head], len(head.encode())
    for block in blocks:
        size += len(block.encode()) + 1
        if size > most_bytes - 200:
            left = len(blocks) - len(kept) + 1
            more = f"{left} more {'run is' if left == 1 else 'runs are'}"
            kept.append(f"\nThe details of {more} left out for their length.")
            break
        kept.append(block)
    return "\n".join(kept) + "\n"


def _head(run: RunResult) -> Iterator[str]:
    words = ", ".join(f"{number} {verdict}" for verdict, number in counts(run).items() if number)
    is_gate = " gate" if run.changes or run.accepted else ""
    yield f"## qa{is_gate}: {words or 'nothing was run'}"
    yield ""
    shard = f", shard {run.shard}" if run.shard else ""
    number = len(run.scenarios)
    yield f"{number} {'run' if number == 1 else 'runs'} in {run.duration_s:.1f} s{shard}."
    if run.accepted:
        yield f"\nAccepted: {_safe(run.accepted)}"


def _changes(run: RunResult, root: str) -> Iterator[str]:
    for level in LEVELS:
        found = by_run(change for change in run.changes if change.level == level)
        if found:
            yield f"\n### {_HEADS[level]}\n"
            for changes in found:
                yield from _of_run(changes, root)


def _of_run(changes: Sequence[Change], root: str) -> Iterator[str]:
    """The worst finding of a run, and below it what else is told of the same run."""
    first = changes[0]
    control, last = " (control)" if first.control else "", None
    head = f"- **{_safe(first.scenario)}{control}** ({_safe(where_of(first))}): "
    for change in changes:
        is_new = change.place and change.place != last
        place = f" ({_code(within(str(change.place), root))})" if is_new else ""
        yield f"{head}{_safe(change.text)}{place}"
        head, last = "  - also: ", change.place


def _table(run: RunResult) -> Iterator[str]:
    if not run.scenarios:
        return
    yield "\n| | scenario | agent | stopped | requests | time |\n|---|---|---|---|--:|--:|"
    for r in run.scenarios:
        stops = ", ".join(
            f"reply {s.reply} at {s.fired_at:,} by {s.mechanism}"
            if s.fired_at is not None
            else f"reply {s.reply}"
            for s in r.stops
        )
        passed, made = r.passes
        rate = f"{', flaky' if r.is_flaky else ''} ({passed} of {made} attempts)" if r.attempts else ""
        cells = [
            f"{_MARKS[r.verdict]} {r.verdict}{rate}",
            _safe(name_of(r)),
            _safe(f"{r.agent}, {r.dialect}"),
            _safe(stops),
            str(r.requests),
            f"{r.duration_s:.2f} s",
        ]
        yield f"| {' | '.join(cells)} |"


def _details(result: ScenarioResult, root: str) -> Iterator[str]:
    yield f"\n<details><summary>{escape(printable(_line(result)))}</summary>\n"
    lines = [printable(within(line, root)) for line in details(result)]
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from [fence, *lines, fence, "", "</details>"]


def _line(result: ScenarioResult) -> str:
    passed, made = result.passes
    is_flake = result.verdict == "passed" and result.is_flaky
    why = f"flaky, passed in {passed} of {made} attempts" if is_flake else reason(result)
    return f"{name_of(result)}: {why}"


def _safe(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", printable(text)) if text else ""


def _code(text: str) -> str:
    return f"`{printable(text).replace('`', chr(39))}`"
