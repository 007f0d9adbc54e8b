"""The review on a terminal. Each decision takes effect at once, so leaving at any moment loses none."""

from __future__ import annotations

import os
import shutil
import sys
import termios
import tty
from typing import TYPE_CHECKING

from harness.problems import UserError
from harness.snapshots.deciding import Deciding
from harness.snapshots.view import KEYS, render_change

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.snapshots.deciding import Command
    from harness.snapshots.store import Change, SnapshotStore, Undo

_LEAVE = ("\x03", "\x04")


def is_possible() -> bool:
    """Whether a person sits there."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def review(store: SnapshotStore, changes: Sequence[Change]) -> bool:
    """Let a person decide; true when it was left with Ctrl-C."""
    fd = sys.stdin.fileno()
    settings = termios.tcgetattr(fd)
    tty.setcbreak(fd)
    try:
        return _Review(store, changes).run(_keys(fd))
    except KeyboardInterrupt:
        return True
    finally:
        termios.tcsetattr(fd, termios.TCSADRAIN, settings)
        _say("")


def _keys(fd: int) -> Iterator[str]:
    """Every key; a key that sends several bytes, such as an arrow, counts as none."""
    while data := os.read(fd, 64):
        text = data.decode("utf-8", "replace")
        yield from "" if text.startswith("\x1b") else text


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class _Review:
    def __init__(self, store: SnapshotStore, changes: Sequence[Change]) -> None:
        self._store, self._changes = store, changes
        self._state = Deciding(len(changes))
        self._undo: dict[int, Undo] = {}
        self._color = not os.environ.get("NO_COLOR")

    def run(self, keys: Iterator[str]) -> bool:
        self._show()
        for key in keys:
            if key in _LEAVE:
                return key == _LEAVE[0]
            before = self._state.at
            for command in self._state.press(key):
                self._obey(command)
            if self._state.is_over:
                return False
            if self._state.at != before:
                self._show()
        return False

    def _show(self) -> None:
        if self._state.is_at_end:
            _say("no change is left: u takes the last decision back, q leaves")
            return
        change = self._changes[self._state.at]
        width = shutil.get_terminal_size((80, 24)).columns
        number, total = self._state.at + 1, len(self._changes)
        _say(f"\n{render_change(change, number, total, width=width, color=self._color)}{KEYS}")

    def _obey(self, command: Command) -> None:
        change = self._changes[command.place]
        match command.kind:
            case "accept" | "reject":
                self._decide(command, change)
            case "undo":
                self._take_back(command.place)
            case "skip":
                _say(f"skipped {change.name}")
            case "jump":
                _say(f"evidence: {change.evidence}\nsnapshot: {change.target}")
            case "help":
                _say(KEYS)

    def _decide(self, command: Command, change: Change) -> None:
        act = self._store.accept if command.kind == "accept" else self._store.reject
        try:
            self._undo[command.place] = act(change)
        except UserError as error:
            _say(f"skipped: {error}")
            return
        _say(f"{command.kind}ed {change.name}")

    def _take_back(self, index: int) -> None:
        undo = self._undo.pop(index, None)
        try:
            if undo is not None:
                self._store.undo(undo)
        except UserError as error:
            _say(str(error))
            return
        _say(f"undone: {self._changes[index].name}")
