"""Namespaces of one run: the agent sees its own processes and a network with nothing in it but the model.

qa itself stays outside. A :mod:`keeper <harness.containment.keeper>` makes the namespaces and hands out the
sockets that the event loop serves; the agent enters them just before its program begins.
"""

from __future__ import annotations

import errno
import json
import os
import select
import signal
import socket
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from harness.containment import processes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from harness.containment.keeper import Kind

SWITCH = "TTSR_QA_ISOLATE"
"""The variable that keeps qa from using namespaces when it is ``off``."""

_END_MS = 5_000
_HELD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT)

# The kinds that this system may still turn out to allow, the best first; None before the first try.
_kinds: list[Kind] | None = None
_refusal = ""


class NotAllowedError(Exception):
    """This system gives no namespaces; the message says which call it refused."""


class Contained:
    """The namespaces of one run.

    Attributes:
        port: Listens on a loopback of its own; only what is inside can connect.
        resolver: A datagram and a listening socket on port 53 there.
        keeper: The process that holds it all; whatever is inside and has no parent is its child.
    """

    def __init__(self, kind: Kind, keeper: int, channel: socket.socket, sockets: list[socket.socket]) -> None:
        self.port, *self.resolver = sockets
        self.keeper = keeper
        self._kind, self._channel = kind, channel

    @contextmanager
    def starting(self, cwd: str, own_tmp: str = "") -> Iterator[Callable[[], None]]:
        """What a child that is forked meanwhile has to call before its program begins.

        Args:
            cwd: Where the program begins.
            own_tmp: The folder that is /tmp to the program; empty for the one that it is to all.

        Raises:
            OSError: If the keeper is gone.
        """
        if not self._kind.has_pids:
            yield lambda: self._enter(cwd, own_tmp)
            return
        from harness.containment.keeper import NEW_PIDS, enter

        # Only the children of who enters a PID namespace are born there, so qa enters it, and leaves it.
        with _open("self", "pid") as own, _open(self.keeper, "pid") as inside:
            enter(inside, NEW_PIDS)
            try:
                yield lambda: self._enter(cwd, own_tmp)
            finally:
                enter(own, NEW_PIDS)

    def close(self) -> None:
        """End the keeper, and with a PID namespace everything in it. The agent has been waited for."""
        for each in (self.port, *self.resolver, self._channel):
            each.close()
        _await_end(self.keeper)
        processes.leave_alone(self.keeper, is_ours=False)

    def _enter(self, cwd: str, own_tmp: str) -> None:
        from harness.containment.keeper import NEW_MOUNTS, NEW_NETWORK, NEW_USER, enter, put_own_tmp

        wanted = [("net", NEW_NETWORK), ("mnt", NEW_MOUNTS)]
        if self._kind.has_users:
            wanted.insert(0, ("user", NEW_USER))
        opened = [(os.open(_place(self.keeper, name), os.O_RDONLY), flag) for name, flag in wanted]
        for descriptor, flag in opened:
            enter(descriptor, flag)
            os.close(descriptor)
        if own_tmp:
            put_own_tmp(own_tmp)
        os.chdir(cwd)  # entering the mounts has left it


def listen(environ: Mapping[str, str]) -> tuple[socket.socket, Contained | None, str]:
    """A port for the model, with the namespaces it is in, or with why the system gives none."""
    refusal = ""
    try:
        if contained := contain(environ):
            return contained.port, contained, ""
    except NotAllowedError as error:
        refusal = str(error)
    port = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    port.bind(("127.0.0.1", 0))
    port.listen(128)
    port.setblocking(False)  # noqa: FBT003 - a positional-only argument
    return port, None, refusal


def contain(environ: Mapping[str, str]) -> Contained | None:
    """New namespaces for a run; None where the user wants none.

    Raises:
        NotAllowedError: If the system has none, or refuses.
    """
    global _kinds, _refusal  # noqa: PLW0603 - what a system allows does not change while qa runs
    if environ.get(SWITCH) == "off":
        return None
    if sys.platform != "linux":
        raise NotAllowedError("this system has no namespaces")
    from harness.containment.keeper import Kind

    if _kinds is None:
        by_root = [Kind(has_users=False, has_pids=True)] if os.geteuid() == 0 else []
        _kinds = [*by_root, Kind(has_users=True, has_pids=False)]
    while _kinds:
        try:
            return _make(_kinds[0])
        except OSError as error:
            _refusal = f"this system allows no namespaces ({_why(error)})"
            del _kinds[0]
    raise NotAllowedError(_refusal)


def _why(error: OSError) -> str:
    if error.errno == errno.ENOSPC:  # what the kernel says of a limit; no disk is meant
        return "the limit of sysctl user.max_*_namespaces is reached"
    return error.strerror or str(error)


def _make(kind: Kind) -> Contained:
    ours, theirs = socket.socketpair()
    try:
        keeper = _fork_keeper(theirs, kind)
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    processes.leave_alone(keeper, is_ours=True)
    sockets: list[socket.socket] = []
    try:
        text, descriptors, _flags, _address = socket.recv_fds(ours, 1024, 3)
        sockets = [socket.socket(fileno=descriptor) for descriptor in descriptors]
        _check(json.loads(text or "{}"))
    except BaseException:
        for each in (*sockets, ours):
            each.close()
        _await_end(keeper)
        processes.leave_alone(keeper, is_ours=False)
        raise
    for each in sockets:
        each.setblocking(False)  # noqa: FBT003 - a positional-only argument
    return Contained(kind, keeper, ours, sockets)


def _check(answer: Mapping[str, int]) -> None:
    """Raise what the keeper met."""
    if "sockets" not in answer:
        number = answer.get("errno") or errno.ESRCH
        raise OSError(number, os.strerror(number))


def _fork_keeper(channel: socket.socket, kind: Kind) -> int:
    from harness.containment.keeper import NEW_PIDS, enter, keep, unshare

    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)
    try:
        if not kind.has_pids:
            return os.fork() or keep(channel, kind)
        with _open("self", "pid") as own:
            # Root of a user namespace alone may not come back into the PID namespace around that; had it left
            # it, it could start no program any more.
            enter(own, NEW_PIDS)
            unshare(NEW_PIDS)
            try:
                return os.fork() or keep(channel, kind)
            finally:
                enter(own, NEW_PIDS)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


@contextmanager
def _open(process: int | str, name: str) -> Iterator[int]:
    descriptor = os.open(_place(process, name), os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _place(process: int | str, name: str) -> str:
    return f"/proc/{process}/ns/{name}"


def _await_end(keeper: int) -> None:
    """Wait for the keeper, whose channel is closed; a stuck one is killed."""
    with suppress(OSError):
        descriptor = os.pidfd_open(keeper)
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            if not poll.poll(_END_MS):
                os.kill(keeper, signal.SIGKILL)
                poll.poll(_END_MS)
        finally:
            os.close(descriptor)
        os.waitpid(keeper, os.WNOHANG)
