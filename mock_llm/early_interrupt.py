"""Ctrl-C while a command is still loading: it ends at once and without a traceback.

Nothing has been started by then, so there is nothing to clean up. Loads nothing by itself.
"""

from __future__ import annotations

import os

# Not by 'signal', which loads much more first; it is there wherever that is.
from _signal import SIGINT, default_int_handler, getsignal, signal  # type: ignore[import-not-found]

INTERRUPTED = 130


def ends_quietly() -> None:
    """From now on Ctrl-C ends this process; where it is ignored, as in a shell's background, still not."""
    if getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, _end)


def raises_again() -> None:
    """The command is loaded: from now on Ctrl-C raises ``KeyboardInterrupt`` as usual."""
    if getsignal(SIGINT) is _end:
        signal(SIGINT, default_int_handler)


def _end(_number: int, _frame: object) -> None:
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
