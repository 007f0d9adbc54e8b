"""Ctrl-C during a run: remembered until it is acted on, and never in the middle of cleaning up.

Python drops a ``KeyboardInterrupt`` that is raised inside a finalizer or the callback of a weak reference,
and the import system has such callbacks. Here the signal is noted first, so a dropped one still counts.
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType


class Interrupts:
    """The interrupts of this process. Until :meth:`installed` nothing is changed and nothing is seen."""

    def __init__(self) -> None:
        self.seen = False
        self._instead: list[Callable[[], object]] = []

    def check(self) -> None:
        """Act on an interrupt that has been noted.

        Raises:
            KeyboardInterrupt: If there was one.
        """
        if self.seen:
            raise KeyboardInterrupt

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Note each interrupt. Does nothing outside the main thread and where Ctrl-C is ignored."""
        is_ours = threading.current_thread() is threading.main_thread()
        if not is_ours or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return
        signal.signal(signal.SIGINT, self._note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    @contextmanager
    def calling(self, instead: Callable[[], object]) -> Iterator[None]:
        """Call this at the first interrupt instead of raising; the second one raises."""
        self._instead.append(instead)
        try:
            if self.seen:
                instead()
            yield
        finally:
            self._instead.remove(instead)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let the work inside come to its end first. Only a second interrupt stops it."""
        with self.calling(_nothing):
            yield

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        is_first, self.seen = not self.seen, True
        if not (is_first and self._instead):
            raise KeyboardInterrupt
        self._instead[-1]()


def _nothing() -> None:
    """Called instead of raising."""


INTERRUPTS = Interrupts()
"""Those of this process; a signal has one handler, so there is one object."""
