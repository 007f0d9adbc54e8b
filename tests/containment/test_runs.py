"""The real command with agents that look for a network, and that leave something behind."""

from __future__ import annotations

import json
import os
import select
import subprocess
from pathlib import Path

import pytest

from harness.containment.namespaces import NotAllowedError, contain
from tests.e2e.hostile_agent import AGENT, HELLO
from tests.e2e.qa_command import Ended, Qa


def is_allowed() -> bool:
    try:
        found = contain({})
    except NotAllowedError:
        return False
    if found is not None:
        found.close()
    return found is not None


pytestmark = pytest.mark.skipif(not is_allowed(), reason="this system allows no namespaces")


@pytest.fixture
def qa(tmp_path: Path) -> Qa:
    return Qa(tmp_path)


def run(qa: Qa, program: str, **env: str) -> Ended:
    qa.scenario("hello", HELLO)
    return qa("run", "hello", "--agent", qa.agent(AGENT + program), **env)


def agent_output(qa: Qa) -> str:
    (output,) = (qa.folder / ".qa/runs/0001").glob("*/output.txt")
    return output.read_text()


ASKING = """
for name in ("Example.com", "telemetry.example.org", "example.com"):
    started = time.monotonic()
    try:
        socket.getaddrinfo(name, 443)
    except socket.gaierror as error:
        print("lookup", error.errno == socket.EAI_NONAME, time.monotonic() - started < 1)
good()
"""


def test_names_that_an_agent_asks_for_are_unknown_at_once_and_in_the_result(qa: Qa) -> None:
    ended = run(qa, ASKING)
    assert ended.code == 0, ended.out
    assert agent_output(qa).splitlines()[:3] == ["lookup True True"] * 3
    (result,) = ended.results().values()
    assert result["network"] == ["example.com", "telemetry.example.org"]
    words = " ".join(ended.out.split())
    assert "tried to reach example.com, telemetry.example.org; there was no such name for it" in words
    (events,) = (qa.folder / ".qa/runs/0001").glob("*/events.jsonl")
    asked = [e for e in map(json.loads, events.read_text().splitlines()) if e["channel"] == "network"]
    assert {(e["kind"], e["name"], e["record"]) for e in asked} >= {("name", "example.com", "A")}


RAW = """
print(*[name for _, name in socket.if_nameindex()])
for place in ("192.0.2.1", "10.0.0.1"):
    try:
        socket.create_connection((place, 443), timeout=5)
    except OSError as error:
        print(error.strerror)
good()
"""


def test_an_address_cannot_be_reached_and_nothing_waits_for_it(qa: Qa) -> None:
    ended = run(qa, RAW)
    assert ended.code == 0, ended.out
    assert agent_output(qa).splitlines()[:3] == ["lo", "Network is unreachable", "Network is unreachable"]
    (result,) = ended.results().values()
    assert result["network"] == []
    assert "note" not in ended.out


def test_a_user_can_let_agents_reach_the_network_of_the_machine(qa: Qa) -> None:
    ended = run(qa, 'print(os.readlink("/proc/self/ns/net"))\ngood()', TTSR_QA_ISOLATE="off")
    assert ended.code == 0, ended.out
    assert agent_output(qa).splitlines()[0] == str(Path("/proc/self/ns/net").readlink())


DAEMONS = """
def leave(deaf):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.chdir("/")
        for number in range(3):
            os.close(number)
        if deaf:
            for number in (1, 2, 15):
                signal.signal(number, signal.SIG_IGN)
        os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", MARK], {})
    os.wait()
leave(True)
leave(False)
good()
"""


def marked(mark: str) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if mark.encode() in words:
            found.append(process.name)
    return found


def test_daemons_that_shed_everything_are_dead_after_the_run_and_counted(qa: Qa) -> None:
    mark = f"mark-of-{qa.folder}"
    ended = run(qa, f"MARK = {mark!r}\n{DAEMONS}")
    assert ended.code == 0, ended.out
    assert "2 processes outlived the agent and had to be ended" in ended.out
    assert marked(mark) == []


def test_when_qa_is_killed_the_keeper_and_all_that_is_inside_end_too(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    ready = qa.folder / "ready"
    os.mkfifo(ready)
    waiting = f"good()\nopen({str(ready)!r}, 'w').close()\ntime.sleep(600)\n"
    words = qa.command("run", "hello", "--agent", qa.agent(AGENT + waiting))
    with subprocess.Popen(words, cwd=qa.folder, env=qa.env, stdout=subprocess.DEVNULL) as process:
        ready.read_bytes()
        text = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
        started = [os.pidfd_open(int(word)) for word in text.split()]
        process.kill()
    assert len(started) == 3, "the watchdog, the keeper, the agent"
    for descriptor in started:
        assert select.select([descriptor], [], [], 10)[0], "still running"
        os.close(descriptor)
