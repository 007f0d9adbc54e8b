"""Find the session file of a run, and say what is there when none is."""

from __future__ import annotations

import glob
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from harness.evidence import SessionSource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.agents.spec import AgentSpec

_SHOWN = 6
_ESCAPED = re.compile(r"\[([*?[])\]")
MOST_SESSION_BYTES = 64 * 1024 * 1024
"""A larger session file is not read: it would fill the memory before it said anything."""


class UnreadableSessionError(Exception):
    """A session file that cannot be read; the message says why."""


def session_files(pattern: str) -> list[Path]:
    """The files that match, in the order of their names; a link may lead to files of the user, so none is."""
    found = sorted(glob.glob(pattern, recursive=True)) if pattern else []
    return [Path(name) for name in found if Path(name).is_file() and os.path.realpath(name) == name]


def files_of(path: Path, beside: tuple[str, ...] = ()) -> dict[str, bytes]:
    """A session file, and those that belong to it, by name.

    Args:
        path: The session file.
        beside: Endings of its name that give the names of the others; one that is not there is left out.

    Raises:
        UnreadableSessionError: As :func:`bytes_of`.
    """
    others = (path.with_name(path.name + ending) for ending in beside)
    there = (other for other in others if other.is_file() and not other.is_symlink())
    return {each.name: bytes_of(each) for each in (path, *there)}


def bytes_of(path: Path) -> bytes:
    """What a session file holds.

    Raises:
        UnreadableSessionError: If it is no file any more, is too large, or may not be read.
    """
    try:
        # Without waiting: the file may have become a pipe that nobody writes.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise UnreadableSessionError(f"session file {path.name} is no regular file")
            if status.st_size > MOST_SESSION_BYTES:
                size = f"{status.st_size:,} bytes; the limit is {MOST_SESSION_BYTES:,} bytes"
                raise UnreadableSessionError(f"session file {path.name} has {size}")
            return file.read(MOST_SESSION_BYTES)
    except OSError as error:
        raise UnreadableSessionError(f"session file {path.name} cannot be read: {error.strerror}") from None


def source_of(spec: AgentSpec, pattern: str, found: list[Path], roots: Mapping[str, str]) -> SessionSource:
    """What to say of the session.

    Args:
        spec: The agent's description.
        pattern: Its ``session_glob`` with all values filled in, their own wildcards escaped.
        found: What :func:`session_files` gave.
        roots: The values of the templates; ``home`` and ``work`` are the private folders.
    """
    if not spec.session_glob:
        return SessionSource(is_kept=False)
    source = SessionSource(pattern=spec.session_glob, reader=spec.reader)
    if found:
        return source._replace(file=found[-1].name)
    return source._replace(
        others=_others(pattern, {Path(roots[name]): f"{{{name}}}" for name in ("home", "work")})
    )


def _others(pattern: str, roots: Mapping[Path, str]) -> str:
    """What lies where the pattern looks; where that folder is not there, in the nearest one that is."""
    wanted = _fixed(pattern)
    folder = next((p for p in (wanted, *wanted.parents) if p.is_dir() or p in roots), wanted)
    files = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    more = f", ... ({len(files)} in all)" if len(files) > _SHOWN else ""
    there = "there" if folder == wanted else f"in {_shown(folder, roots)}"
    return f"files {there}: {', '.join(files[:_SHOWN]) or 'none'}{more}"


def _fixed(pattern: str) -> Path:
    """The folder of a pattern as far as it has no wildcard."""
    kept: list[str] = []
    for part in Path(pattern).parts[:-1]:
        # What 'glob.escape' has put into brackets stands for itself.
        if glob.has_magic(_ESCAPED.sub("", part)):
            break
        kept.append(_ESCAPED.sub(r"\1", part))
    return Path(*kept)


def _shown(folder: Path, roots: Mapping[Path, str]) -> str:
    for root, name in roots.items():
        if folder.is_relative_to(root):
            return str(Path(name) / folder.relative_to(root))
    return str(folder)
