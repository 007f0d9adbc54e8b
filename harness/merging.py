"""Several parts of a run as the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.problems import UserError
from harness.results import RunResult

if TYPE_CHECKING:
    from collections.abc import Sequence


class CannotMerge(UserError):
    """Parts that are not the whole of one run."""


def merged(parts: Sequence[tuple[str, RunResult]]) -> RunResult:
    """The whole of some parts, each with its file's name; runs come by name.

    What was found in several parts, such as a scenario that is gone, counts once. The duration is the
    longest.

    Raises:
        CannotMerge: If a shard is missing or comes twice, or if two parts made the same run.
    """
    _check_shards(parts)
    results = [result for _file, run in parts for result in run.scenarios]
    made: dict[tuple[str, str, str, bool], str] = {}
    for file, run in parts:
        for r in run.scenarios:
            first = made.setdefault((r.scenario, r.agent, r.dialect, r.control), file)
            if first != file:
                raise CannotMerge(f"'{r.scenario}' on {r.agent}, {r.dialect} is in {first} and in {file}")
    return RunResult(
        scenarios=tuple(sorted(results, key=lambda r: (r.agent, r.dialect, r.scenario, r.control))),
        evidence=", ".join(dict.fromkeys(run.evidence for _file, run in parts if run.evidence)),
        duration_s=max(run.duration_s for _file, run in parts),
        changes=tuple(dict.fromkeys(change for _file, run in parts for change in run.changes)),
        accepted="; ".join(dict.fromkeys(run.accepted for _file, run in parts if run.accepted)),
    )


def _check_shards(parts: Sequence[tuple[str, RunResult]]) -> None:
    sharded = {file: run.shard for file, run in parts if run.shard}
    if not sharded:
        return
    if whole := [file for file, run in parts if not run.shard]:
        raise CannotMerge(f"{whole[0]} is no shard, and {next(iter(sharded))} is one")
    totals = {shard.partition("/")[2] for shard in sharded.values()}
    if len(totals) > 1:
        raise CannotMerge(f"the parts are not of one run: {', '.join(sorted(sharded.values()))}")
    total = int(totals.pop())
    numbers = [int(shard.partition("/")[0]) for shard in sharded.values()]
    if missing := sorted(set(range(1, total + 1)) - set(numbers)):
        named = ", ".join(f"{number}/{total}" for number in missing)
        raise CannotMerge(f"shard {named} is missing: what was not run cannot have passed")
    if len(numbers) > total:
        raise CannotMerge(f"a shard of {total} comes twice: {', '.join(sorted(sharded.values()))}")
