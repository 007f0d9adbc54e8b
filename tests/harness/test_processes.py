"""Every process of a run is found and ended, also one that left the process tree."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys

from harness import processes

DAEMON = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    print(os.getpid(), flush=True)\n    time.sleep(600)\n"


def start(token: str, program: str) -> subprocess.Popen[str]:
    env = {**os.environ, processes.TOKEN_VARIABLE: token}
    command = [sys.executable, "-c", program]
    return subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_a_daemon_that_left_its_session_is_ended() -> None:
    token = secrets.token_hex(8)
    with start(token, DAEMON) as parent:
        assert parent.stdout is not None
        daemon = int(parent.stdout.readline())
        assert daemon in processes.of_run(token)
        assert daemon in processes.end(token)
    assert processes.of_run(token) == set()


def test_a_process_of_another_run_is_left_alone() -> None:
    mine, other = secrets.token_hex(8), secrets.token_hex(8)
    with start(other, "print(1, flush=True); input()") as program:
        assert program.stdout is not None
        program.stdout.readline()
        assert processes.end(mine) == set()
        assert program.poll() is None
        assert processes.end(other) == {program.pid}
