"""Gates: where a reply waits until a test, a scenario's step or a tool lets it go on."""

from __future__ import annotations

import asyncio
from collections import deque


class Gates:
    """Named gates of one server. A gate is shut until it is released; names need no announcement.

    A release may come before the reply does: it is not lost.
    """

    def __init__(self) -> None:
        self._open: set[str] = set()
        self._passes: dict[str, int] = {}
        # The result says whether the reply goes on by one of the passes that are counted.
        self._waiting: dict[str, deque[asyncio.Future[bool]]] = {}

    @property
    def held(self) -> dict[str, int]:
        """How many replies wait at each gate at which one waits."""
        counts = {name: sum(not one.done() for one in queue) for name, queue in self._waiting.items()}
        return {name: count for name, count in counts.items() if count}

    def release(self, name: str, count: int | None = None) -> int:
        """Let replies through: the next ``count`` of them, now or later, or every one from now on.

        Returns:
            How many were waiting and go on at once, the longest waiting first.
        """
        # One whose client has hung up is still in the queue until its task has ended.
        waiting = deque(one for one in self._waiting.pop(name, ()) if not one.done())
        if waiting:
            self._waiting[name] = waiting
        if count is None:
            self._open.add(name)
        going = len(waiting) if count is None else min(count, len(waiting))
        for _ in range(going):
            waiting.popleft().set_result(count is not None)
        if count is not None and count > going:
            self._passes[name] = self._passes.get(name, 0) + count - going
        self._tidy(name)
        return going

    def shut(self, name: str) -> None:
        """Hold replies at this gate again; passes that were left are void."""
        self._open.discard(name)
        self._passes.pop(name, None)

    def lets_through(self, name: str) -> bool:
        """Whether a reply that arrives now need not wait; takes one pass if the gate is not open."""
        if name in self._open:
            return True
        left = self._passes.get(name, 0)
        if left > 1:
            self._passes[name] = left - 1
        elif left:
            del self._passes[name]
        return left > 0

    async def wait(self, name: str) -> None:
        """Wait until the gate lets this reply through, if it does not now. Cancelling it leaves the queue."""
        if self.lets_through(name):  # whoever heard that a reply waits here may have released it already
            return
        going: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(name, deque()).append(going)
        try:
            await going
        except asyncio.CancelledError:
            if going.done() and not going.cancelled() and going.result():
                self.release(name, 1)  # the client hung up with the pass in its hand: it is another's
            raise
        finally:
            if going in self._waiting.get(name, ()):
                self._waiting[name].remove(going)
            self._tidy(name)

    def _tidy(self, name: str) -> None:
        if name in self._waiting and not self._waiting[name]:
            del self._waiting[name]
