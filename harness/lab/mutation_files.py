"""What mutants are tried on, from files: the published vectors, the contract's own cases, the scenarios."""

from __future__ import annotations

import json
import sys
import traceback
from contextlib import contextmanager
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from typing import TYPE_CHECKING

from harness.lab.mutation_contract import vectors
from harness.lab.mutation_reasons import parse_reasons
from harness.problems import CannotRun, UserError
from mock_llm.problems import ScriptError

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
        UserError: If what it holds is no contract.
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
    except ScriptError as error:
        raise UserError(str(error)) from error


def _own_cases(folder: Path) -> tuple[Case, ...]:
    spec = PathFinder.find_spec("contract_cases", [str(folder)])
    if spec is None or spec.loader is None:
        raise _no_contract(folder / "contract_cases")
    module = module_from_spec(spec)
    with _known(module):  # a package imports its own modules
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # whatever the code of a contract of one's own raises
            raise _broken_code(error) from error
    cases = getattr(module, "CASES", None)
    if not isinstance(cases, (list, tuple)):
        raise UserError(f"{spec.origin}: the contract has no list 'CASES'")
    for at, case in enumerate(cases):
        if not all(hasattr(case, name) for name in ("id", "holds", "mechanisms")):
            raise UserError(
                f"{spec.origin}: CASES[{at}] is no case\n  they are made of what is in "
                "harness.lab.mutation_contract, such as TextCase"
            )
    return tuple(cases)


def _broken_code(error: Exception) -> UserError:
    if isinstance(error, SyntaxError):
        place = f"{error.filename}:{error.lineno}"
        return UserError(f"{place}: the contract cannot be loaded: {error.msg}")
    last = traceback.extract_tb(error.__traceback__)[-1]
    said = traceback.format_exception_only(error)[-1].strip()
    return UserError(f"{last.filename}:{last.lineno}: the contract cannot be loaded: {said}")


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
            lines = path.read_bytes().splitlines()
        except OSError:
            raise _no_contract(path) from None
        for number, line in enumerate(lines, 1):
            try:
                yield from vectors(group, [json.loads(line)])
            except (ValueError, KeyError, TypeError) as error:
                why = f"it has no {error}" if isinstance(error, KeyError) else str(error)
                raise UserError(f"{path}:{number}: this is no vector of '{group}': {why}") from error


def _no_contract(path: Path) -> CannotRun:
    return CannotRun(
        f"the unit contract is not here: no {path}\n"
        "  run this in a checkout of the source, or pass --contract FOLDER"
    )
