"""Files that are whole or not there, and one process at a time."""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def read_text(path: Path) -> str | None:
    """The text of a file exactly as it is; None when there is none."""
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except (FileNotFoundError, NotADirectoryError):
        return None


def write_text(path: Path, text: str) -> None:
    """Put a whole file in place of another: a reader sees the old one or the new one.

    One process at a time may write a file, see :func:`locked`; what a killed one has left is overwritten.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.part")
    try:
        with partial.open("wb") as file:
            file.write(text.encode("utf-8", "replace"))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def read_json(path: Path) -> dict[str, Any]:
    """The mapping in a file; empty when there is none, or something else."""
    with suppress(ValueError):
        value = json.loads(read_text(path) or "{}")
        return value if isinstance(value, dict) else {}
    return {}


def write_json(path: Path, value: dict[str, Any]) -> None:
    """A mapping as a file, whole."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n")


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Alone in a folder, also among processes; one that dies lets go."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
