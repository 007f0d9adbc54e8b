"""The keeper of one run's namespaces: a copy of qa that makes them, hands out sockets, and waits.

It never starts a program. With a PID namespace it is the first process there: what an agent leaves behind
becomes its child, and when it ends, the kernel ends every process inside.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import socket
import stat
import struct
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

from harness.containment.names import with_files_and_dns

NEW_MOUNTS, NEW_USER, NEW_PIDS, NEW_NETWORK = 0x0002_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000
"""The flags of unshare(2) and setns(2)."""

DNS_PORT = 53

_PRIVATE, _BIND = 0x4_4000, 0x1000  # MS_REC | MS_PRIVATE, MS_BIND
_NO_PROGRAMS = 0xE  # MS_NOSUID | MS_NODEV | MS_NOEXEC
_WITH_ALL_BELOW = 0x4000  # MS_REC
_DETACH = 2
_TMP = "/tmp"  # noqa: S108 - what an agent may write to, whatever TMPDIR says
_SIOCSIFFLAGS = 0x8914
_IFF_UP_AND_RUNNING = 0x41
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGQUIT, signal.SIGCHLD)
_RESOLVER = "nameserver 127.0.0.1\nsearch .\noptions timeout:1 attempts:1\n"


class Kind(NamedTuple):
    """Which namespaces a run gets beside those for network and mounts."""

    has_users: bool
    has_pids: bool


def unshare(flags: int) -> None:
    """Leave the namespaces of these kinds for new ones.

    Raises:
        OSError: If the system does not allow it.
    """
    _checked(_libc().unshare(flags))


def enter(descriptor: int, flag: int) -> None:
    """Enter the namespace of a descriptor.

    Raises:
        OSError: If the system does not allow it.
    """
    _checked(_libc().setns(descriptor, flag))


def keep(channel: socket.socket, kind: Kind) -> NoReturn:
    """Make the namespaces, send the sockets made in them through the channel, and wait until it closes.

    Sends one line of JSON: ``sockets`` is how many there are, one for the model and two on the port of the
    resolver; ``errno`` says why there is none.
    """
    try:
        _stand_alone(channel.fileno())
        try:
            sockets = _set_up(kind)
        except OSError as error:
            channel.send(json.dumps({"errno": error.errno}).encode())
            os._exit(1)
        descriptors = [each.fileno() for each in sockets]
        socket.send_fds(channel, [json.dumps({"sockets": len(descriptors)}).encode()], descriptors)
        for each in sockets:
            each.close()
        channel.recv(1)
    finally:
        os._exit(0)


def put_own_tmp(folder: str) -> None:
    """Let /tmp be a folder, for this process and its children; what is in /tmp now stays where it is.

    What is made in /tmp from then on stands in the folder. Where that is not allowed, nothing changes.
    """
    with suppress(OSError):
        unshare(NEW_MOUNTS)
        # The folder may be in /tmp, and this is how to reach what the mount covers.
        covered = os.open(_TMP, os.O_RDONLY | os.O_DIRECTORY)
        names = os.listdir(covered)  # noqa: PTH208 - by descriptor
        _mount(folder, _TMP, "", _BIND)
        try:
            for name in names:
                _show(covered, name)
        except OSError:
            _checked(_libc().umount2(_TMP.encode(), _DETACH))
        finally:
            os.close(covered)


def _show(covered: int, name: str) -> None:
    """Let what has this name in the covered folder stand in /tmp, unless it has gone meanwhile."""
    place, source = f"{_TMP}/{name}", f"/proc/self/fd/{covered}/{name}"
    try:
        mode = os.stat(name, dir_fd=covered, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            Path(place).symlink_to(os.readlink(name, dir_fd=covered))
            return
        if stat.S_ISDIR(mode):
            Path(place).mkdir()
        else:
            Path(place).touch()
        _mount(source, place, "", _BIND | _WITH_ALL_BELOW)
    except FileNotFoundError:
        pass


def _stand_alone(channel: int) -> None:
    """Keep nothing open that somebody reads to its end, and hear no signal that is meant for qa."""
    os.setsid()
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    # Those that are open, and not the range: to try 65,536 numbers takes 3 ms where the C library is old.
    for word in os.listdir("/proc/self/fd"):  # noqa: PTH208 - their names are numbers
        if int(word) not in (0, 1, 2, channel):
            with suppress(OSError):  # the folder itself was open, too
                os.close(int(word))


def _set_up(kind: Kind) -> list[socket.socket]:
    if kind.has_users:
        user, group = os.geteuid(), os.getegid()
        unshare(NEW_USER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    unshare(NEW_NETWORK | NEW_MOUNTS)
    _mount("none", "/", "", _PRIVATE)
    _put_resolver(is_hidden_after=kind.has_pids)
    if kind.has_pids:
        _mount("proc", "/proc", "proc", _NO_PROGRAMS)
    _loopback_up()
    listening = _bound(socket.SOCK_STREAM, 0)
    listening.listen(128)
    asked, asked_long = _bound(socket.SOCK_DGRAM, DNS_PORT), _bound(socket.SOCK_STREAM, DNS_PORT)
    asked_long.listen(16)
    return [listening, asked, asked_long]


def _put_resolver(*, is_hidden_after: bool) -> None:
    """Let the files that say who resolves names point here; nothing is left on any disk."""
    switch = Path("/etc/nsswitch.conf")
    files = {"/etc/resolv.conf": _RESOLVER}
    if switch.exists():
        files[str(switch)] = with_files_and_dns(switch.read_text(errors="replace"))
    # Any folder would do to hold the files until they are bound to their places. To unmount takes the kernel
    # 2 ms, so this is left out where another table of processes comes over it.
    try:
        _mount("none", "/proc", "tmpfs", _NO_PROGRAMS)
    except OSError:
        return
    with suppress(OSError):
        for place, text in files.items():
            source = Path("/proc") / Path(place).name
            source.write_text(text)
            source.chmod(0o644)
            with suppress(OSError):
                _mount(str(source), str(Path(place).resolve()), "", _BIND)
    if not is_hidden_after:
        _checked(_libc().umount2(b"/proc", _DETACH))


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", _IFF_UP_AND_RUNNING)
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, request)


def _bound(kind: socket.SocketKind, port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, kind)
    bound.bind(("127.0.0.1", port))
    return bound


def _mount(source: str, target: str, kind: str, flags: int) -> None:
    words = [os.fsencode(word) for word in (source, target, kind)]
    _checked(_libc().mount(*words, ctypes.c_ulong(flags), None))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
