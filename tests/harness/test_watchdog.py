"""When qa dies, whatever the reason, nothing of its runs is left and nothing seen is lost."""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import subprocess
import sys
from pathlib import Path

from harness import processes
from harness.watchdog import Job, Watchdog

OWNER = """
import os, subprocess, sys
from harness.watchdog import Job, Watchdog
token, sandbox, evidence = sys.argv[1:]
watchdog = Watchdog()
watchdog.watch(Job(token, sandbox, evidence, sandbox + "/session.jsonl", {"secret-key": "[KEY]"}))
child = subprocess.Popen(["sleep", "600"], env={**os.environ, "TTSR_QA_RUN": token}, start_new_session=True)
print(watchdog.pid, child.pid, flush=True)
input()
"""


def wait_for_end(pid: int) -> None:
    descriptor = os.pidfd_open(pid)
    try:
        assert select.select([descriptor], [], [], 20)[0], "the watchdog did not end"
    finally:
        os.close(descriptor)


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
    wait_for_end(watchdog)
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
