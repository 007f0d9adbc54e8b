"""The processes of one run: found by the token in their environment, and ended."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

TOKEN_VARIABLE = "TTSR_QA_RUN"  # noqa: S105 - the name of a variable
"""Every process of a run carries its token in this variable, also one that left the process tree."""


def of_run(token: str, leader: int | None = None) -> set[int]:
    """The living processes that carry the run's token or belong to the leader's session."""
    found = _by_proc(token) if sys.platform == "linux" else _by_psutil(token)
    if leader is not None and sys.platform == "linux":
        found |= {pid for pid in _pids() if _session(pid) == leader and not _is_zombie(pid)}
    return found - {os.getpid()}


def end(token: str, leader: int | None = None) -> set[int]:
    """Kill every process of a run, again until none is left; give those that were found.

    A process that forks while it is being killed is caught by the next look.
    """
    ended: set[int] = set()
    for _ in range(20):
        living = of_run(token, leader)
        if not living:
            break
        for pid in living:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        ended |= living
    return ended


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _by_proc(token: str) -> set[int]:
    mark = f"{TOKEN_VARIABLE}={token}".encode()
    found = set()
    for pid in _pids():
        try:
            environ = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue
        if mark in environ.split(b"\0") and not _is_zombie(pid):
            found.add(pid)
    return found


def _is_zombie(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return True
    return stat[stat.rfind(b")") + 2 : stat.rfind(b")") + 3] in b"ZX"


def _by_psutil(token: str) -> set[int]:
    import psutil

    found = set()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(TOKEN_VARIABLE) == token and process.status() != psutil.STATUS_ZOMBIE:
                found.add(process.pid)
    return found
