"""What is shown, kept and cleaned up when a run does not go well."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from pathlib import Path

import pytest

from harness.containment import processes
from tests.dying import dies
from tests.e2e.qa_command import Qa, token_of

SLOW = """
model:
  - say: "one two three four five six seven eight nine ten"
    stream: {chars_per_delta: 1, every_ms: 2000}
prompt: "Count {nonce}"
steps:
  - silent: all
"""
HELLO = """
model:
  - say: "hello {nonce}"
prompt: "Hello {nonce}"
steps:
  - silent: all
  - exit: 0
"""


def started(qa: Qa, name: str) -> tuple[subprocess.Popen[bytes], Path]:
    """Start a slow run and wait, without sleeping, until the first characters are in the evidence."""
    process = subprocess.Popen(qa.command("run", name), cwd=qa.folder, env=qa.env, stdout=subprocess.DEVNULL)
    runs = qa.folder / ".qa" / "runs" / "0001"
    watch = os.pidfd_open(process.pid)
    try:
        while not any(f.stat().st_size for f in runs.glob("*/replies/001.txt")):
            assert not select.select([watch], [], [], 0.02)[0], "qa ended too early"
    finally:
        os.close(watch)
    return process, next(runs.iterdir())


def children_of(process: subprocess.Popen[bytes]) -> dict[str, int]:
    """The processes that qa started: the agent, and two copies of qa: the watchdog, and the keeper of a run's
    namespaces, which alone is in another network.
    """
    found = {}
    own = Path("/proc/self/ns/net").readlink()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                is_agent = b"harness.refagent" in (entry / "cmdline").read_bytes()
                is_outside = (entry / "ns/net").readlink() == own
            except OSError:
                continue
            if parent == process.pid:
                name = "agent" if is_agent else "watchdog" if is_outside else "keeper"
                found[name] = int(entry.name)
    return found


def test_after_sigkill_the_evidence_is_readable_and_no_agent_is_left(qa: Qa) -> None:
    qa.scenario("slow", SLOW)
    process, folder = started(qa, "slow")
    children = children_of(process)
    token = token_of(children["agent"])
    sandbox = Path(f"/proc/{children['agent']}/cwd").readlink().parent
    watchdog = os.pidfd_open(children["watchdog"])
    process.kill()
    process.wait()
    assert select.select([watchdog], [], [], 20)[0], "the watchdog did not end"
    os.close(watchdog)
    assert processes.of_run(token) == set()
    assert "one two three".startswith((folder / "replies/001.txt").read_text())
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    assert [e["kind"] for e in events[:3]] == ["start", "request", "delta"]
    assert list((folder / "session").iterdir())
    assert "killed" in json.loads((folder / "result.json").read_text())["problem"]
    assert not sandbox.exists()


def test_after_sigkill_of_qa_and_its_watchdog_the_next_run_keeps_the_session_and_cleans_up(qa: Qa) -> None:
    temporary = qa.folder / "tmp"
    temporary.mkdir()
    qa.env["TMPDIR"] = str(temporary)
    qa.scenario("slow", SLOW)
    qa.scenario("hello", HELLO)
    process, folder = started(qa, "slow")
    children = children_of(process)
    token = token_of(children["agent"])
    os.kill(process.pid, signal.SIGSTOP)  # so that it does not start another watchdog
    os.kill(children["watchdog"], signal.SIGKILL)
    process.kill()
    process.wait()
    assert dies(children["watchdog"])
    (left,) = temporary.iterdir()
    assert left.name == f"ttsr-qa-{token}"

    assert qa("run", "hello").code == 0
    assert list(temporary.iterdir()) == []
    assert processes.of_run(token) == set()
    assert list((folder / "session").iterdir())
    assert "killed" in json.loads((folder / "result.json").read_text())["problem"]


def test_ctrl_c_ends_the_agent_and_exits_with_130(qa: Qa) -> None:
    qa.scenario("slow", SLOW)
    process, folder = started(qa, "slow")
    token = token_of(children_of(process)["agent"])
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    assert processes.of_run(token) == set()
    assert (folder / "replies/001.txt").read_text()
    assert json.loads((folder / "result.json").read_text())["verdict"] == "error"


def test_a_run_past_its_deadline_is_an_error_and_not_a_failure(qa: Qa) -> None:
    qa.scenario("slow", SLOW + "timeout_s: 1\n")
    ended = qa("run", "slow")
    assert ended.code == 3
    assert "still running after 1 s" in ended.out


def test_a_failed_step_says_where_what_and_how_to_run_it_again(qa: Qa) -> None:
    qa.scenario("wrong", HELLO.replace("exit: 0", "exit: 7"))
    ended = qa("run", "wrong")
    assert ended.code == 1
    assert "scenarios/wrong.yaml:9:5" in ended.out
    assert "exit 7" in ended.out
    assert "exit 0" in ended.out
    assert "qa run wrong" in ended.out
    assert ".qa/runs/0001/wrong@reference-openai-chat" in ended.out


@pytest.mark.parametrize(
    ("env", "why"),
    [
        (r'A: "x\0y"', r"no argument or variable can hold the characters of 'x\x00y'"),
        ('"A=B": x', "no variable of the environment can be named 'A=B'"),
    ],
)
def test_what_no_program_can_be_started_with_is_named_and_starts_nothing(qa: Qa, env: str, why: str) -> None:
    qa.scenario("hello", HELLO)
    (qa.folder / "mine.yaml").write_text(
        f'agent: mine\ncommand: ["{{python}}", -V]\none_shot: ["{{prompt}}"]\n'
        f"dialects: {{openai-chat: {{}}}}\nenv: {{{env}}}\n"
    )
    ended = qa("run", "hello", "--agent", "./mine.yaml")
    assert (ended.code, ended.err) == (3, "")
    assert f"agent 'mine' cannot start: {why}\n" in ended.out
    assert qa("doctor", "--agent", "./mine.yaml").code == 1  # and no traceback


def test_an_agent_that_crashes_before_its_first_request_is_an_error(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    ended = qa("run", "hello", "--agent", qa.agent("raise SystemExit('no model today')"))
    assert ended.code == 3
    assert "never asked the model" in ended.out
    assert "no model today" in ended.out


def test_what_an_agent_printed_before_it_gave_up_is_shown_once_and_its_last_line_whole(qa: Qa) -> None:
    qa.scenario("hello", HELLO.replace("silent: all", "recovery: {contains: x}"))
    last = f"no {'very ' * 60}good day"
    ended = qa("run", "hello", "--agent", qa.agent(f"print('one line')\nraise SystemExit({last!r})"))
    assert ended.code == 3
    assert ended.out.count("one line") == 1
    assert last in " ".join(ended.out.split())


def test_a_control_that_disables_an_unknown_rule_is_an_error_with_the_right_name(qa: Qa) -> None:
    control = "control: {disable: [colapse-repetition], must_fail: [silent]}\n"
    qa.scenario("hello", HELLO + control)
    ended = qa("run", "hello", "--controls")
    assert ended.code == 3
    said = " ".join(ended.out.split())
    assert (
        "scenarios/hello.yaml:10:10: agent 'reference' has no rule 'colapse-repetition'; did you mean" in said
    )
    assert len(ended.results()) == 1


def test_a_missing_agent_is_named_with_its_cure(qa: Qa) -> None:
    ended = qa(
        "run", "healthy-prose", "--agent", "pi", TTSR_QA_CACHE=str(qa.folder / "empty"), PATH="/nowhere"
    )
    assert ended.code == 3
    assert "qa agents install pi" in ended.err


def test_no_key_and_no_home_path_is_in_the_evidence(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    spy = "import os\nprint(dict(os.environ))\nfrom harness.refagent.__main__ import main\nraise SystemExit(main())"
    ended = qa("run", "hello", "--agent", qa.agent(spy))
    assert ended.code == 0, ended.out
    folder = next((qa.folder / ".qa/runs/0001").iterdir())
    stored = "".join(f.read_text() for f in folder.rglob("*") if f.is_file())
    assert "TTSR_REFAGENT_API_KEY" in stored
    assert "sk-live-of-the-user" not in stored
    assert "OPENAI_API_KEY" not in stored
    assert "sk-qa-" not in stored
    assert str(qa.home) not in stored
    assert "ttsr-qa-" not in stored.replace("ttsr-qa-runs", "")


def test_an_agent_that_touches_the_users_own_folder_is_found_out(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    own = qa.home / ".ttsr-refagent"
    own.mkdir()
    touch = f"open({str(own / 'x')!r}, 'w').close()\nfrom harness.refagent.__main__ import main\nraise SystemExit(main())"
    ended = qa("run", "hello", "--agent", qa.agent(touch))
    assert ended.code == 3
    assert "~/.ttsr-refagent changed during the run" in ended.out
    assert qa("run", "hello").code == 0


def test_a_request_past_the_end_of_the_script_fails_the_run(qa: Qa) -> None:
    text = HELLO.replace('say: "hello {nonce}"', "call: {bash: {command: echo 1}}").replace(
        "  - silent: all\n", ""
    )
    qa.scenario("short", text.replace("exit: 0", "exit: 1"))
    ended = qa("run", "short")
    assert ended.code == 1
    assert "request 2" in ended.out


def test_a_daemon_of_the_agent_is_ended_and_reported(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    daemon = (
        "import os, sys, time\n"
        "if os.fork() == 0:\n    os.setsid(); [os.close(n) for n in (0, 1, 2)]; time.sleep(600)\n"
        "from harness.refagent.__main__ import main\nsys.exit(main())"
    )
    ended = qa("run", "hello", "--agent", qa.agent(daemon))
    assert ended.code == 0, ended.out
    assert "outlived the agent" in ended.out
