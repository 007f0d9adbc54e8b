"""Comparisons of a module, each changed by one sign: source text to code objects, never to a disk."""

from __future__ import annotations

import ast
from copy import deepcopy
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import CodeType

# Whether the limit itself counts.
_EDGE: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}
# Whether it is so at all.
_FLIPPED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
KINDS = {"edge": _EDGE, "flip": _FLIPPED}


class Change(NamedTuple):
    """One comparison of a module with another sign.

    Attributes:
        module: The module's name within its package.
        where: The function or class that holds it, dotted; empty at the top of the module.
        kind: ``edge`` (the limit itself counts, or no more) or ``flip`` (the opposite).
        before: The comparison as it is.
        after: The comparison as it becomes.
        number: Which of several equal comparisons in the same place, from 1.
    """

    module: str
    where: str
    kind: str
    before: str
    after: str
    number: int = 1

    @property
    def id(self) -> str:
        """A name that stays when lines move.

        >>> Change("turns", "_is_copy", "edge", "a < b", "a <= b", 2).id
        'turns: _is_copy: a < b -> a <= b #2'
        """
        again = f" #{self.number}" if self.number > 1 else ""
        return f"{self.module}: {self.where or 'top'}: {self.before} -> {self.after}{again}"


def changes(module: str, source: str) -> Iterator[Change]:
    r"""Every change of a module, in the order of its text.

    >>> [change.id for change in changes("m", "def f(a):\n    return 1 < a != 3")]
    ['m: f: 1 < a != 3 -> 1 <= a != 3', 'm: f: 1 < a != 3 -> 1 >= a != 3', 'm: f: 1 < a != 3 -> 1 < a == 3']
    """
    for change, _node, _at, _sign in _sites(module, ast.parse(source)):
        yield change


def changed_code(change: Change, source: str, file: str) -> CodeType:
    """The module compiled with the change in it.

    Raises:
        LookupError: If the source has no such comparison.
    """
    tree, sites = _parsed(change.module, source)
    if change not in sites:
        raise LookupError(change.id)
    node, at, sign = sites[change]
    before, node.ops[at] = node.ops[at], sign()
    try:
        return compile(ast.fix_missing_locations(tree), file, "exec")
    finally:
        node.ops[at] = before


@lru_cache
def _parsed(
    module: str, source: str
) -> tuple[ast.Module, dict[Change, tuple[ast.Compare, int, type[ast.cmpop]]]]:
    """The tree of a module, and the place of every change in it: one tree serves all of them in turn."""
    tree = ast.parse(source)
    return tree, {change: (node, at, sign) for change, node, at, sign in _sites(module, tree)}


def _sites(module: str, tree: ast.Module) -> Iterator[tuple[Change, ast.Compare, int, type[ast.cmpop]]]:
    seen: dict[tuple[str, str, str], int] = {}
    for where, node in _comparisons(tree, ""):
        before = ast.unparse(node)
        for at, sign in enumerate(node.ops):
            for kind, table in KINDS.items():
                other = table.get(type(sign))
                if other is None:
                    continue
                changed = deepcopy(node)
                changed.ops[at] = other()
                after = ast.unparse(changed)
                number = seen[where, before, after] = seen.get((where, before, after), 0) + 1
                yield Change(module, where, kind, before, after, number), node, at, other


def _comparisons(node: ast.AST, where: str) -> Iterator[tuple[str, ast.Compare]]:
    for child in ast.iter_child_nodes(node):
        inner = where
        if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
            inner = f"{where}.{child.name}" if where else child.name
        elif isinstance(child, ast.Compare):
            yield where, child
        yield from _comparisons(child, inner)
