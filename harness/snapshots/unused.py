"""Snapshots that nothing asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.files import read_text
from harness.snapshots.placing import COMMON, FOLDER

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


def unused_below(scenarios: Path) -> list[str]:
    """The unused snapshots of all scenarios in a folder, as paths from its folder of snapshots on.

    Where a scenario cannot be read now, what is there counts as used.
    """
    from harness.find_scenarios import shipped_folder
    from harness.problems import UserError
    from harness.scenario_yaml import load_scenario

    found = []
    for root in sorted(path for path in (scenarios / FOLDER).glob("*") if path.is_dir()):
        folders = (scenarios, shipped_folder())
        file = next((f for folder in folders if (f := folder / f"{root.name}.yaml").exists()), None)
        asked: set[str] = set()
        if file is not None:
            try:
                steps = load_scenario(file).steps
            except UserError:
                continue
            asked = {artifact for step in steps if step.kind == "snapshot" for artifact in step.args.of}
        found += [f"{root.name}/{name}" for name in unused_of(root, asked)]
    return found
