"""Where scenario files are: a path wins, then ``./scenarios``, then the shipped ones."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from harness.problems import UserError
from mock_llm.problems import did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PACKAGE = Path(__file__).parent
_SCENARIO_KEY = re.compile(rb"(?:^|[\r\n]|\xef\xbb\xbf|\xff\xfe|\xfe\xff)scenario\s*:")
_SNIFF_BYTES = 1_048_576
ENDING = ".yaml"


class UnknownScenarioError(UserError):
    """A name that no scenario file has; the text lists the closest ones."""

    def __init__(self, name: str, known: Sequence[str], here: str = "") -> None:
        hint = did_you_mean(name, known) or "there is no scenario here"
        place = f"{quoted(here)} is right here: qa run {here}" if here else ""
        looked = "looked in ./scenarios and among the shipped ones; 'qa list' shows all"
        super().__init__("\n  ".join([f"no scenario {quoted(name)}", *filter(None, [hint, place, looked])]))
        self.name = name


def find(names: Sequence[str], root: Path) -> list[Path]:
    """The files that the names mean, in order and each once; a folder means all files in it.

    A single name is looked up without reading a folder.

    Args:
        names: Paths of files or folders, or names of scenarios.
        root: The folder that relative paths and ``./scenarios`` start from.

    Raises:
        UnknownScenarioError: With the closest names.
        UserError: For a path that is not there and for a folder without scenarios.
    """
    return list(dict.fromkeys(path for name in names for path in _find(name, root)))


def all_scenarios(root: Path) -> list[Path]:
    """Every scenario of ``./scenarios`` and every shipped one that it does not replace, by name."""
    by_name: dict[str, Path] = {}
    for folder in reversed(_folders(root)):
        by_name.update({path.stem: path for path in _files(folder)})
    return [by_name[name] for name in sorted(by_name)]


def shipped_folder() -> Path:
    """The scenarios that came with the package: inside a wheel, or beside it in the repository."""
    inside = _PACKAGE / "shipped_scenarios"
    return inside if inside.is_dir() else _PACKAGE.parent / "scenarios"


def _folders(root: Path) -> list[Path]:
    return [root / "scenarios", shipped_folder()]


def _find(name: str, root: Path) -> Iterator[Path]:
    path = root / name
    if name and os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises for a name no file can have
        yield path
    elif name and os.path.isdir(path):  # noqa: PTH112 - the same
        files = sorted(file for file in path.rglob(f"*{ENDING}") if is_scenario(file))
        if not files:
            raise UserError(f"no scenario file (*{ENDING}) in {name}")
        yield from files
    elif {"/", os.sep} & set(name) or name.endswith(ENDING):
        raise UserError(f"no such file or folder: {name}")
    else:
        yield _named(name, root)


def _named(name: str, root: Path) -> Path:
    for folder in _folders(root) if name else ():
        path = folder / f"{name}{ENDING}"
        if os.path.isfile(path):  # noqa: PTH113 - the same
            return path
    here = f"{name}{ENDING}"
    known = [path.stem for path in all_scenarios(root)]
    raise UnknownScenarioError(name, known, here if os.path.isfile(root / here) else "")  # noqa: PTH113 - the same


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob(f"*{ENDING}") if is_scenario(path))


def is_scenario(path: Path) -> bool:
    """Whether a YAML file says that it is a scenario: it has a top-level ``scenario:`` key in its first MiB.

    One in UTF-16 or UTF-32 is one too, so that its mistake is told and it is not just passed over.
    """
    try:
        with path.open("rb") as file:
            return _SCENARIO_KEY.search(file.read(_SNIFF_BYTES).replace(b"\0", b"")) is not None
    except OSError:
        return False
