"""Mutants that no test notices, as findings of the gate: what ``qa mutate --json`` says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.results import Change

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDED = (0, 1)
_NOTHING_TO_TRY = 5


def mutant_changes(agent: str, code: int, out: str, err: str) -> tuple[Change, ...]:
    """The findings of one ``qa mutate --json``.

    A survivor cannot be accepted here: a mutant that may survive is listed with its reason where qa mutate
    looks for it.

    Args:
        agent: The agent it was called for.
        code: Its exit code.
        out: Its standard output.
        err: Its standard error.
    """
    return tuple(_changes(agent, code, out, err))


def _changes(agent: str, code: int, out: str, err: str) -> Iterator[Change]:
    last = next(iter(reversed(err.splitlines())), "")
    if code == _NOTHING_TO_TRY:
        yield Change("no-mutants", "warns", "mutants", agent, "", last)
        return
    try:
        value = json.loads(out) if code in _ENDED else None
    except ValueError:
        value = None
    if value is None:
        text = f"qa mutate ended with exit code {code}: {last}"
        yield Change("could-not-run", "fails", "mutants", agent, "", text)
        return
    for sentence in value["outdated"]:
        yield Change("mutant-reasons", "fails", "mutants", agent, "", sentence)
    for name in value["unexplained"]:
        text = f"the mutant '{name}' survives: nothing notices it"
        yield Change("mutant-survives", "fails", "mutants", agent, "", text)
