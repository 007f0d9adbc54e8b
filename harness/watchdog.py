"""A small second process that cleans up when qa itself is killed.

It holds one end of a pipe. When qa dies, whatever the reason, the pipe closes: then every
process of the runs that were under way is ended, the session so far is put with the evidence,
and the private folders are removed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from harness import processes


@dataclass(frozen=True, slots=True)
class Job:
    """What must be cleaned up for one run, and where its evidence goes."""

    token: str
    sandbox: str
    evidence: str
    session_glob: str
    masks: dict[str, str]


class Watchdog:
    """The handle that qa keeps. ``watch`` before the agent starts, ``release`` when all is cleaned."""

    def __init__(self) -> None:
        read, self._write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _run(read, self._write)
        os.close(read)

    def watch(self, job: Job) -> None:
        """Clean up after this run if qa dies."""
        self._tell({"watch": asdict(job)})

    def release(self, token: str) -> None:
        """This run has been cleaned up."""
        self._tell({"release": token})

    def close(self) -> None:
        """End the second process; what is still watched is cleaned up by it."""
        os.close(self._write)
        os.waitpid(self.pid, 0)

    def _tell(self, line: dict[str, object]) -> None:
        os.write(self._write, (json.dumps(line) + "\n").encode())


def _run(read: int, write: int) -> None:
    """The second process: never returns."""
    try:
        os.close(write)
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT):
            signal.signal(number, signal.SIG_IGN)
        _leave_inherited_files(read)
        jobs = _jobs_left(read)
        for job in jobs.values():
            _clean_up(job)
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


def _clean_up(job: Job) -> None:
    with suppress(Exception):
        processes.end(job.token)
    with suppress(Exception):
        _keep_evidence(job)
    shutil.rmtree(job.sandbox, ignore_errors=True)


def _keep_evidence(job: Job) -> None:
    from harness.recorder import copy_session
    from harness.redact import Masks

    folder = Path(job.evidence)
    copy_session(job.session_glob, folder / "session", Masks(job.masks))
    result = folder / "result.json"
    if not result.exists():
        problem = "qa was killed while this run was under way; the evidence ends there"
        result.write_text(json.dumps({"verdict": "error", "problem": problem}, indent=2) + "\n")
