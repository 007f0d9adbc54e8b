"""Whatever an agent does, the outcome is said in words, and nothing of it outlives the run."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.hostile_agent import AGENT, HELLO
from tests.e2e.qa_command import Ended, Qa

DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.chdir("/")
    for number in range(3):
        os.close(number)
    os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", MARK], {})
os.wait()
good()
"""
FLOOD = """
good()
heard, away = os.pipe()
if os.fork() == 0:
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.write(away, b".")
    while True:
        os.write(1, b"y" * 1000)
os.read(heard, 1)  # before that, the end of the agent would be its end too
"""


def run(qa: Qa, program: str, *words: str, scenario: str = HELLO) -> Ended:
    """Run the small agent, then check that no process and no private folder of it is left."""
    qa.scenario("hello", scenario)
    boxes = qa.folder / "boxes"
    boxes.mkdir()
    ended = qa("run", "hello", "--agent", qa.agent(AGENT + program), *words, TMPDIR=str(boxes))
    assert "Traceback" not in ended.err
    assert list(boxes.iterdir()) == []
    mark = str(qa.folder / "agent.py").encode()
    living = [p for p in Path("/proc").iterdir() if p.name.isdigit() and mark in words_of(p)]
    assert living == []
    return ended


def words_of(process: Path) -> list[bytes]:
    try:
        return (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def test_a_daemon_with_no_environment_no_session_and_no_folder_of_the_run_is_ended(qa: Qa) -> None:
    ended = run(qa, f"MARK = {str(qa.folder / 'agent.py')!r}\n{DAEMON}")
    assert ended.code == 0, ended.out
    assert "1 process outlived the agent and had to be ended" in ended.out


def test_what_never_stops_writing_to_the_terminal_does_not_keep_the_run_from_ending(qa: Qa) -> None:
    ended = run(qa, FLOOD)
    assert ended.code == 0, ended.out
    assert "outlived the agent" in ended.out


def test_an_agent_that_ignores_every_signal_is_ended_at_its_deadline(qa: Qa) -> None:
    deaf = "for number in (1, 2, 3, 15): signal.signal(number, signal.SIG_IGN)\ngood()\nwhile True: time.sleep(1)"
    ended = run(qa, deaf, scenario=HELLO + "timeout_s: 1\n")
    assert ended.code == 3
    assert "still running after 1 s" in ended.out


@pytest.mark.parametrize(
    "program",
    [
        "os.mkfifo(SESSIONS + 'z.jsonl')",
        "os.mkdir(SESSIONS + 'z.jsonl')",
        "os.chdir(SESSIONS); socket.socket(socket.AF_UNIX).bind('z.jsonl')",
        "os.symlink('/dev/zero', SESSIONS + 'z.jsonl')",
        "open(SESSIONS + 'a.jsonl', 'ab').write(b'\\xff\\xfe{\\n\\0{\"type\": \"mess')",
        "os.rename((SESSIONS + 'a.jsonl').encode(), SESSIONS.encode() + b'\\xff\\x1b[31m.jsonl')",
        "os.write(1, bytes(range(256)) * 200 + b'\\x1b]0;' + b'a' * 100_000)",
        "[os.close(number) for number in range(3)]",
        "os.makedirs(SESSIONS + '../l/m'); os.chmod(SESSIONS + '../l', 0)",
    ],
    ids=["pipe", "folder", "socket", "device", "no UTF-8", "odd name", "garbage", "no terminal", "closed"],
)
def test_odd_files_and_odd_output_change_no_outcome(qa: Qa, program: str) -> None:
    ended = run(qa, f"good()\n{program}")
    assert ended.code == 0, ended.out + ended.err


def test_a_session_too_large_to_be_read_is_an_error_and_is_not_copied(qa: Qa) -> None:
    ended = run(qa, "good()\nopen(SESSIONS + 'z.jsonl', 'w').truncate(1 << 30)")
    assert ended.code == 3
    assert "session file z.jsonl has 1,073,741,824 bytes; the limit is 67,108,864 bytes" in ended.out
    (folder,) = (qa.folder / ".qa/runs/0001").iterdir()
    assert [copy.name for copy in (folder / "session").iterdir()] == ["a.jsonl"]


def test_folders_nested_past_every_limit_are_removed(qa: Qa) -> None:
    ended = run(qa, "good()\nfor _ in range(1_200): os.mkdir('d'); os.chdir('d')")
    assert ended.code == 0, ended.out


def test_evidence_that_vanishes_meanwhile_is_an_error_that_names_the_folder(qa: Qa) -> None:
    ended = run(qa, f"shutil.rmtree({str(qa.folder / '.qa')!r})\ngood()")
    assert ended.code == 3
    assert "the evidence cannot be kept in" in ended.out
    assert "No such file or directory" in ended.out
    assert "all arrived" in ended.out


def test_evidence_that_finds_no_room_is_an_error_and_not_a_pass(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    noisy = "good()\nsys.stdout.write('x' * 200_000)\nsys.stdout.flush()"
    words = qa.command("run", "hello", "--agent", qa.agent(AGENT + noisy))
    limited = ["bash", "-c", 'ulimit -f 64; exec "$@"', "bash", *words]
    done = subprocess.run(limited, cwd=qa.folder, env=qa.env, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "the evidence cannot be kept in" in done.stdout
    assert "File too large" in done.stdout


def test_thousands_of_requests_are_refused_and_told_in_a_few_lines(qa: Qa) -> None:
    many = "line = http.client.HTTPConnection(ORIGIN)\nfor _ in range(200): ask(line)\nsave('x')"
    ended = run(qa, many)
    assert ended.code == 1
    assert "and 194 more requests like these" in ended.out
    assert len(ended.out.splitlines()) < 60


def test_five_hundred_connections_that_say_nothing_are_no_requests(qa: Qa) -> None:
    host = "host, port = ORIGIN.split(':')\nopen_ = [socket.create_connection((host, int(port))) for _ in range(500)]\n"
    ended = run(qa, f"{host}good()")
    assert ended.code == 0, ended.out


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("print('hello', PROMPT.split()[-1]); save('hello ' + PROMPT.split()[-1])", "never asked the model"),
        (
            "line = http.client.HTTPConnection(ORIGIN)\nline.request('GET', '/v1/models')\nline.getresponse().read()",
            "asked nothing of the conversation, though it made 1 other request",
        ),
    ],
    ids=["nothing", "the list of models"],
)
def test_an_agent_that_never_asks_cannot_pass_even_where_every_step_would(
    qa: Qa, program: str, said: str
) -> None:
    ended = run(qa, program, scenario=HELLO.replace("  - silent: all\n", ""))
    assert ended.code == 3
    assert said in " ".join(ended.out.split())


def test_a_program_that_writes_without_end_is_ended(qa: Qa) -> None:
    program = (
        "import harness.serving as serving\nserving.MOST_OUTPUT_CHARS = 100_000\n"
        "from harness.cli import main\nmain()\n"
    )
    qa.scenario("hello", HELLO)
    agent = qa.agent(AGENT + "good()\nwhile True: os.write(1, b'x' * 1000)")
    words = [qa.command()[0], "-c", program, "run", "hello", "--agent", agent]
    done = subprocess.run(words, cwd=qa.folder, env=qa.env, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "characters when it was ended" in done.stdout
    (folder,) = (qa.folder / ".qa/runs/0001").iterdir()
    assert 50_000 < (folder / "output.txt").stat().st_size <= 100_000
    assert json.loads((folder / "result.json").read_text())["verdict"] == "error"


def test_without_room_for_private_folders_the_cure_is_named(qa: Qa) -> None:
    qa.scenario("hello", HELLO)
    full = qa.folder / "closed"
    full.write_text("no folder")
    program = f"import tempfile\ntempfile.tempdir = {str(full)!r}\nfrom harness.cli import main\nmain()\n"
    words = [qa.command()[0], "-c", program, "run", "hello"]
    done = subprocess.run(words, cwd=qa.folder, env=qa.env, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "cannot make the private folders of the run" in done.stdout
    assert "set TMPDIR" in done.stdout


TWO = """
model:
  - say: "one"
  - say: "RECOVERED {nonce}"
prompt: "Analyse briefly, then answer RECOVERED {nonce}"
steps:
  - recovery: {contains: "RECOVERED {nonce}"}
"""


def test_an_answer_that_the_agent_wrote_into_its_session_itself_is_no_recovery(qa: Qa) -> None:
    ended = run(
        qa, "answer = 'RECOVERED ' + PROMPT.split()[-1]\nsave(ask(), answer)\nprint(answer)", scenario=TWO
    )
    assert ended.code == 1, ended.out
    assert "no reply that arrived holds it" in ended.observed("hello@mine-openai-chat", "recovery")


def test_an_answer_that_is_shown_only_where_the_prompt_is_repeated_is_not_shown(qa: Qa) -> None:
    ended = run(qa, "save(ask(), ask())\nprint('>', PROMPT)", scenario=TWO)
    observed = ended.observed("hello@mine-openai-chat", "recovery")
    assert "only where it repeats what was typed" in observed
