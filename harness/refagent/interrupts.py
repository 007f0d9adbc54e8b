"""Ctrl-C and requests to end, let through only where waiting may be broken off.

Between those places a signal is remembered: a record is never half written because of one.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# The line editor handles it in C. A handler in Python would be called in the middle of another's exception.
_NUDGE = signal.SIGWINCH
_NUDGE_AGAIN_S = 0.02
_MOST_NUDGES = 100


class Interrupts:
    """Inside :meth:`breakable`, SIGINT raises KeyboardInterrupt; SIGTERM and SIGHUP end with 128 + number."""

    def __init__(self) -> None:
        self._breakable = False
        self._pending: int | None = None
        self._heard = 0

    def install(self) -> None:
        """Take the three signals over; call it once, in the main thread."""
        for number in _ENDING:
            signal.signal(number, self._received)

    def reach_into_waiting(self) -> None:
        """From now on a signal also ends a wait that begins just after it has come.

        ``input`` with line editing waits in C. A signal that comes between its prompt and its system call
        interrupts nothing, and would be heard at the next key: somebody who reads the prompt may be as quick.
        So a thread, which the handler in C wakes, nudges the main one until it has looked what has come.
        """
        received, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        threading.Thread(target=self._nudge, args=(received, threading.get_ident()), daemon=True).start()

    def _nudge(self, received: int, main: int) -> None:
        told = 0
        while numbers := os.read(received, 64):
            told += sum(number in _ENDING for number in numbers)
            for _ in range(_MOST_NUDGES):
                if self._heard >= told or not self._breakable:
                    break
                signal.pthread_kill(main, _NUDGE)
                time.sleep(_NUDGE_AGAIN_S)  # nothing tells that a thread has entered its system call
            told = self._heard  # several of a kind may have been heard as one

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
        self._heard += 1
        # A request to end is not overruled by a Ctrl-C that follows it.
        if self._pending in (None, signal.SIGINT):
            self._pending = number
        if self._breakable:
            self.check()
