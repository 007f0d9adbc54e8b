"""What a program prints of its version, asked in a home of its own."""

from __future__ import annotations

import os
import re
import subprocess  # the agent's own program
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.containment.sandbox import Sandbox
    from harness.qa_session import QaSession

_TIMEOUT_S = 60
_MOST_BYTES = 65_536
_NOBODYS_PORT = "9"
_NUMBER = re.compile(r"\d+(?:\.\d+)+[0-9A-Za-z.+-]*")


class Printed(NamedTuple):
    """How the program ended, and what it wrote on its output and then as errors."""

    code: int
    text: str

    @property
    def number(self) -> str:
        """The first thing in it that looks like a version; empty when it failed or nothing does.

        >>> Printed(0, "mycli, version 1.2.0-rc1 (linux)").number
        '1.2.0-rc1'
        """
        found = _NUMBER.search(self.text) if self.code == 0 else None
        return found.group() if found else ""


def new_box() -> Sandbox:
    """Private folders for what is no run of a scenario, not made yet.

    Raises:
        CannotRun: If there is no folder for temporary files.
    """
    from harness.containment.sandbox import new_sandbox
    from harness.problems import CannotRun

    try:
        return new_sandbox(f"doctor-{os.urandom(8).hex()}")
    except OSError as error:
        raise CannotRun(f"{error.strerror}\n  set TMPDIR to a folder that can be written") from None


@contextmanager
def watched(session: QaSession, box: Sandbox) -> Iterator[None]:
    """Make the folders, and remove them at the end, whatever becomes of this process."""
    from harness.containment.leftover import claim
    from harness.containment.watchdog import Job

    watchdog = session.watchdog
    watchdog.watch(Job(box.token, str(box.root), str(box.root), "", {}))
    try:
        box.create()
        claim(box.root, (os.getpid(), watchdog.pid))
        yield
    finally:
        box.remove()
        watchdog.release(box.token)


def printed_version(session: QaSession) -> Printed:
    """Ask the agent of a session for its version. What it leaves running is ended.

    Raises:
        OSError: If the program cannot be started.
        subprocess.TimeoutExpired: If it does not end.
    """
    from harness.containment import processes
    from harness.containment.sandbox import environment
    from harness.launch import check_words, fill, values

    spec, box = session.spec, new_box()
    with watched(session, box):
        # As in a run in the default dialect, with a port at which nobody answers.
        own = {**values(spec, spec.dialects[0].name, box, _NOBODYS_PORT), "nonce": "", "prompt": ""}
        env = environment(box, os.environ, {key: fill(value, own) for key, value in spec.env.items()})
        argv = [*(fill(word, own) for word in session.argv), *spec.version_probe]
        try:
            check_words(argv, env)
        except ValueError as error:
            raise OSError(str(error)) from None
        # Files, no pipes: what stays behind the program would keep a pipe open.
        with _output(box, "out") as out, _output(box, "err") as err:
            program = subprocess.Popen(  # noqa: S603 - the program that the description names
                argv, env=env, cwd=box.work, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                start_new_session=True,
            )  # fmt: skip
            try:
                code = program.wait(_TIMEOUT_S)
            finally:
                processes.end(box.token, program.pid, str(box.root))
                program.wait()
            written = b"\n".join(_read(file) for file in (out, err))
    return Printed(code, written.decode("utf-8", "replace"))


def _output(box: Sandbox, name: str) -> IO[bytes]:
    return (box.root / f"version.{name}").open("w+b")


def _read(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read(_MOST_BYTES)
