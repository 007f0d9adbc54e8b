"""The conversation on a terminal: a prompt, a turn, a prompt."""

from __future__ import annotations

import importlib
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from harness.refagent.display import TerminalDisplay
    from harness.refagent.driver import Driver
    from harness.refagent.interrupts import Interrupts

PROMPT = "> "
HELP = "/session shows the session file, /exit or Ctrl-D leaves, Ctrl-C stops a reply"


def converse(driver: Driver, display: TerminalDisplay, interrupts: Interrupts, session: Path) -> int:
    """Ask and answer until the user leaves; the exit code is 0."""
    with suppress(ImportError):
        importlib.import_module("readline")  # importing it is what makes input() edit lines
    interrupts.reach_into_waiting()
    presses = 0
    while presses < 2:
        try:
            line = _ask(interrupts).strip()
        except KeyboardInterrupt:
            presses += 1
            sys.stdout.write("\n")
            if presses == 1:
                display.notify("press Ctrl-C again to leave")
            continue
        except EOFError:
            sys.stdout.write("\n")
            break
        presses = 0
        if line in ("/exit", "/quit"):
            break
        if line:
            _answer(line, driver, display, session)
    return 0


def _ask(interrupts: Interrupts) -> str:
    with interrupts.breakable():
        return input(PROMPT)


def _answer(line: str, driver: Driver, display: TerminalDisplay, session: Path) -> None:
    if line == "/session":
        display.notify(f"session {session}")
    elif line == "/help":
        display.notify(HELP)
    else:
        end = driver.turn(line)
        if end.outcome != "answered":
            display.notify(end.text)
