"""Ctrl-C and requests to end, let through only where waiting may be broken off.

Between those places a signal is remembered: a record is never half written because of one.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


class Interrupts:
    """Inside :meth:`breakable`, SIGINT raises KeyboardInterrupt; SIGTERM and SIGHUP end with 128 + number."""

    def __init__(self) -> None:
        self._breakable = False
        self._pending: int | None = None

    def install(self) -> None:
        """Take the three signals over; call it once, in the main thread."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._received)

    @contextmanager
    def breakable(self) -> Iterator[None]:
        """Within this block a signal raises at once; one that came before raises on entry."""
        self._breakable = True
        try:
            self.check()
            yield
        finally:
            self._breakable = False

    def check(self) -> None:
        """Raise for a signal that is remembered."""
        number, self._pending = self._pending, None
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        if number is not None:
            raise SystemExit(128 + number)

    def _received(self, number: int, _frame: FrameType | None) -> None:
        # A request to end is not overruled by a Ctrl-C that follows it.
        if self._pending in (None, signal.SIGINT):
            self._pending = number
        if self._breakable:
            self.check()
