"""Snapshots that nothing asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.snapshots.files import read_text
from harness.snapshots.placing import COMMON

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


def unused_of(root: Path, asked: Collection[str]) -> list[str]:
    """The unused snapshots in a scenario's folder, as ``folder/file``.

    One is unused when no step asks for it, or when it says the same as the common one.
    """
    found = []
    for path in sorted(root.glob("*/*.txt")):
        is_common = path.parent.name == COMMON
        same = not is_common and read_text(path) == read_text(root / COMMON / path.name)
        if path.stem not in asked or same:
            found.append(f"{path.parent.name}/{path.name}")
    return found
