"""The cases on the guard as it is: whether they hold, how long they take, and which functions they enter.

A case that never enters the function with a changed comparison says the same of the mutant as of the guard.
"""

from __future__ import annotations

import ast
import time
from typing import TYPE_CHECKING, NamedTuple

from harness.lab.mutation_copy import FOLDER, copied, sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import CodeType

    from harness.lab.mutants import Mutant
    from harness.lab.mutation_contract import Case

_SEEN = "__entered__"
_GROUPS = ("contract", "turns", "leak", "collapse", "scenarios")

Function = tuple[str, str]
"""Module, and the function's dotted name in it."""


class Bench(NamedTuple):
    """The cases that mutants are tried on.

    Attributes:
        cases: All of them.
        sizes: How much each of them is to read: the characters of the case as a whole.
        seconds: Processor time of each, in the slower of its two ways.
        entered: By function, the places of the cases that enter it. A function that no case enters is there
            too; one that is entered while the detectors are imported is not.
        failing: The names of the cases that do not hold for the guard as it is.
    """

    cases: tuple[Case, ...]
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    entered: Mapping[Function, frozenset[int]]
    failing: tuple[str, ...]

    def order(self, mutant: Mutant) -> list[int]:
        """The places of the cases that may tell a mutant, the likely and the quick ones first.

        The order is the same on every machine. It goes by size, not by time.
        """
        change = mutant.change
        places = range(len(self.cases))
        chosen = self.entered.get((change.module, change.where), places) if change else places
        return sorted(chosen, key=lambda place: self._rank(place, mutant))

    def _rank(self, place: int, mutant: Mutant) -> tuple[int, bool, int, int]:
        case = self.cases[place]
        group = _GROUPS.index(case.group) if case.group in _GROUPS else len(_GROUPS)
        return group, mutant.group not in case.mechanisms, self.sizes[place], place


def bench(cases: Sequence[Case], texts: Mapping[str, str] | None = None) -> Bench:
    """Hold the cases against the guard as it is.

    Args:
        cases: What to hold against it.
        texts: The source of every module of the detectors by its name; those on the disk unless given.
    """
    entered: set[Function] = set()
    seconds: list[float] = []
    failing: list[str] = []
    codes, functions = _watched(texts or sources())
    by_function: dict[Function, set[int]] = {function: set() for function in functions}
    with copied(codes, {_SEEN: entered}) as detectors:
        for function in entered:  # while it is imported: that may be felt in every case
            del by_function[function]
        for place, case in enumerate(cases):
            entered.clear()
            took = [0.0]
            for thorough in (False, True):
                began = time.process_time()
                holds = case.holds(detectors, None, thorough=thorough)
                took.append(time.process_time() - began)
                if not holds:
                    failing.append(f"{case.group}/{case.id}")
                    break
            seconds.append(max(took))
            for function in entered & by_function.keys():
                by_function[function].add(place)
    return Bench(
        tuple(cases),
        tuple(len(repr(case)) for case in cases),
        tuple(seconds),
        {function: frozenset(places) for function, places in by_function.items()},
        tuple(failing),
    )


def _watched(texts: Mapping[str, str]) -> tuple[dict[str, CodeType], list[Function]]:
    """The modules as code that notes which functions are entered, and the functions."""
    codes: dict[str, CodeType] = {}
    functions: list[Function] = []
    for module, text in texts.items():
        tree = ast.parse(text)
        for where, node in _definitions(tree, ""):
            functions.append((module, where))
            note = ast.parse(f"{_SEEN}.add({(module, where)!r})").body
            node.body[:0] = note
        codes[module] = compile(ast.fix_missing_locations(tree), str(FOLDER / f"{module}.py"), "exec")
    return codes, functions


def _definitions(node: ast.AST, where: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    for child in ast.iter_child_nodes(node):
        inner = where
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            inner = f"{where}.{child.name}" if where else child.name
            if isinstance(child, ast.FunctionDef):
                yield inner, child
        yield from _definitions(child, inner)
