"""Every process of a run is found and ended, also one that left the process tree."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from harness.containment import processes

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


def test_a_process_that_is_just_becoming_a_program_is_looked_at_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mark = f"{processes.TOKEN_VARIABLE}=feed".encode()
    # What Linux shows meanwhile: memory, but no arguments and no environment, and then both at once.
    shown = {
        "environ": [b"", b"", b"", b"A=1\0" + mark + b"\0"],
        "cmdline": [b"", b"", b"sleep\0"],
        "statm": [b"1 1 0 0 0 1 0\n"] * 2,
    }
    monkeypatch.setattr(processes, "_pids", lambda: [4711])
    monkeypatch.setattr(processes, "_entry", lambda _pid: processes._Entry(b"R", 1, 4711, 4711, 0))
    monkeypatch.setattr(processes, "_read", lambda _pid, name: shown[name].pop(0))
    assert processes.of_run("feed") == {4711}
    assert [name for name, left in shown.items() if left] == []


@pytest.mark.parametrize(
    ("cmdline", "statm"), [(b"", b"0 0 0 0 0 0 0\n"), (b"sleep\0", b"105 50 43 5 0 39 0\n")]
)
def test_a_process_that_has_no_environment_at_all_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, cmdline: bytes, statm: bytes
) -> None:
    shown = {"environ": b"", "cmdline": cmdline, "statm": statm}
    monkeypatch.setattr(processes, "_pids", lambda: [4711])
    monkeypatch.setattr(processes, "_entry", lambda _pid: processes._Entry(b"R", 1, 4711, 4711, 0))
    monkeypatch.setattr(processes, "_read", lambda _pid, name: shown[name])
    monkeypatch.setattr("os.sched_yield", lambda: pytest.fail("waited"))
    assert processes.of_run("feed") == set()


def test_a_process_of_another_run_is_left_alone() -> None:
    mine, other = secrets.token_hex(8), secrets.token_hex(8)
    with start(other, "print(1, flush=True); input()") as program:
        assert program.stdout is not None
        program.stdout.readline()
        assert processes.end(mine) == set()
        assert program.poll() is None
        assert processes.end(other) == {program.pid}


def test_what_left_its_session_for_a_folder_of_the_run_is_ended_without_a_token(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print(1, flush=True); input()"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, env={}, cwd=tmp_path, stdin=pipe, stdout=pipe, start_new_session=True
    ) as daemon:
        assert daemon.stdout is not None
        daemon.stdout.readline()
        assert processes.of_run("token") == set()
        assert processes.of_run("token", folder=f"{tmp_path}-other") == set()
        assert processes.end("token", folder=str(tmp_path)) == {daemon.pid}


def test_somebody_who_looks_into_a_folder_of_the_run_is_left_alone(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print(1, flush=True); input()"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as looker:
        assert looker.stdout is not None
        looker.stdout.readline()
        assert processes.end("token", folder=str(tmp_path)) == set()
        assert looker.poll() is None
        looker.communicate(b"\n")


SHEDDING = r"""
import subprocess, sys
child = "import os, time; os.setsid(); os.write(1, b'%d\\n' % os.getpid()); time.sleep(600)"
subprocess.run([sys.executable, "-c", child], env={}, cwd="/")
"""


def test_the_children_of_a_found_process_are_found_though_they_shed_everything() -> None:
    token = secrets.token_hex(8)
    with start(token, SHEDDING) as parent:
        assert parent.stdout is not None
        shed = int(parent.stdout.readline())
        assert processes.end(token) == {parent.pid, shed}


ADOPTING = r"""
import os, subprocess, sys
from harness.containment import processes
own = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
processes.adopt_orphans(own.pid)
daemon = (
    "import os, sys\n"
    "if os.fork(): os._exit(0)\n"
    "os.setsid(); os.chdir('/')\n"
    "print(os.getpid(), flush=True)\n"
    "os.execve(sys.executable, [sys.executable, '-c', 'import time; time.sleep(600)'], {})\n"
)
agent = subprocess.Popen([sys.executable, "-c", daemon], stdout=subprocess.PIPE, env={})
left = int(agent.stdout.readline())
agent.wait()
assert processes.end("no such token") == {left}
assert own.poll() is None
assert not os.path.exists(f"/proc/{left}"), "an orphan that was taken in is reaped"
own.communicate(b"\n")
"""


def test_a_daemon_that_shed_everything_is_ended_by_who_takes_in_orphans() -> None:
    done = subprocess.run([sys.executable, "-c", ADOPTING], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


LEAVING = r"""
import os, subprocess, sys, time
from harness.containment import processes
own = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
processes.adopt_orphans(own.pid)
chain = (
    "import os, time\n"
    "os.setsid()\n"
    "end = time.monotonic() + 10\n"  # it ends by itself, whatever becomes of this test
    "if os.fork() == 0:\n"
    "    print(os.getsid(0), flush=True)\n"
    "    while time.monotonic() < end:\n"
    "        if os.fork(): os._exit(0)\n"
)
agent = subprocess.Popen([sys.executable, "-c", chain], stdout=subprocess.PIPE, env={})
group = int(agent.stdout.readline())
agent.wait()
os.killpg(group, 0)
processes.end("no such token")
try:
    os.killpg(group, 0)
except ProcessLookupError:
    print("nobody is left")
own.communicate(b"\n")
"""


def test_a_process_that_forks_and_leaves_faster_than_anybody_can_look_is_ended() -> None:
    done = subprocess.run([sys.executable, "-c", LEAVING], capture_output=True, text=True, check=False)
    assert done.stdout == "nobody is left\n", done.stderr
