"""What mutants are tried on, from files: the published vectors, the contract's own cases, the scenarios."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import TYPE_CHECKING

from harness.lab.mutation_contract import vectors
from harness.lab.mutation_reasons import parse_reasons
from harness.problems import CannotRun, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from harness.lab.mutation_contract import Case

REASONS = Path(__file__).parent / "mutation_reasons.yaml"
"""Why a mutant survives, by its id."""

CONTRACT = Path(__file__).parents[2] / "tests" / "detectors"
"""The folder of the contract: ``vectors/parity-*.jsonl`` and the module or package ``contract_cases``.

It is part of the source and of no wheel: it says whether our own tests would notice.
"""


def load_contract(folder: Path) -> tuple[Case, ...]:
    """The cases of a contract folder: its ``CASES``, then the published vectors.

    Raises:
        CannotRun: If the folder does not hold them.
    """
    return (*_own_cases(folder), *_vectors(folder / "vectors"))


def load_reasons(path: Path) -> Mapping[str, str]:
    """The reasons of a file, by the mutant's id.

    Raises:
        UserError: If it cannot be read, or its text is wrong.
    """
    try:
        return parse_reasons(path.read_bytes(), str(path))
    except OSError as error:
        raise UserError(f"cannot read the reasons '{path}': {error.strerror}") from error


def _own_cases(folder: Path) -> tuple[Case, ...]:
    spec = PathFinder.find_spec("contract_cases", [str(folder)])
    if spec is None or spec.loader is None:
        raise _no_contract(folder / "contract_cases")
    module = module_from_spec(spec)
    with _known(module):  # a package imports its own modules
        spec.loader.exec_module(module)
    return tuple(module.CASES)


@contextmanager
def _known(module: ModuleType) -> Iterator[None]:
    """A module that can be imported by its name for a while, and that is then forgotten with all below it."""
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        for name in [one for one in sys.modules if one.partition(".")[0] == module.__name__]:
            del sys.modules[name]


def _vectors(folder: Path) -> Iterator[Case]:
    for group in ("turns", "leak", "collapse"):
        path = folder / f"parity-{group}.jsonl"
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except OSError:
            raise _no_contract(path) from None
        yield from vectors(group, [json.loads(line) for line in lines])


def _no_contract(path: Path) -> CannotRun:
    return CannotRun(
        f"the unit contract is not here: no {path}\n"
        "  run this in a checkout of the source, or pass --contract FOLDER"
    )
