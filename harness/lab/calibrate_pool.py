"""Tasks over a few local processes, their tallies in order. There are no threads, so ``fork`` is safe."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
from collections import deque
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, NamedTuple

from harness.detectors.batch import Scanner
from harness.lab.calibrate_files import scan_task
from harness.lab.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from multiprocessing.process import BaseProcess

    from harness.detectors.mechanisms import Profile
    from harness.lab.calibrate import Reading
    from harness.lab.calibrate_files import Task

_AHEAD = 4  # tasks in work or waiting for an earlier one, for each process
_GC_THRESHOLD = 50_000  # parsing JSON makes many objects and hardly a cycle


class Done(NamedTuple):
    """A task with what was counted in it."""

    task: Task
    tally: Tally


def scan_all(
    tasks: Iterable[Task], reading: Reading, profile: Profile, jobs: int, method: str | None = None
) -> Generator[Done, None, None]:
    """Scan tasks and give their tallies, in order.

    A process that dies costs its task, which is counted as unread, and another takes its place. Close the
    iterator, or exhaust it, to end the processes.

    Args:
        tasks: They are taken as they are needed.
        reading: How files are read.
        profile: The guard.
        jobs: Processes; with 1 everything is done in this one.
        method: How processes are started: ``fork``, ``spawn``; None takes what suits the system.
    """
    if jobs > 1:
        yield from _Pool(reading, profile, jobs, method).run(tasks)
        return
    scanner = Scanner(profile=profile)
    for task in tasks:
        yield Done(task, scan_task(task, reading, scanner))


def default_jobs() -> int:
    """As many processes as this one may use processors."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Worker:
    """One process, and the number of the task that it works at."""

    def __init__(self, process: BaseProcess, connection: Connection) -> None:
        self.process = process
        self.connection = connection
        self.number: int | None = None


class _Pool:
    def __init__(self, reading: Reading, profile: Profile, jobs: int, method: str | None) -> None:
        self._setup = (reading, profile)
        self._jobs = jobs
        method = method or ("fork" if sys.platform == "linux" else "spawn")
        self._context = multiprocessing.get_context(method)
        self._workers: list[_Worker] = []
        self._open: deque[Task] = deque()  # from the first task whose tally was not given
        self._given = 0
        self._tallies: dict[int, Tally] = {}

    def run(self, tasks: Iterable[Task]) -> Iterator[Done]:
        source = iter(tasks)
        has_more = True
        try:
            while True:
                idle = [worker for worker in self._workers if worker.number is None]
                while has_more and len(self._open) < self._jobs * _AHEAD and (idle or self._has_room()):
                    task = next(source, None)
                    if task is None:
                        has_more = False
                        break
                    worker = idle.pop() if idle else self._start()
                    self._open.append(task)
                    self._hand(worker, self._given + len(self._open) - 1, task)
                if not self._open:
                    return
                self._collect()
                while self._given in self._tallies:
                    tally = self._tallies.pop(self._given)
                    self._given += 1
                    yield Done(self._open.popleft(), tally)
        finally:
            self._end()

    def _has_room(self) -> bool:
        return len(self._workers) < self._jobs

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        inherited = [worker.connection for worker in self._workers] + [ours]
        if self._context.get_start_method() != "fork":
            inherited = []
        process = self._context.Process(  # type: ignore[attr-defined]
            target=_work, args=(theirs, inherited, *self._setup), daemon=True
        )
        process.start()
        theirs.close()
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker

    def _hand(self, worker: _Worker, number: int, task: Task) -> None:
        worker.number = number
        with suppress(OSError):  # it has died: _collect will find out
            worker.connection.send(task)

    def _collect(self) -> None:
        """Wait for tallies, and take them."""
        busy = {worker.connection: worker for worker in self._workers if worker.number is not None}
        if not busy:
            return
        for connection in wait(list(busy)):
            worker = busy[connection]  # type: ignore[index]
            assert worker.number is not None
            try:
                tally = worker.connection.recv()
            except (EOFError, OSError):
                tally = self._lost(worker)
            self._tallies[worker.number] = tally
            worker.number = None

    def _lost(self, worker: _Worker) -> Tally:
        """The process has died, as when memory runs out: its task counts as unread."""
        worker.process.join()
        self._workers.remove(worker)
        worker.connection.close()
        code = worker.process.exitcode or 0
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        tally = Tally(self._setup[0].most)
        assert worker.number is not None
        for piece in self._open[worker.number - self._given]:
            tally.add_bad(piece.file, 0, f"the process that scanned it ended {how}")
        return tally

    def _end(self) -> None:
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join()
            worker.connection.close()
        self._workers = []


def _work(connection: Connection, inherited: list[Connection], reading: Reading, profile: Profile) -> None:
    """What a process does: scan tasks until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    for other in inherited:
        other.close()
    gc.set_threshold(_GC_THRESHOLD)
    gc.freeze()
    gc.enable()
    scanner = Scanner(profile=profile)
    with suppress(EOFError, OSError):
        while True:
            connection.send(scan_task(connection.recv(), reading, scanner))
