"""The kill matrix as text: which tests tell which mutants from the guard."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from harness.lab.mutants import Mutant
    from harness.lab.mutation_reasons import Judgement
    from harness.lab.mutation_worker import Tried

GROUPS = ("contract", "turns", "leak", "collapse", "scenarios", "runs")
_ONE_BY_ONE = ("wiring", "stream", "order", "threshold")
_WHAT = {
    "wiring": "a mechanism taken out: failing cases",
    "stream": "a stream left out or added: killed first by",
    "order": "two mechanisms in another order: killed first by",
    "threshold": "a threshold one step off: killed first by",
    "edge": "a limit that counts, or no more: mutants killed first by",
    "flip": "a comparison the other way round: mutants killed first by",
}


def render_matrix(
    mutants: Sequence[Mutant], results: Mapping[str, Tried], *, verbose: bool = False
) -> Iterator[str]:
    """The lines of the matrix: a row for each mutant of the profile and for each module of the code.

    Args:
        mutants: Those that were tried.
        results: What became of them, by their ids.
        verbose: A row for each changed comparison as well.
    """
    for kind, title in _WHAT.items():
        chosen = [mutant for mutant in mutants if mutant.kind == kind]
        if not chosen:
            continue
        rows = (
            [_row(mutant.id, results[mutant.id]) for mutant in chosen]
            if verbose or kind in _ONE_BY_ONE
            else list(_by_module(chosen, results))
        )
        width = max(len(name) for name, _cells, _note in rows)
        yield ""
        yield f"{title:{width}}  {'  '.join(f'{group:>9}' for group in GROUPS)}"
        for name, cells, note in rows:
            yield f"{name:{width}}  {'  '.join(f'{cell:>9}' for cell in cells)}  {note}".rstrip()
        if kind == "wiring":
            yield ""
            yield from map(_fact, (results[mutant.id] for mutant in chosen))


def render_summary(
    results: Sequence[Tried], judgement: Judgement, reasons: Mapping[str, str]
) -> Iterator[str]:
    """How many were killed, and what is said of the others."""
    killed = sum(result.is_killed for result in results)
    yield ""
    share = f", {100 * killed / len(results):.1f} in 100" if results else ""
    yield f"{killed} of {_count(len(results), 'mutant')} killed{share}"
    yield from render_reasons(
        judgement, reasons, "add a case to the contract, or a reason to the list of reasons"
    )


def render_reasons(judgement: Judgement, reasons: Mapping[str, str], cure: str) -> Iterator[str]:
    """What is said of the survivors; ``cure`` stands below those of which nothing is said."""
    if judgement.explained:
        yield ""
        yield f"{_count(len(judgement.explained), 'survivor')} with a reason:"
        for name in judgement.explained:
            yield f"  {name}"
            yield f"    {reasons[name]}"
    if judgement.unexplained:
        yield ""
        yield f"{_count(len(judgement.unexplained), 'survivor')} without a reason:"
        yield from (f"  {name}" for name in judgement.unexplained)
        yield f"  {cure}"
    if judgement.outdated:
        yield ""
        yield "the list of reasons is out of date:"
        yield from (f"  {line}" for line in judgement.outdated)


def _fact(result: Tried) -> str:
    name = result.mutant.split(":")[0]
    count = sum(map(len, result.failed.values()))
    if not (result.others or result.missed):
        return f"without {name} exactly its {_count(count, 'positive test')} fail"
    parts = []
    if result.missed:
        parts.append(f"these of its positive tests hold all the same: {', '.join(result.missed)}")
    if result.others:
        parts.append(f"others fail too: {', '.join(result.others)}")
    return f"without {name} {'; '.join(parts)}"


def _row(name: str, result: Tried) -> tuple[str, list[str], str]:
    cells = [str(len(result.failed[group])) if group in result.failed else "." for group in GROUPS]
    note = result.crash or ("" if result.is_killed else "survives")
    return name, cells, note


def _by_module(
    mutants: Sequence[Mutant], results: Mapping[str, Tried]
) -> Iterator[tuple[str, list[str], str]]:
    for module in dict.fromkeys(mutant.group for mutant in mutants):
        tried = [results[mutant.id] for mutant in mutants if mutant.group == module]
        counts = [sum(group in result.failed for result in tried) for group in GROUPS]
        alive = sum(not result.is_killed for result in tried)
        note = f"{alive} of {len(tried)} survive" if alive else f"all of {len(tried)}"
        yield module, [str(count) if count else "." for count in counts], note


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
