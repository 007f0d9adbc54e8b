"""Private folders of runs whose processes were all killed at once, so that nobody was left to remove them.

Each folder says who cleans it up: qa and its watchdog, by process and start time. The next qa that ends
removes those whose owners are both dead, and ends what is left of their runs. A folder that does not say, or
that was made in another container or before the last boot, is removed when it is a week old.
"""

from __future__ import annotations

import glob
import json
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.containment.sandbox import PREFIX, masks_of, sandbox_at
from harness.containment.watchdog import Job, clean_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OWNERS = "owners.json"
UNKNOWN_FOR_S = 7 * 24 * 3600.0
"""No run takes so long."""

_START_TIME = 19  # of the words behind the name in /proc/PID/stat


def claim(root: Path, pids: Iterable[int], evidence: str = "", session_glob: str = "") -> None:
    """Note in the folder of a run which processes clean it up. Where there is no /proc it does nothing.

    Args:
        root: The folder.
        pids: The processes.
        evidence: Where the run's evidence goes, if it has any.
        session_glob: Where the agent keeps its session.

    Raises:
        OSError: If it cannot be written.
    """
    place = _place()
    if place is not None:
        owners = [[pid, _started(pid)] for pid in pids]
        kept = os.path.abspath(evidence) if evidence else ""  # noqa: PTH100 - who sweeps may be elsewhere
        claimed = {"place": place, "owners": owners, "evidence": kept, "session": session_glob}
        (root / OWNERS).write_text(json.dumps(claimed))


def sweep(folder: Path | None = None) -> list[Path]:
    """Remove this user's private folders that nobody owns any more; give those that were found.

    What the agent had saved goes beside the evidence of its run, if that is still there.
    ``folder`` is that of temporary files, where it is not the usual one.
    """
    found = [root for root in _private_folders(folder or Path(tempfile.gettempdir())) if _is_ownerless(root)]
    for root in found:
        box = sandbox_at(root)
        evidence, session_glob = _kept(root)
        clean_up(Job(box.token, str(root), evidence, session_glob, dict(masks_of(box).values)))
    return found


def _kept(root: Path) -> tuple[str, str]:
    """Where the evidence of the run is, and its session; the agent could write this too, so it is checked."""
    try:
        claimed: Any = json.loads((root / OWNERS).read_text())
        evidence, session_glob = str(claimed["evidence"]), str(claimed["session"])
    except (OSError, ValueError, TypeError, KeyError):
        return "", ""
    is_its_own = os.path.normpath(session_glob).startswith(f"{glob.escape(str(root))}{os.sep}")
    return (evidence, session_glob) if is_its_own and Path(evidence, "events.jsonl").is_file() else ("", "")


def _private_folders(folder: Path) -> Iterator[Path]:
    with suppress(OSError), os.scandir(folder.resolve()) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_uid == os.geteuid():
                        yield Path(entry.path)


def _is_ownerless(root: Path) -> bool:
    try:
        claimed: Any = json.loads((root / OWNERS).read_text())
        if claimed["place"] == _place():
            return not any(_is_alive(int(pid), started) for pid, started in claimed["owners"])
    except (OSError, ValueError, TypeError, KeyError):
        pass
    try:
        return time.time() - root.stat().st_mtime > UNKNOWN_FOR_S
    except OSError:
        return False


def _place() -> list[str] | None:
    """What makes the number of a process mean something: this boot, and the namespace of processes."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return [boot, str(Path("/proc/self/ns/pid").readlink())]
    except OSError:
        return None


def _is_alive(pid: int, started: int | None) -> bool:
    return started is not None and _started(pid) == started


def _started(pid: int) -> int | None:
    """When a living process was started, in clock ticks after the boot; None for a dead one."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    words = stat[stat.rfind(")") + 2 :].split()
    return None if words[0] in ("Z", "X") else int(words[_START_TIME])
