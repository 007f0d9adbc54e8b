"""A recording played back to the moment that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.terminal.emulator import Emulator
from harness.terminal.ghostty import GhosttyScreen

if TYPE_CHECKING:
    from harness.terminal.cast import Cast
    from harness.terminal.screen import Picture


def picture_at(cast: Cast, at_s: float | None = None) -> Picture:
    """The screen as it was then, whole frames only; without a time, at the end."""
    emulator = Emulator(GhosttyScreen(cast.columns, cast.rows))
    for event in cast.events:
        if at_s is not None and event.at_s > at_s:
            break
        if event.code == "o":
            for _answer in emulator.feed(event.data):
                pass  # it was given when the run was made
        elif event.code == "r":
            emulator.resize(*event.size)
    if at_s is None:
        emulator.finish()
    picture = emulator.screen.picture()
    emulator.screen.close()
    return picture
