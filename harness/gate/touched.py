"""Which scenarios a change touches: those whose file changed, or all where the detector did."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


class Touched(NamedTuple):
    """The names of the scenarios that must run, and why; ``others`` are files that touch none."""

    names: frozenset[str]
    why: str
    others: tuple[str, ...] = ()


def touched(
    changed: Iterable[str],
    files: Mapping[str, Collection[str]],
    detector: Collection[str],
    shared: Collection[str] = (),
) -> Touched:
    """What must run again.

    Without a word on which files are the detector, every file that no scenario reads may be one.

    Args:
        changed: Paths of files, relative to the folder of the gate's settings.
        files: The files of each scenario by its name, as such paths: its own, those it includes, and the
            folder of its snapshots with a ``/`` at its end.
        detector: Globs of the files that are the detector: ``*`` within a folder, ``**`` over folders.
        shared: Files that every run depends on: the descriptions of the agents, the settings.
    """
    paths = sorted(set(changed))
    if hits := [path for path in paths if path in shared]:
        return Touched(frozenset(files), f"{_listed(hits)} changed, on which every run depends")
    if hits := [path for path in paths if any(matches(path, glob) for glob in detector)]:
        return Touched(frozenset(files), f"{_listed(hits)} of the detector changed")
    owners = {path: {name for name, own in files.items() if owns(own, path)} for path in paths}
    others = tuple(path for path in paths if not owners[path])
    if others and not detector:
        return Touched(
            frozenset(files), f"{_listed(others)} changed, and 'detector' does not say what is one"
        )
    names = frozenset(name for found in owners.values() for name in found)
    return Touched(names, f"{_listed([p for p in paths if owners[p]])} changed" if names else "", others)


def idle_globs(detector: Iterable[str], paths: Collection[str]) -> list[str]:
    """The globs that mean none of the paths.

    >>> idle_globs(["src/*.ts", "lib/**"], ["src/a.ts"])
    ['lib/**']
    """
    return [glob for glob in detector if not any(matches(path, glob) for path in paths)]


def owns(files: Collection[str], path: str) -> bool:
    """Whether a path is one of the files, or a snapshot in one of the folders among them.

    >>> owns({"a.yaml", "snapshots/a/"}, "snapshots/a/common/screen.txt")
    True
    >>> owns({"a.yaml", "snapshots/a/"}, "snapshots/a/common/screen.txt.pending")
    False
    """
    if path in files:
        return True
    is_snapshot = path.endswith((".txt", ".json"))
    return is_snapshot and any(name.endswith("/") and path.startswith(name) for name in files)


def matches(path: str, glob: str) -> bool:
    """Whether a glob means a path. ``*`` and ``?`` stay within a folder, ``**/`` stands for any folders.

    >>> matches("src/guard/ring.ts", "src/**/*.ts"), matches("src/ring.ts", "src/**/*.ts")
    (True, True)
    >>> matches("src/guard/ring.ts", "src/*.ts"), matches("src/guard/ring.ts", "src/**")
    (False, True)
    """
    return _pattern(glob).fullmatch(path) is not None


@cache
def _pattern(glob: str) -> re.Pattern[str]:
    words = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    return re.compile("".join(words.get(piece) or re.escape(piece) for piece in pieces))


def _listed(paths: Iterable[str]) -> str:
    first, *more = paths
    return f"{first} and {len(more)} more" if more else first
