"""What a screen must show, as data; for agent descriptions and for steps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mock_llm.patterns import search

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


REPEATED = "where it repeats what was typed, which does not count"
"""Said of a text that stands there and is no answer."""


class Condition(NamedTuple):
    """Everything that must hold of a screen at one moment.

    ``shows`` and ``lacks`` are texts, found also where a row ends within them. ``matches`` is a regular
    expression over the rows joined by line ends, without blanks at the end of each.
    """

    shows: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    matches: str | None = None

    def unmet(self, rows: Sequence[str], is_shown: Callable[[str], bool] | None = None) -> str:
        """What does not hold, as a clause; empty when all holds.

        Args:
            rows: The rows of the screen.
            is_shown: Decides about ``shows``; without it, text counts wherever it stands.

        Raises:
            RunsAwayError: If the search for ``matches`` does not end.
        """
        text = " ".join(" ".join(rows).split())

        def stands_there(wanted: str) -> bool:
            return " ".join(wanted.split()) in text

        for wanted in self.shows:
            if not stands_there(wanted) and not (is_shown and is_shown(wanted)):
                return f"the screen does not show '{wanted}'"
            if is_shown and not is_shown(wanted):
                return f"the screen shows '{wanted}' only {REPEATED}"
        for unwanted in self.lacks:
            if stands_there(unwanted):
                return f"the screen shows '{unwanted}'"
        if self.matches and not search(re.compile(self.matches, re.MULTILINE), "\n".join(rows)):
            return f"the screen does not match /{self.matches}/"
        return ""


class Dialog(NamedTuple):
    """A question that an agent may ask, and the keys that answer it; without a text, just keys."""

    shows: str
    press: tuple[str, ...]


class TerminalSettings(NamedTuple):
    """How an agent is used in a terminal.

    ``args`` start it; ``ready`` holds when it takes input; ``submit`` are the keys that send what was typed;
    ``quit`` are those that end it when it is ready, each when its text is shown. Of ``dialogs`` each is
    answered once, whenever it is shown.
    ``first_alone``: the first character of a text is typed alone, and the rest when the screen has changed.
    ``final_call`` tells whether the agent's final call is put behind scripted replies here too.
    """

    args: tuple[str, ...] = ()
    ready: Condition = Condition()
    submit: tuple[str, ...] = ("enter",)
    quit: tuple[Dialog, ...] = ()
    dialogs: tuple[Dialog, ...] = ()
    final_call: bool = True
    first_alone: bool = False
