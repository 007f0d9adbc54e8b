"""Which files a run is made of: those of the scenario, and the descriptions of the agents."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from harness.snapshots.placing import FOLDER

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def files_of(path: Path, folder: Path) -> frozenset[str]:
    """The files of a scenario, relative to ``folder``; also of one that is wrong, as far as it was read.

    The folder of its snapshots is among them and ends with ``/``: everything below belongs to the scenario.
    """
    from harness.scenario_yaml import ScenarioError, parse_scenario
    from mock_llm.script_yaml import file_reader

    read_file = file_reader(path.parent)
    found = [path]

    def noting(name: str) -> str:
        found.append(path.parent / name)
        return read_file(name)

    with suppress(ScenarioError, OSError):  # whoever runs it is told what is wrong
        parse_scenario(path.read_bytes(), str(path), noting)
    snapshots = os.path.relpath((path.parent / FOLDER / path.stem).resolve(), folder.resolve())
    files = {os.path.relpath(file.resolve(), folder.resolve()) for file in found}
    return frozenset({*files, f"{snapshots}/"})


def descriptions_of(agents: Iterable[str], folder: Path) -> frozenset[str]:
    """The description files of agents, relative to ``folder``; an agent that is not there has none.

    Args:
        agents: Names or paths, as the command line takes them.
        folder: What the paths are relative to.
    """
    from pathlib import Path

    from harness.agents.locate import DESCRIPTIONS

    places = [DESCRIPTIONS / f"{agent}.yaml" for agent in agents] + [Path(agent) for agent in agents]
    found = [place.resolve() for place in places if place.is_file()]
    return frozenset(os.path.relpath(place, folder.resolve()) for place in found)
