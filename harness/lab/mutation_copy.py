"""A second copy of the detectors in this process, with one module of it changed."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib.abc import Loader
from importlib.util import spec_from_loader
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType

PACKAGE = "harness.detectors"
FOLDER = Path(__file__).parents[1] / "detectors"


class Detectors(NamedTuple):
    """What the contract asks of a copy."""

    Guard: Any
    Scanner: Any
    PUBLISHED: Any
    profile_of: Any
    profile_data: Any


def imported() -> Detectors:
    """The detectors as they are imported here and now."""
    from importlib import import_module

    def of(module: str, name: str) -> Any:
        return getattr(import_module(f"{PACKAGE}.{module}"), name)

    return Detectors(
        of("guard", "Guard"),
        of("batch", "Scanner"),
        of("mechanisms", "PUBLISHED"),
        of("profile_data", "profile_of"),
        of("profile_data", "profile_data"),
    )


def sources() -> dict[str, str]:
    """The source of every module of the detectors by its name, in the order of the names."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.py"))}


def compiled(texts: Mapping[str, str]) -> dict[str, CodeType]:
    """The modules as code."""
    return {name: compile(text, str(FOLDER / f"{name}.py"), "exec") for name, text in texts.items()}


@contextmanager
def copied(codes: Mapping[str, CodeType], given: Mapping[str, object] | None = None) -> Iterator[Detectors]:
    """Import the package anew from code; afterwards everything is as it was before.

    Args:
        codes: The code of every module by its name; ``__init__`` is the package itself.
        given: Names that every module of the copy has from the beginning.
    """
    ours = {
        name: sys.modules.pop(name)
        for name in list(sys.modules)
        if name == PACKAGE or name.startswith(f"{PACKAGE}.")
    }
    finder = _Finder(codes, given or {})
    sys.meta_path.insert(0, finder)
    try:
        yield imported()
    finally:
        sys.meta_path.remove(finder)
        for name in list(sys.modules):
            if name == PACKAGE or name.startswith(f"{PACKAGE}."):
                del sys.modules[name]
        sys.modules.update(ours)
        if PACKAGE in ours:
            sys.modules["harness"].detectors = ours[PACKAGE]  # type: ignore[attr-defined]


class _Finder(Loader):
    """Finds the modules of the package in memory, before anybody looks on the disk."""

    def __init__(self, codes: Mapping[str, CodeType], given: Mapping[str, object]) -> None:
        self._codes = codes
        self._given = given

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> ModuleSpec | None:
        if name != PACKAGE and not name.startswith(f"{PACKAGE}."):
            return None
        module = name.removeprefix(PACKAGE).removeprefix(".") or "__init__"
        if module not in self._codes:
            return None
        return spec_from_loader(name, self, is_package=module == "__init__")

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave making the module to the import system."""

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__.removeprefix(PACKAGE).removeprefix(".") or "__init__"
        module.__dict__.update(self._given)
        exec(self._codes[name], module.__dict__)  # noqa: S102  it is our own source with one sign changed
