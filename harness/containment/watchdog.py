"""A small second process that cleans up when qa itself is killed.

It holds one end of a pipe. When qa dies, whatever the reason, the pipe closes: then every
process of the runs that were under way is ended, the session so far is put with the evidence,
and the private folders are removed.
"""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from harness.containment import processes
from harness.containment.sandbox import remove_tree

if TYPE_CHECKING:
    from collections.abc import Callable

_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT)


class Job(NamedTuple):
    """What must be cleaned up for one run, and where its evidence goes."""

    token: str
    sandbox: str
    evidence: str
    session_glob: str
    masks: dict[str, str]


class Watchdog:
    """The handle that qa keeps. ``watch`` before anything of a run is made, ``release`` when all is cleaned.

    What was watched last is cleaned up first: a folder that is watched before the runs whose evidence goes
    into it is removed after them.

    ``on_start`` hears the process id of the second process, and of each that takes its place when it was
    killed itself.
    """

    def __init__(self, on_start: Callable[[int], object] | None = None) -> None:
        self._on_start = on_start
        self._watched: dict[str, Job] = {}
        self._start()

    def watch(self, job: Job) -> None:
        """Clean up after this run if qa dies."""
        self._watched[job.token] = job
        self._tell({"watch": job._asdict()})

    def release(self, token: str) -> None:
        """This run has been cleaned up."""
        if self._watched.pop(token, None) is not None:
            self._tell({"release": token})

    def close(self) -> None:
        """End the second process; what is still watched is cleaned up by it."""
        os.close(self._write)
        self._reap()

    def _start(self) -> None:
        read, self._write = os.pipe()
        # A signal to the whole group must not reach the second process before it ignores it.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _IGNORED)
        try:
            self.pid = os.fork()
            if self.pid == 0:
                _run(read, self._write)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        os.close(read)
        if self._on_start is not None:
            self._on_start(self.pid)

    def _tell(self, line: dict[str, object]) -> None:
        try:
            self._write_line(line)
        except BrokenPipeError:
            os.close(self._write)
            self._reap()
            self._start()
            for job in self._watched.values():
                self._write_line({"watch": job._asdict()})

    def _write_line(self, line: dict[str, object]) -> None:
        data = (json.dumps(line) + "\n").encode()
        while data:
            data = data[os.write(self._write, data) :]

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _run(read: int, write: int) -> None:
    """The second process: never returns."""
    try:
        os.close(write)
        os.setsid()
        for number in _IGNORED:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _IGNORED)
        _leave_inherited_files(read)
        jobs = _jobs_left(read)
        for job in reversed(jobs.values()):
            clean_up(job)
    finally:
        os._exit(0)


def _leave_inherited_files(keep: int) -> None:
    # A pipe that the caller reads to its end must not stay open because of us.
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.closerange(3, keep)
    os.closerange(keep + 1, 65_536)


def _jobs_left(read: int) -> dict[str, Job]:
    jobs: dict[str, Job] = {}
    with os.fdopen(read, "rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                break
            message = json.loads(line)
            if "watch" in message:
                job = Job(**message["watch"])
                jobs[job.token] = job
            else:
                jobs.pop(message["release"], None)
    return jobs


def clean_up(job: Job) -> None:
    """End what is left of a run whose qa is dead, keep its session, and remove its private folders."""
    with suppress(Exception):
        processes.end(job.token, folder=job.sandbox)
    if job.evidence:
        with suppress(Exception):
            _keep_evidence(job)
    remove_tree(job.sandbox)


def _keep_evidence(job: Job) -> None:
    from harness.recorder import copy_session
    from harness.redact import Masks

    folder = Path(job.evidence)
    copy_session(job.session_glob, folder / "session", Masks(job.masks))
    result = folder / "result.json"
    if not result.exists():
        problem = "qa was killed while this run was under way; the evidence ends there"
        result.write_text(json.dumps({"verdict": "error", "problem": problem}, indent=2) + "\n")
