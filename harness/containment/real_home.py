"""Proof that a run left the user's own agent folders alone: a fingerprint before and after."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import hashlib
    from collections.abc import Iterable, Mapping

KNOWN_FOLDERS = (
    "~/.aider",
    "~/.claude",
    "~/.claude.json",
    "~/.cline",
    "~/.codex",
    "~/.config/kilo",
    "~/.config/opencode",
    "~/.copilot",
    "~/.gemini",
    "~/.local/share/gptme",
    "~/.local/share/kilo",
    "~/.local/share/opencode",
    "~/.omp",
    "~/.pi",
    "~/.qwen",
    "~/.senpi",
    "~/.ttsr-refagent",
)
"""Where agent CLIs keep settings, keys and sessions, below the user's home."""


def fingerprint(folders: Iterable[str]) -> dict[str, str]:
    """Folder -> digest over the name, type, size and change times of everything in it.

    The change time (``ctime``) cannot be set back, so a write is seen even when the content is the
    same afterwards. A folder that is not there has the digest ``absent``. Links are not followed.
    """
    return {folder: _digest(Path(os.path.expanduser(folder))) for folder in folders}  # noqa: PTH111 - below


def homes() -> tuple[str, ...]:
    """The user's home folder as it is named, and where it really is; none for a user without one."""
    # Path.home raises for such a user; this leaves the '~' as it is.
    home = os.path.expanduser("~")  # noqa: PTH111
    return () if home == "~" else tuple(dict.fromkeys((home, os.path.realpath(home))))


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """The folders whose digest differs."""
    return tuple(folder for folder, digest in before.items() if after.get(folder) != digest)


def _digest(path: Path) -> str:
    try:
        top = path.lstat()
    except OSError:
        return "absent"
    import hashlib  # most of these folders are not there

    digest = hashlib.sha256()
    _add(digest, ".", top)
    pending = [path] if path.is_dir() and not path.is_symlink() else []
    while pending:
        for entry in _entries(pending.pop()):
            _add(digest, os.path.relpath(entry.path, path), entry.stat(follow_symlinks=False))
            if entry.is_dir(follow_symlinks=False):
                pending.append(Path(entry.path))
    return digest.hexdigest()


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _add(digest: hashlib._Hash, name: str, stat: os.stat_result) -> None:
    line = f"{name}\0{stat.st_mode}\0{stat.st_size}\0{stat.st_mtime_ns}\0{stat.st_ctime_ns}\n"
    digest.update(line.encode("utf-8", "surrogateescape"))
