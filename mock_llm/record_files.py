"""The files of a recording: a script, and beside it a folder with one file for each exchange.

Each exchange's file grows line by line as things happen, each line in one write. The script is replaced as a
whole when an exchange begins. So both can be read at every moment, also after the recorder was killed.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from mock_llm.record_lines import Line

_LEAST_REQUESTS = 50


class CannotRecord(Exception):
    """The files cannot be written; the message says why and what to do."""


class Item(NamedTuple):
    """A turn of the script: what stands above it, and the files of its attempts."""

    comment: str
    files: tuple[str, ...]


class Recording:
    """The files of one recording.

    Args:
        script: The script's path. Its folder has its name without the ending.
        upstream: What is recorded, for the script's first line.

    Raises:
        CannotRecord: If there is a recording already, or nothing can be written there.
    """

    def __init__(self, script: Path, upstream: str) -> None:
        self.script = script
        self.folder = script.with_suffix("")
        self._upstream = upstream
        self._items: list[Item] = []
        self._count = 0
        if script.suffix not in (".yaml", ".yml"):
            raise CannotRecord(f"'{script}' does not end in .yaml\n  a script does, as in recording.yaml")
        if script.exists() or self.folder.exists():
            there = script if script.exists() else self.folder
            raise CannotRecord(f"'{there}' is there already\n  choose another name with --to")
        if not os.access(script.parent, os.W_OK):
            raise CannotRecord(f"cannot write to '{script.parent}'\n  name another place with --to")

    def begin(self, comment: str, again: int | None = None) -> ExchangeFile:
        """A new exchange, as a turn of its own or as another attempt at the turn ``again``.

        Raises:
            CannotRecord: If its file cannot be made.
        """
        self._count += 1
        name = f"{self._count:03}.jsonl"
        try:
            self.folder.mkdir(exist_ok=True)
            file = ExchangeFile(self.folder / name)
        except OSError as error:
            raise CannotRecord(f"cannot write the recording: {error.strerror}") from None
        path = f"{self.folder.name}/{name}"
        if again is None:
            file.turn = len(self._items)
            self._items.append(Item(comment, (path,)))
        else:
            file.turn = again
            self._items[again] = Item(comment, (*self._items[again].files, path))
        return file

    def write_script(self) -> None:
        """Replace the script by one with all exchanges that have begun.

        Raises:
            CannotRecord: If it cannot be written; the script is then as it was.
        """
        beside = self.script.with_name(f".{self.script.name}.new")
        text = render_recording(self._upstream, self.script.name, self._items)
        try:
            beside.write_text(text, encoding="utf-8")
            beside.replace(self.script)
        except OSError as error:
            raise CannotRecord(f"cannot write the recording: {error.strerror}") from None


class ExchangeFile:
    """One exchange as it happens; ``turn`` is the place of its turn in the script, from 0."""

    def __init__(self, path: Path) -> None:
        self.turn = 0
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def write(self, lines: Iterable[Line]) -> None:
        """Append lines, at once.

        Raises:
            CannotRecord: If the file takes no more.
        """
        left = b"".join(map(_line, lines))
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            raise CannotRecord(f"cannot write the recording: {error.strerror}") from None

    def close(self) -> None:
        """Nothing more comes."""
        os.close(self._file)


def render_recording(upstream: str, name: str, items: Sequence[Item]) -> str:
    """The script of a recording: its turns answer in the order in which they were asked for."""
    lines = [
        f"# Recorded from {_one_line(upstream)}. To replay it: mock-llm serve {name}",
        "conversations: one",
        f"max_requests: {max(_LEAST_REQUESTS, 2 * len(items))}",
        "model:",
    ]
    for item in items:
        files = item.files[0] if len(item.files) == 1 else list(item.files)
        lines += [f"  # {_one_line(item.comment)}", f"  - recorded: {json.dumps(files)}"]
    return "\n".join(lines) + "\n"


def _one_line(text: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in text)


def _line(line: Line) -> bytes:
    """A line as bytes; half a surrogate pair, which UTF-8 does not have, stays escaped."""
    try:
        return json.dumps(line, ensure_ascii=False).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(line).encode() + b"\n"
