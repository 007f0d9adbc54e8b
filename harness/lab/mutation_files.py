"""What mutants are tried on, from files: the published vectors, the contract's own cases, the scenarios."""

from __future__ import annotations

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING

from harness.lab.mutation_contract import vectors
from harness.lab.mutation_reasons import parse_reasons
from harness.problems import CannotRun, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.lab.mutation_contract import Case

REASONS = Path(__file__).parent / "mutation_reasons.yaml"
"""Why a mutant survives, by its id."""

CONTRACT = Path(__file__).parents[2] / "tests" / "detectors"
"""The folder of the contract: ``vectors/parity-*.jsonl`` and ``contract_cases.py``."""


def load_contract(folder: Path) -> tuple[Case, ...]:
    """The cases of a contract folder, the quick ones first.

    Raises:
        CannotRun: If the folder does not hold them.
    """
    return (*_own_cases(folder / "contract_cases.py"), *_vectors(folder / "vectors"))


def load_reasons(path: Path) -> Mapping[str, str]:
    """The reasons of a file, by the mutant's id.

    Raises:
        UserError: If it cannot be read, or its text is wrong.
    """
    try:
        return parse_reasons(path.read_bytes(), str(path))
    except OSError as error:
        raise UserError(f"cannot read the reasons '{path}': {error.strerror}") from error


def _own_cases(path: Path) -> tuple[Case, ...]:
    spec = spec_from_file_location("contract_cases", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise _no_contract(path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return tuple(module.CASES)


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
        f"the unit contract is not here: no file {path}\n"
        "  run this in a checkout of the source, or pass --contract FOLDER"
    )
