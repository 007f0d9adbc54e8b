"""Whether a process of another parent has ended: asked of the kernel, which tells when it is so."""

from __future__ import annotations

import os
import select


def dies(pid: int, within_s: float = 20) -> bool:
    """Whether a process is dead, a zombie too, or dies of the kill that is on its way."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], within_s)[0])
    finally:
        os.close(process)
