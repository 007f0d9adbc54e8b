"""Several runs at a time, each in one of a few processes that are copies of this one.

A copy has everything loaded that a run needs, so it costs no start-up. Each makes one run at a time, has its
own watchdog, takes in only the orphans of its own agents, and stands in a process group of its own: Ctrl-C
reaches this process, which passes it on once. When this process dies, the copies end, and their watchdogs
clean up.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import sys
import traceback
from collections import deque
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from harness.attempts import ONCE, Again, repeated, retried
from harness.interrupts import INTERRUPTS
from harness.judge import skipped
from harness.results import ScenarioResult
from harness.results_json import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.plan import Job
    from harness.qa_session import QaSession

_PR_SET_PDEATHSIG = 1
_BAD = ("failed", "error")
_READ = 1 << 20


class PoolEnd(NamedTuple):
    """How it ended: ``bugs`` are tracebacks of qa itself."""

    interrupted: bool
    bugs: tuple[str, ...]


def run_pool(
    session: QaSession,
    jobs: Sequence[Job],
    *,
    workers: int,
    again: Again = ONCE,
    exit_first: bool = False,
) -> PoolEnd:
    """Make all runs, a few at a time; results go to the session as they come, in the end in the jobs' order.

    A process that dies makes the run it was at an error, and another takes its place.

    Args:
        session: The invocation; nothing of it has run yet.
        jobs: What to run.
        workers: How many runs at a time.
        again: Which runs are made more than once.
        exit_first: Hand out no further run after one that did not pass.
    """
    pool = _Pool(session, jobs, again, exit_first=exit_first)
    pool.start(min(workers, len(pool.queue)))
    return pool.work()


@dataclass(slots=True)
class _Worker:
    """A copy of this process: where it takes orders, where it answers, and what it is at."""

    pid: int
    orders: int
    answers: int
    at: int | None = None
    heard: bytearray = field(default_factory=bytearray)


class _Pool:
    def __init__(self, session: QaSession, jobs: Sequence[Job], again: Again, *, exit_first: bool) -> None:
        self.session, self.jobs, self.again = session, jobs, again
        self.exit_first = exit_first
        self.queue = deque(index for index in range(len(jobs)) for _ in range(again.repeat))
        self.made: dict[int, list[ScenarioResult]] = {}
        self.finished: dict[int, ScenarioResult] = {}
        self.told: set[int] = set()
        self.workers: dict[int, _Worker] = {}
        self.bugs: list[str] = []
        self.is_interrupted = False
        self.selector = selectors.DefaultSelector()
        _ = session.folder  # made here, so that all share it

    def start(self, count: int) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        for _ in range(count):
            self._add()

    def work(self) -> PoolEnd:
        while self.workers:
            try:
                self._step()
            except KeyboardInterrupt:
                self._interrupt()
        for index in sorted(self.finished):
            self._tell(index)
        self.session.results[:] = [self.finished[index] for index in sorted(self.finished)]
        return PoolEnd(self.is_interrupted, tuple(self.bugs))

    def _step(self) -> None:
        for worker in list(self.workers.values()):
            if worker.at is None:
                self._hand_out(worker)
        for key, _events in self.selector.select() if self.workers else ():
            self._hear(self.workers[key.fd])

    def _hand_out(self, worker: _Worker) -> None:
        if not self.queue or self.is_interrupted:
            self._dismiss(worker)
            return
        worker.at = self.queue.popleft()
        self.session.on_start(self.jobs[worker.at])
        with suppress(BrokenPipeError):  # its end is heard next
            os.write(worker.orders, f"{worker.at}\n".encode())

    def _hear(self, worker: _Worker) -> None:
        data = os.read(worker.answers, _READ)
        if not data:
            self._lost(worker)
            return
        worker.heard += data
        while (end := worker.heard.find(b"\n")) >= 0:
            line = bytes(worker.heard[:end])
            del worker.heard[: end + 1]
            self._answer(worker, json.loads(line))

    def _answer(self, worker: _Worker, answer: dict[str, Any]) -> None:
        index, worker.at = worker.at, None
        if "bug" in answer:
            self.bugs.append(answer["bug"])
        elif "interrupted" in answer:
            self.is_interrupted = True
        elif index is not None:
            self._ended(index, read(ScenarioResult, answer["result"], ""))

    def _ended(self, index: int, result: ScenarioResult) -> None:
        made = self.made.setdefault(index, [])
        made.append(result)
        is_bad = result.verdict in _BAD
        if is_bad and len(made) <= self.again.retries and not self.is_interrupted:
            self.queue.appendleft(index)
        elif len(made) >= self.again.repeat:
            final = repeated(made) if self.again.repeat > 1 else retried(made)
            self.finished[index] = final
            self._tell_in_order(index)
            if self.exit_first and is_bad:
                self.queue.clear()

    def _tell_in_order(self, index: int) -> None:
        """A control stands behind its scenario, whichever of them ends first."""
        is_early = self.jobs[index].control and index - 1 not in self.finished
        for each in () if is_early else (index, index + 1):
            if each == index or (each in self.finished and self.jobs[each].control):
                self._tell(each)

    def _tell(self, index: int) -> None:
        if index not in self.told:
            self.told.add(index)
            self.session.on_result(self.finished[index])

    def _lost(self, worker: _Worker) -> None:
        """A process has ended that was not dismissed."""
        at = worker.at
        status = self._dismiss(worker)
        if self.is_interrupted:
            return
        if at is not None:
            how = f"by signal {-status}" if status < 0 else f"with exit code {status}"
            self._ended(at, skipped(self.jobs[at], f"the process that made this run ended {how}", "error"))
        if self.queue:
            self._add()

    def _dismiss(self, worker: _Worker) -> int:
        """Let a process end and wait for it; its exit code, negative for a signal."""
        del self.workers[worker.answers]
        self.selector.unregister(worker.answers)
        os.close(worker.orders)
        os.close(worker.answers)
        _pid, status = os.waitpid(worker.pid, 0)
        return os.waitstatus_to_exitcode(status)

    def _interrupt(self) -> None:
        self.is_interrupted = True
        for worker in self.workers.values():
            with suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGINT)

    def _add(self) -> None:
        orders_in, orders = os.pipe()
        answers, answers_out = os.pipe()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            ours = [orders, answers]
            ours += [fd for worker in self.workers.values() for fd in (worker.orders, worker.answers)]
            self._become_worker(parent, ours, orders_in, answers_out)
        os.close(orders_in)
        os.close(answers_out)
        self.workers[answers] = _Worker(pid, orders, answers)
        self.selector.register(answers, selectors.EVENT_READ)

    def _become_worker(self, parent: int, ours: Sequence[int], orders: int, answers: int) -> NoReturn:
        """Never returns: nothing of the copied process may go on behind it."""
        code = 1
        try:
            os.setpgid(0, 0)
            _die_with(parent)
            for descriptor in ours:
                os.close(descriptor)
            _serve(self.session, self.jobs, orders, answers)
            code = 0
        except KeyboardInterrupt:
            code = 0
        finally:
            os._exit(code)


def _serve(session: QaSession, jobs: Sequence[Job], orders: int, answers: int) -> None:
    session.on_start, session.on_result = _hear_nothing, _hear_nothing
    try:
        with os.fdopen(orders, "rb", buffering=0) as lines:
            while line := lines.readline():
                _write(answers, _make(session, jobs[int(line)]))
                INTERRUPTS.check()
    finally:
        session.close()


def _make(session: QaSession, job: Job) -> dict[str, Any]:
    try:
        return {"result": asdict(session.run(job))}
    except KeyboardInterrupt:
        return {"interrupted": True}
    except Exception:  # noqa: BLE001  whatever it is, this process reports it
        return {"bug": traceback.format_exc()}


def _write(answers: int, answer: dict[str, Any]) -> None:
    data = json.dumps(answer).encode() + b"\n"
    while data:
        data = data[os.write(answers, data) :]


def _die_with(parent: int) -> None:
    """End this process when its parent dies, on Linux."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def _hear_nothing(_what: object) -> None:
    """In place of a report: the process that started this one tells."""
