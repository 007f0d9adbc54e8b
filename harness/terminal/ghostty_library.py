"""Load the library of the Ghostty terminal without reading its header.

pyghostty parses 3,500 lines of C when it is imported, and parses again for each type that is used: a third of
a second of work in each run. ``ghostty_types`` holds what comes out of that. It is used where the installed
pyghostty is the one that it was made from; elsewhere pyghostty does its own work.
"""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

_RAW = "pyghostty._ffi"
_READ = ("_cdef.py", "_ffi.py")


def made_from(package: Path) -> str:
    """What tells one pyghostty from another: a hash over the files whose work is left out."""
    return hashlib.sha256(b"".join((package / name).read_bytes() for name in _READ)).hexdigest()


def load_types() -> None:
    """Put the ready types in the place of the module that makes them, if they fit.

    Without this, or after pyghostty has been imported, everything is the same and takes longer.
    """
    with suppress(ImportError, OSError, StopIteration):
        _load_types()


def _load_types() -> None:
    spec = find_spec("pyghostty")
    if spec is None or spec.origin is None or _RAW in sys.modules or os.environ.get("PYGHOSTTY_LIB"):
        return
    package = Path(spec.origin).parent
    from harness.terminal import ghostty_types

    if made_from(package) == ghostty_types.MADE_FROM:
        library = next(path for path in (package / "_lib").iterdir() if path.stem == "libghostty-vt")
        sys.modules[_RAW] = _raw(ghostty_types.ffi, str(library))


def _raw(ffi: Any, library: str) -> ModuleType:
    """The same names as in the module that is replaced."""
    lib, casts = ffi.dlopen(library), dict[str, Any]()

    class GhosttyError(RuntimeError):
        pass

    def check(result: int, what: str) -> None:
        if result:
            raise GhosttyError(f"{what} failed: {result}")

    def union_fn(name: str, signature: str) -> Any:
        if name not in casts:
            casts[name] = ffi.cast(signature, ffi.addressof(lib, name))
        return casts[name]

    module = ModuleType(_RAW)
    module.__dict__.update(ffi=ffi, lib=lib, GhosttyError=GhosttyError, check=check, union_fn=union_fn)
    return module
