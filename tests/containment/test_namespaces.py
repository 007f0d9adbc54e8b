"""Namespaces of a run: what is inside, who ends with them, and what is said where there are none."""

from __future__ import annotations

import errno
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.containment import keeper, namespaces
from harness.containment.namespaces import Contained, NotAllowedError, contain
from harness.qa_session import open_session
from harness.terminal.pty import Terminal
from tests.e2e.hostile_agent import HELLO

ROOT = Path(__file__).resolve().parents[2]
IS_ROOT = os.geteuid() == 0


@pytest.fixture
def contained() -> Iterator[Contained]:
    try:
        found = contain({})
    except NotAllowedError as refusal:
        pytest.skip(str(refusal))
    assert found is not None
    yield found
    found.close()


def run_inside(contained: Contained, program: str, own_tmp: str = "") -> Terminal:
    """Run a Python program inside to its end."""
    with contained.starting("/", own_tmp) as before:
        terminal = Terminal([sys.executable, "-c", program], dict(os.environ), "/", before)
    terminal._child.wait()
    return terminal


def children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def namespace(pid: int, name: str) -> str:
    return str(Path(f"/proc/{pid}/ns/{name}").readlink())


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def has_ended(descriptor: int) -> bool:
    """Whether the process of a descriptor ends within five seconds."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(5_000))


def test_only_a_loopback_is_inside_and_it_reaches_the_port_that_qa_holds(contained: Contained) -> None:
    number = contained.port.getsockname()[1]
    program = (
        "import socket\n"
        "assert [name for _, name in socket.if_nameindex()] == ['lo']\n"
        f"socket.create_connection(('127.0.0.1', {number})).close()\n"
    )
    terminal = run_inside(contained, program)
    assert terminal.exit_code == 0
    terminal.close()
    connection, _sender = contained.port.accept()
    connection.close()


def test_the_port_cannot_be_reached_from_outside(contained: Contained) -> None:
    number = contained.port.getsockname()[1]
    program = f"import socket; socket.create_connection(('127.0.0.1', {number}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "ConnectionRefusedError" in done.stderr
    with pytest.raises(BlockingIOError):
        contained.port.accept()


@pytest.mark.skipif(not IS_ROOT, reason="only root gets a PID namespace")
def test_a_program_finds_itself_in_its_own_process_table_and_is_not_the_first_in_it(
    contained: Contained,
) -> None:
    program = (
        "import os\n"
        "assert os.readlink('/proc/self') == str(os.getpid())\n"
        "assert 1 < os.getpid() < 10\n"
        "assert os.getsid(0) == os.getpid()\n"
    )
    terminal = run_inside(contained, program)
    assert terminal.exit_code == 0
    terminal.close()


IN_TMP = """
import os, socket
there = THERE
assert open(there + "/folder/file").read() == "before"
assert open(there + "-link/folder/file").read() == "before"
open(there + "/folder/also", "w").write("inside")
with socket.socket(socket.AF_UNIX) as client:
    client.connect(there + ".socket")
open(there + "-new", "w").write("of its own")
os.mkdir(there + "-new-folder")
own = {name for name in os.listdir("/tmp") if name.startswith(os.path.basename(there))}
assert own == {os.path.basename(there) + end for end in ("", "-link", ".socket", "-new", "-new-folder")}
"""


def test_an_agent_with_a_tmp_of_its_own_sees_what_is_there_and_leaves_nothing_new(
    contained: Contained, tmp_path: Path
) -> None:
    there = Path(tempfile.mkdtemp(dir="/tmp"))
    names = (there, there.with_name(f"{there.name}-link"), there.with_name(f"{there.name}.socket"))
    try:
        (there / "folder").mkdir()
        (there / "folder/file").write_text("before")
        names[1].symlink_to(there)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(names[2]))
            server.listen()
            program = IN_TMP.replace("THERE", repr(str(there)))
            terminal = run_inside(contained, program, str(tmp_path))
        assert terminal.exit_code == 0, terminal
        terminal.close()
        assert (there / "folder/also").read_text() == "inside"
        assert (tmp_path / f"{there.name}-new").read_text() == "of its own"
        assert not list(Path("/tmp").glob(f"{there.name}-new*"))
    finally:
        shutil.rmtree(there)
        for path in names[1:]:
            path.unlink()


DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(3):
            os.close(number)
        time.sleep(600)
    os._exit(0)
os.wait()
"""


@pytest.mark.skipif(not IS_ROOT, reason="only root gets a PID namespace")
def test_a_daemon_that_nobody_looked_for_ends_with_the_keeper(contained: Contained) -> None:
    run_inside(contained, DAEMON).close()
    (daemon,) = children(contained.keeper)
    descriptor = os.pidfd_open(daemon)
    assert not select.select([descriptor], [], [], 0)[0]
    contained.close()
    assert has_ended(descriptor)
    os.close(descriptor)


def test_this_process_stays_in_its_own_namespaces(contained: Contained) -> None:
    parent = os.getppid()
    program = f"import os; print(*(os.readlink('/proc/self/ns/' + n) for n in {('net', 'mnt', 'pid')}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    outside = [namespace(parent, name) for name in ("net", "mnt", "pid")]
    assert done.stdout.split() == outside
    kept = [namespace(contained.keeper, name) for name in ("net", "mnt")]
    assert not set(kept) & set(outside)


def test_nothing_is_left_of_the_namespaces_of_a_run_that_has_ended() -> None:
    before = open_files()
    try:
        found = contain({})
    except NotAllowedError as refusal:
        pytest.skip(str(refusal))
    assert found is not None
    keeper = found.keeper
    found.close()
    assert not Path(f"/proc/{keeper}").exists()
    assert open_files() == before


AS_USER = r"""
import ctypes, encodings.idna, os, socket
from harness.containment import keeper
from harness.containment.namespaces import contain
os.setgroups([]); os.setgid(65534); os.setuid(65534)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as a program has it that this user has started
found = contain({})
outside = os.readlink("/proc/self/ns/net")
with found.starting("/") as before:
    pid = os.fork()
    if pid == 0:
        before()
        socket.create_connection(found.port.getsockname())
        assert os.readlink("/proc/self/ns/net") != outside
        assert [name for _, name in socket.if_nameindex()] == ["lo"]
        checks = "test $(id -u) = 65534 && grep -q 'CapEff:.0000000000000000' /proc/self/status"
        os.execv("/bin/sh", ["sh", "-c", f"{checks} && grep 127.0.0.1 /etc/resolv.conf"])
assert os.waitpid(pid, 0)[1] == 0
found.port.accept()
found.close()
"""


@pytest.mark.skipif(not IS_ROOT, reason="only root can become another user")
def test_a_user_without_rights_gets_a_network_of_its_own_and_stays_that_user(contained: Contained) -> None:
    assert contained.keeper  # namespaces are allowed at all
    done = subprocess.run(
        [sys.executable, "-c", AS_USER], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "nameserver 127.0.0.1\n"


AS_ROOT_OF_A_USER_NAMESPACE = """
import os, sys
from pathlib import Path
from harness.containment import keeper
from harness.containment.namespaces import contain
user, group = os.geteuid(), os.getegid()
try:
    keeper.unshare(keeper.NEW_USER)
except PermissionError as error:
    sys.exit(str(error))
Path("/proc/self/setgroups").write_text("deny")
Path("/proc/self/uid_map").write_text(f"0 {user} 1")
Path("/proc/self/gid_map").write_text(f"0 {group} 1")
for run in "first", "second":
    found = contain({})
    with found.starting("/") as before:
        pid = os.fork()
        if pid == 0:
            before()
            os.execv("/bin/grep", ["grep", "127.0.0.1", "/etc/resolv.conf"])
    assert os.waitpid(pid, 0)[1] == 0
    found.close()
"""


def test_root_of_a_user_namespace_alone_gets_a_network_and_can_still_start_programs(
    contained: Contained,
) -> None:
    assert contained.keeper  # namespaces are allowed at all
    done = subprocess.run(
        [sys.executable, "-c", AS_ROOT_OF_A_USER_NAMESPACE],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "Operation not permitted" in done.stderr and "Traceback" not in done.stderr:
        pytest.skip("this system allows no user namespaces")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == 2 * "nameserver 127.0.0.1\n"


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_flags: int) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(keeper, "unshare", refuse)
    monkeypatch.setattr(namespaces, "_kinds", None)
    monkeypatch.setattr(namespaces, "_refusal", "")


@pytest.mark.usefixtures("refused")
def test_a_system_that_refuses_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotAllowedError, match=r"allows no namespaces \(Operation not permitted\)"):
        contain({})
    monkeypatch.delattr(os, "fork")
    with pytest.raises(NotAllowedError, match=r"allows no namespaces \(Operation not permitted\)"):
        contain({})


@pytest.mark.usefixtures("refused")
def test_a_limit_of_namespaces_is_not_told_as_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_flags: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(keeper, "unshare", refuse)
    with pytest.raises(NotAllowedError, match=r"\(the limit of sysctl user\.max_\*_namespaces is reached\)"):
        contain({})


@pytest.mark.usefixtures("refused")
def test_runs_without_namespaces_pass_and_the_first_of_an_invocation_says_so(tmp_path: Path) -> None:
    path = tmp_path / "hello.yaml"
    path.write_text(f"scenario: hello\nsummary: made by a test\n{HELLO}")
    session = open_session("reference", runs=tmp_path / "runs")
    job = session.jobs([session.scenario(path)])[0]
    try:
        first, second = session.run(job), session.run(job)
    finally:
        session.close()
    assert first.verdict == second.verdict == "passed"
    assert first.network == ()
    (note,) = first.notes
    assert note.startswith("this system allows no namespaces (Operation not permitted): agents can reach the")
    assert second.notes == ()


def test_a_user_can_do_without_and_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert contain({"TTSR_QA_ISOLATE": "off"}) is None
