"""Which scenarios the words of a command line mean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.problems import UserError
from mock_llm.problems import did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.scenario import Scenario


def select(names: Sequence[str], tags: Sequence[str]) -> dict[Path, Scenario]:
    """The scenarios of the names, or all, that have one of the tags if there are any.

    Raises:
        UserError: For a name that is unknown, a file that is wrong, and a name that two files have.
    """
    from harness.find_scenarios import all_scenarios, find
    from harness.scenario_yaml import load_scenarios

    paths = find(names, Path.cwd()) if names else all_scenarios(Path.cwd())
    loaded = load_scenarios(paths)
    by_name: dict[str, Scenario] = {}
    for scenario in loaded.values():
        first = by_name.setdefault(scenario.name, scenario)
        if first is not scenario:
            both = f"{first.path}, {scenario.path}"
            raise UserError(f"two files of this run are named '{scenario.name}': {both}")
    return {path: s for path, s in loaded.items() if not tags or set(tags) & set(s.tags)}


def no_such_tag(names: Sequence[str], tags: Sequence[str]) -> str:
    """Why a selection is empty: the tags that there are."""
    known = sorted({tag for s in select(names, ()).values() for tag in s.tags})
    wanted = " or ".join(quoted(tag) for tag in tags)
    near = [hint for tag in tags if (hint := did_you_mean(tag, known)).startswith("did you mean")]
    hints = [*near, f"the tags are {', '.join(known)}" if known else "none of them has a tag"]
    return "\n  ".join([f"no scenario has the tag {wanted}", *hints])
