"""When qa dies, whatever the reason, nothing of its runs is left and nothing seen is lost."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
from pathlib import Path

from harness.containment import processes
from harness.containment.watchdog import Job, Watchdog
from tests.dying import dies

OWNER = """
import os, subprocess, sys
from harness.containment.watchdog import Job, Watchdog
token, sandbox, evidence = sys.argv[1:]
watchdog = Watchdog()
watchdog.watch(Job(token, sandbox, evidence, sandbox + "/session.jsonl", {"secret-key": "[KEY]"}))
child = subprocess.Popen(["sleep", "600"], env={**os.environ, "TTSR_QA_RUN": token}, start_new_session=True)
print(watchdog.pid, child.pid, flush=True)
input()
"""


def test_after_sigkill_the_agent_is_gone_and_the_session_is_kept(tmp_path: Path) -> None:
    token = secrets.token_hex(8)
    sandbox, evidence = tmp_path / "box", tmp_path / "evidence"
    sandbox.mkdir()
    evidence.mkdir()
    (sandbox / "session.jsonl").write_text('{"type": "session", "key": "secret-key"}\n')
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, token, str(sandbox), str(evidence)],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    )
    with owner:
        assert owner.stdout is not None
        watchdog, _child = map(int, owner.stdout.readline().split())
        assert len(processes.of_run(token)) == 1
        owner.send_signal(signal.SIGKILL)
    assert dies(watchdog)
    assert processes.of_run(token) == set()
    assert not sandbox.exists()
    assert json.loads((evidence / "session/session.jsonl").read_text())["key"] == "[KEY]"
    assert json.loads((evidence / "result.json").read_text())["verdict"] == "error"


def test_a_released_run_is_left_alone(tmp_path: Path) -> None:
    watchdog = Watchdog()
    watchdog.watch(Job("t", str(tmp_path / "box"), str(tmp_path), "", {}))
    (tmp_path / "box").mkdir()
    watchdog.release("t")
    watchdog.close()
    assert (tmp_path / "box").exists()
    assert not (tmp_path / "result.json").exists()


def test_a_watchdog_that_was_killed_is_replaced_and_knows_what_is_watched(tmp_path: Path) -> None:
    started: list[int] = []
    watchdog = Watchdog(started.append)
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
    watchdog.watch(Job("1", str(tmp_path / "one"), str(tmp_path), "", {}))
    watchdog.watch(Job("2", str(tmp_path / "two"), str(tmp_path), "", {}))
    os.kill(watchdog.pid, signal.SIGKILL)
    assert dies(started[0])
    watchdog.release("1")
    watchdog.watch(Job("3", str(tmp_path / "three"), str(tmp_path), "", {}))
    assert started[1:] == [watchdog.pid]
    watchdog.close()
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["one"]


def test_a_message_larger_than_the_pipe_arrives_whole(tmp_path: Path) -> None:
    (tmp_path / "box").mkdir()
    (tmp_path / "s.jsonl").write_text("x" * 300_000)
    watchdog = Watchdog()
    masks = {f"secret-{number:060}": "[KEY]" for number in range(5_000)}
    watchdog.watch(Job("t", str(tmp_path / "box"), str(tmp_path), "", masks))
    watchdog.close()
    assert not (tmp_path / "box").exists()


def test_a_signal_to_the_group_never_reaches_a_watchdog_that_is_just_starting(tmp_path: Path) -> None:
    (tmp_path / "box").mkdir()
    program = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom harness.containment.watchdog import Job, Watchdog\n"
        "def interrupted():\n"
        "    signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "os.register_at_fork(after_in_child=interrupted)\n"
        "box, started = Path(sys.argv[1]), []\n"
        "watchdog = Watchdog(started.append)\n"
        "watchdog.watch(Job('t', str(box), str(box.parent), '', {}))\n"
        "watchdog.close()\n"
        "print(len(started), box.exists())\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "box")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "1 False\n", done.stderr
