"""What a run of qa can leave behind on a machine, counted from outside.

Other people may work on the same machine: only what can be told to be ours is counted. A process is ours if
it is a descendant of this one, which takes in orphans, or has ``folder`` in its environment, its arguments or
its working folder: qa is started with its TMPDIR there, and its agents get their homes below it.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path

import psutil

_SET_CHILD_SUBREAPER = 36
_LISTENING = "0A"
_NAMESPACES = ("net", "mnt", "pid", "user")
_LEAVES_ALL = """
import ctypes, socket, sys
is_inside = ctypes.CDLL(None).unshare(0x10000000) == 0  # not every system allows it
port = socket.create_server(("127.0.0.1", 0))
print("namespaces" if is_inside else "", flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True)
class Leftovers:
    """Everything of ours that is there at one moment; each entry names itself."""

    processes: frozenset[str]
    ports: frozenset[str]
    namespaces: frozenset[str]
    temporary: frozenset[str]
    cached: frozenset[str]

    def beyond(self, before: Leftovers) -> list[str]:
        """What is there now and was not before, one line each."""
        return [
            f"{field.name}: {entry}"
            for field in fields(self)
            for entry in sorted(getattr(self, field.name) - getattr(before, field.name))
        ]


def take_in_orphans() -> None:
    """From now on, what outlives its parent becomes a child of this process and is counted so."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def look(folder: Path, temporary: Path, cache: Path) -> Leftovers:
    """Count now. ``temporary`` and ``cache`` are what qa was given as such, both below ``folder``."""
    ours = _processes(folder)
    return Leftovers(
        processes=frozenset(f"{process.pid} {_title(process)}" for process in ours),
        ports=frozenset(_ports([*ours, psutil.Process()])),
        namespaces=frozenset(_namespaces(ours) | _mounted_namespaces()),
        temporary=frozenset(entries(temporary)),
        cached=frozenset(entries(cache)),
    )


def entries(folder: Path) -> set[str]:
    """Every path below a folder, relative to it."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def check_that_it_is_seen(folder: Path, temporary: Path, cache: Path) -> None:
    """Leave one of each, see that all are counted, and take them away again.

    Raises:
        AssertionError: If something that is there is not counted.
    """
    before = look(folder, temporary, cache)
    words = [sys.executable, "-c", _LEAVES_ALL, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stdin=pipe, start_new_session=True, text=True) as left:
        assert left.stdout
        allowed = left.stdout.readline().split()
        (temporary / "left").touch()
        (cache / "left").touch()
        seen = look(folder, temporary, cache).beyond(before)
        left.communicate()
    for path in (temporary / "left", cache / "left"):
        path.unlink()
    for name in ("processes", "ports", "temporary", "cached", *allowed):
        assert any(line.startswith(f"{name}: ") for line in seen), f"no {name} in {seen}"


def descriptors() -> dict[int, str]:
    """The open descriptors of this process and what each leads to."""
    found = {}
    for each in list(Path("/proc/self/fd").iterdir()):
        with suppress(OSError):  # that of the folder itself is closed by now
            found[int(each.name)] = str(each.readlink())
    return found


def _processes(folder: Path) -> list[psutil.Process]:
    """Zombies too: who has not been waited for is left behind."""
    me = psutil.Process()
    above = {process.pid for process in (me, *me.parents())}
    below = {process.pid for process in me.children(recursive=True)}
    return [
        process
        for process in psutil.process_iter()
        if process.pid not in above and (process.pid in below or _names(process, os.fsencode(folder)))
    ]


def _names(process: psutil.Process, folder: bytes) -> bool:
    place = Path(f"/proc/{process.pid}")
    with suppress(OSError):
        if folder in (place / "environ").read_bytes() or folder in (place / "cmdline").read_bytes():
            return True
        return folder in os.fsencode((place / "cwd").readlink())
    return False


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())[:80] or f"[{process.name()}]"
    except psutil.Error:
        return "(gone meanwhile)"


def _ports(ours: list[psutil.Process]) -> set[str]:
    """Listening sockets that a process of ours holds, in whatever network namespace it is."""
    found = set()
    for process in ours:
        held = set()
        with suppress(OSError):
            for each in Path(f"/proc/{process.pid}/fd").iterdir():
                with suppress(OSError):
                    held.add(str(each.readlink()))
        for name in ("tcp", "tcp6"):
            with suppress(OSError):
                for line in Path(f"/proc/{process.pid}/net/{name}").read_text().splitlines()[1:]:
                    words = line.split()
                    if words[3] == _LISTENING and f"socket:[{words[9]}]" in held:
                        found.add(f"{int(words[1].rpartition(':')[2], 16)} of process {process.pid}")
    return found


def _namespaces(ours: list[psutil.Process]) -> set[str]:
    mine, *others = (_namespaces_of(pid) for pid in ("self", *(process.pid for process in ours)))
    return set().union(*others) - mine


def _namespaces_of(pid: object) -> set[str]:
    with suppress(OSError):
        return {str(Path(f"/proc/{pid}/ns/{name}").readlink()) for name in _NAMESPACES}
    return set()


def _mounted_namespaces() -> set[str]:
    """Namespaces that a mount keeps although no process is in them."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return {line.split()[3] for line in lines if " - nsfs " in line}
