"""The processes of one run: found by what they cannot all shed at once, and ended."""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TOKEN_VARIABLE = "TTSR_QA_RUN"  # noqa: S105 - the name of a variable
"""Every process of a run carries its token in this variable, until it clears its environment."""

_PR_SET_CHILD_SUBREAPER = 36
_DEATH_MS = 5_000
_ROUNDS = 20
_LOOKS = 10_000  # at a process that starts a program, which takes some hundred of them at most

# The children that this process has started itself, once it takes in orphans; None before.
_own_children: set[int] | None = None


class _Entry(NamedTuple):
    """A line of the process table."""

    state: bytes
    parent: int
    group: int
    session: int
    terminal: int

    @property
    def is_living(self) -> bool:
        """Whether it runs, or could."""
        return self.state not in (b"Z", b"X")


def adopt_orphans(own: int) -> None:
    """From now on, what an agent leaves behind becomes a child of this process and is found so.

    Only for a process that starts nothing but agents and ``own``, which is left alone: every other child
    then belongs to a run. Works on Linux; elsewhere it does nothing.
    """
    global _own_children  # noqa: PLW0603 - the kernel keeps this per process too
    if sys.platform != "linux":
        return
    if _own_children is None:
        import ctypes

        if ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            return
        _own_children = set()
    _own_children.add(own)


def leave_alone(pid: int, *, is_ours: bool) -> None:
    """After :func:`adopt_orphans`, a child of this process that is of no run; or is none any more."""
    if _own_children is not None:
        (_own_children.add if is_ours else _own_children.discard)(pid)


def of_run(token: str, leader: int | None = None, folder: str = "", keeper: int | None = None) -> set[int]:
    """The living processes of a run, with all their descendants and whoever is in their sessions.

    A process is of the run if it carries its token, belongs to the session of the ``leader``, has left its
    session and works in a folder below ``folder``, was left to this process after :func:`adopt_orphans`, or
    was left to the ``keeper`` of its namespaces, which is no process of the run itself.
    """
    whole, table = _look(token, leader, folder, keeper)
    return {pid for pid in whole if pid not in table or table[pid].is_living}


def end(token: str, leader: int | None = None, folder: str = "", keeper: int | None = None) -> set[int]:
    """Kill every process of a run, again until none is left; give those that were found.

    Each has really ended before the next look. A process that forks meanwhile is caught with its group, or
    by that look. One that forks and leaves faster than anybody can look has left its dead to this process,
    if it takes in orphans: they tell the group.
    """
    ended: set[int] = set()
    for _ in range(_ROUNDS):
        whole, table = _look(token, leader, folder, keeper)
        living = {pid for pid in whole if pid not in table or table[pid].is_living}
        dead = {pid for pid in whole - living - {leader} if table[pid].parent == os.getpid()}
        if not living and not dead:
            break
        _kill(living, _groups_within(living | dead, table))
        if _own_children is not None:
            # Orphans that were taken in; an agent itself is reaped by its terminal.
            _reap((living | dead) - {leader})
        ended |= living
    return ended


def _look(
    token: str, leader: int | None, folder: str, keeper: int | None
) -> tuple[set[int], dict[int, _Entry]]:
    """The processes of a run, also those that nobody has reaped yet, and the table they were found in."""
    if sys.platform != "linux":
        return _by_psutil(token) - {os.getpid()}, {}
    table: dict[int, _Entry] = {}
    found: set[int] = set()
    for pid in _pids():
        entry = _entry(pid)
        if entry is None:
            continue
        table[pid] = entry
        # At once: a process that lives for a moment only may be gone after the others have been looked at.
        if entry.session == leader or (keeper and entry.parent == keeper) or _has_token(pid, token):
            found.add(pid)
    found |= {pid for pid in table if folder and _is_detached(pid, table) and _works_in(pid, folder)}
    if _own_children is not None:
        mine = {pid for pid, entry in table.items() if entry.parent == os.getpid()}
        found |= mine - _own_children
    # A session can only be entered by being born into it.
    sessions = {table[pid].session for pid in found} - {0, os.getsid(0)}
    found |= {pid for pid, entry in table.items() if entry.session in sessions}
    return _with_descendants(found - {os.getpid(), keeper}, table) - {keeper}, table


def _kill(living: set[int], groups: set[int]) -> None:
    for group in groups:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    for pid in living:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    for pid in living:
        _await_death(pid)


def _reap(ended: set[int]) -> None:
    for pid in ended:
        with suppress(OSError):
            os.waitpid(pid, os.WNOHANG)


def _groups_within(found: set[int], table: Mapping[int, _Entry]) -> set[int]:
    """The process groups that have no other member: what is forked into one meanwhile belongs to the run."""
    inside = {table[pid].group for pid in found if pid in table}
    others = {entry.group for pid, entry in table.items() if entry.is_living and pid not in found}
    return inside - others - {os.getpgrp()}


def _await_death(pid: int) -> None:
    """Return when a killed process has ended."""
    if not hasattr(os, "pidfd_open"):
        return
    with suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.poll(_DEATH_MS)
        finally:
            os.close(descriptor)


def _with_descendants(found: set[int], table: Mapping[int, _Entry]) -> set[int]:
    children: dict[int, list[int]] = {}
    for pid, entry in table.items():
        children.setdefault(entry.parent, []).append(pid)
    whole, pending = set(found), list(found)
    while pending:
        new = [pid for pid in children.get(pending.pop(), ()) if pid not in whole]
        whole.update(new)
        pending += new
    return whole


def _pids() -> Iterable[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - hundreds, each time


def _entry(pid: int) -> _Entry | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The name in brackets may hold anything, brackets too; the numbers follow its end.
    state, *numbers = stat[stat.rfind(b")") + 2 :].split(None, 5)[:5]
    return _Entry(state, *map(int, numbers))


def _has_token(pid: int, token: str) -> bool:
    mark = f"{TOKEN_VARIABLE}={token}".encode()
    try:
        return mark in _environ(pid).split(b"\0")
    except OSError:
        return False


def _environ(pid: int) -> bytes:
    """The environment that a process was started with.

    One that is just becoming another program has neither arguments nor an environment for a moment, and then
    both: it is looked at again. Without memory (a kernel's thread, a dead process) it never has any.
    """
    environ = _read(pid, "environ")
    for _ in range(_LOOKS):
        if environ or _read(pid, "cmdline") or _read(pid, "statm").startswith(b"0 "):
            break
        os.sched_yield()
        environ = _read(pid, "environ")
    # The arguments may have come between the two looks.
    return environ or _read(pid, "environ")


def _read(pid: int, name: str) -> bytes:
    return Path(f"/proc/{pid}/{name}").read_bytes()


def _is_detached(pid: int, table: Mapping[int, _Entry]) -> bool:
    """Whether it left its parent's session and has no terminal, unlike somebody who looks into the folder."""
    parent = table.get(table[pid].parent)
    return not table[pid].terminal and (parent is None or parent.session != table[pid].session)


def _works_in(pid: int, folder: str) -> bool:
    try:
        place = os.readlink(f"/proc/{pid}/cwd")  # noqa: PTH115 - hundreds, each time
    except OSError:
        return False
    return (place.removesuffix(" (deleted)") + "/").startswith(f"{folder}/")


def _by_psutil(token: str) -> set[int]:
    import psutil

    found = set()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(TOKEN_VARIABLE) == token and process.status() != psutil.STATUS_ZOMBIE:
                found.add(process.pid)
    return found
