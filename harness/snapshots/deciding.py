"""One change after the other: keys in, commands out.

a r s   accept, reject or skip the change that is shown; the next one is shown
A R S   the same for it and all that follow
u       take the last key of these back
j       say where the evidence is
q       leave; what is decided is decided
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["accept", "reject", "skip", "undo", "jump", "quit", "help"]
_DECISIONS: dict[str, Kind] = {"a": "accept", "r": "reject", "s": "skip"}
_END_KEYS = ("q", "\n", "\r")


class Command(NamedTuple):
    """Something to do with the change at this place, from 0."""

    kind: Kind
    place: int = 0


class Deciding:
    """Where the review of some changes stands.

    ``at`` is the index of the change that is shown; it equals ``count`` when all are decided, and then one
    key more leaves, so that the last decision can be taken back too.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.at = 0
        self.is_over = count == 0
        self._decided: list[list[Command]] = []

    @property
    def is_at_end(self) -> bool:
        return self.at >= self.count

    def press(self, key: str) -> list[Command]:
        """What a key means now."""
        if key == "q" or (self.is_at_end and key in _END_KEYS):
            self.is_over = True
            return [Command("quit")]
        if key == "u":
            return self._undo()
        kind = _DECISIONS.get(key.lower())
        if self.is_at_end or (kind is None and key != "j"):
            return [Command("help")]
        if kind is None:
            return [Command("jump", self.at)]
        last = self.count if key.isupper() else self.at + 1
        decided = [Command(kind, index) for index in range(self.at, last)]
        self._decided.append(decided)
        self.at = last
        return decided

    def _undo(self) -> list[Command]:
        if not self._decided:
            return [Command("help")]
        undone = self._decided.pop()
        self.at = undone[0].place
        return [Command("undo", command.place) for command in reversed(undone)]
