"""``qa doctor`` names just the fact of a description that does not hold."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.dying import dies
from tests.e2e.qa_command import Ended, Qa

DESCRIPTION = """agent: demo
command: ["{python}", "{here}/doctor_agent.py"]
one_shot: ["{prompt}"]
install: {pypi: demo-cli, version: 1.2.0}
model: demo-1
dialects: {openai-chat: {}}
env: {URL: "{base_url}", BREAK: "WHAT"}
session: {glob: "{home}/.demo/*.jsonl", reader: pi-jsonl}
tools: {bash: {name: sh, arguments: {command: line}}}
"""


SUMMARY = (
    "no entry of 'sides' explains request 1 (/v1/chat/completions): "
    "system 'Summarise.', last user text 'Anything new?'"
)


def doctor(qa: Qa, what: str, *more: str) -> Ended:
    shutil.copy(Path(__file__).parent / "doctor_agent.py", qa.folder)
    (qa.folder / "demo.yaml").write_text(DESCRIPTION.replace("WHAT", what))
    return qa("doctor", "--agent", "demo.yaml", *more)


def wrong(ended: Ended) -> dict[str, str]:
    """The facts that do not hold, and what was seen of each the last time."""
    return dict(re.findall(r"✗ (\S+) +(.*)", ended.out))


def test_a_description_that_holds_passes_with_every_fact_shown(qa: Qa) -> None:
    ended = doctor(qa, "")
    assert (ended.code, ended.err) == (0, ""), ended.out
    assert ended.out.endswith("\n\n1 of 1 agent as described\n")
    sections = re.findall(r"^  (\S.*)$", ended.out, re.MULTILINE)
    assert sections == ["version", "one-shot, openai-chat, one turn", "one-shot, openai-chat, a tool"]
    assert ended.out.count("✓") == 1 + 7 + 8
    assert "not streamed, POST /v1/chat/completions" in ended.out


@pytest.mark.parametrize(
    ("what", "key", "seen"),
    [
        ("version", "install.version", "demo 9.9.9"),
        ("model", "model", "asks for 'other-model', not for 'demo-1', the description's 'model'"),
        ("sides", "sides", SUMMARY),
        ("dialect", "dialects.openai-chat", "no request of the conversation; others: POST /v2/chat; "),
        ("exit", "one_shot", "exit code 4; last output: "),
        ("output", "output", "lacks the reply; last output: none"),
        ("glob", "session.glob", "nothing matches {home}/.demo/*.jsonl; files in {home}: .other/a.jsonl"),
        ("reader", "session.reader", "no reply with what was said"),
        ("tool", "tools.bash", "no tool 'sh' among shell"),
    ],
)  # fmt: skip
def test_the_fact_that_no_longer_holds_is_named_with_what_was_seen(
    qa: Qa, what: str, key: str, seen: str
) -> None:
    ended = doctor(qa, what)
    assert ended.code == 1, ended.out + ended.err
    found = wrong(ended)
    assert found[key].startswith(seen)
    assert re.search(rf"does not hold in demo\.yaml: .*{re.escape(key)}", ended.out)
    if what != "dialect":  # an agent that gets no answer fails in all that follows
        assert list(found) == [key]


def test_an_agent_that_is_not_installed_is_said_to_be_missing(qa: Qa) -> None:
    (qa.folder / "gone.yaml").write_text(
        DESCRIPTION.replace('"{python}", "{here}/doctor_agent.py"', "no-such")
    )
    ended = qa("doctor", "--agent", "gone.yaml")
    assert ended.code == 3
    assert "install it (qa agents install demo: pypi demo-cli==1.2.0)" in ended.out


def test_the_last_line_counts_the_agents_and_names_those_that_do_not_hold(qa: Qa) -> None:
    (qa.folder / "gone.yaml").write_text(
        DESCRIPTION.replace('"{python}", "{here}/doctor_agent.py"', "no-such").replace("demo", "gone")
    )
    ended = doctor(qa, "model", "--agent", "gone.yaml", "--agent", "reference", "--dialect", "openai-chat")
    assert ended.code == 3
    last = "1 of 3 agents as described; not as described: demo; not installed: gone"
    assert ended.out.splitlines()[-1] == last


def test_a_side_request_that_repeats_the_prompt_is_shown_beside_the_conversation_it_was_taken_for(
    qa: Qa,
) -> None:
    ended = doctor(qa, "title")
    assert list(wrong(ended)) == ["sides"], ended.out
    assert "system 'Give a title.', last user text 'How is it" in ended.out
    assert "add the request beside the conversation: sides: [{name: title" in ended.out
    described = qa.folder / "demo.yaml"
    described.write_text(f"{described.read_text()}sides: [{{name: title, contains: Give a title}}]\n")
    assert qa("doctor", "--agent", "demo.yaml").code == 0


def test_a_switch_of_a_guard_is_tried_and_one_that_the_program_does_not_take_is_named(qa: Qa) -> None:
    doctor(qa, "switch")
    described = qa.folder / "demo.yaml"
    described.write_text(f"{described.read_text()}guard: {{rules: [loop], off: [--no-guard]}}\n")
    ended = qa("doctor", "--agent", "demo.yaml")
    assert ended.code == 1
    assert wrong(ended) == {"guard.off": "[--no-guard]: exit code 2; last output: unknown option --no-guard"}
    assert "        set 'guard: off' to arguments that the agent takes\n" in ended.out
    described.write_text(described.read_text().replace('"switch"', '""'))
    assert "✓ guard.off  [--no-guard] is taken" in qa("doctor", "--agent", "demo.yaml").out


def test_what_a_terminal_is_waited_for_is_told_at_once_and_the_screen_is_shown_with_the_cure(qa: Qa) -> None:
    go_on = qa.folder / "go-on"
    os.mkfifo(go_on)
    shutil.copy(Path(__file__).parent / "doctor_agent.py", qa.folder)
    terminal = "terminal: {args: [--chat], ready: {shows: never there}}\n"
    (qa.folder / "demo.yaml").write_text(DESCRIPTION.replace("WHAT", f"until {go_on}") + terminal)
    mine, its = pty.openpty()
    words = qa.command("doctor", "--agent", "demo.yaml")
    with subprocess.Popen(words, cwd=qa.folder, env=qa.env, stdout=subprocess.PIPE, stderr=its) as process:
        os.close(its)
        told = b""
        while b"    waiting: the screen does not show 'never there' (30 s at most)" not in told:
            told += os.read(mine, 4096)  # fails when qa ends before
        go_on.write_text("")  # the program ends, and the waiting with it
        out = process.communicate()[0].decode()
    os.close(mine)
    assert "✗ terminal.ready  the program ended with 0, and the screen does not show 'never there'\n" in out
    assert re.search(r"\n +\| Welcome\n +\| hello>\n +say in 'terminal: ready' what the screen shows", out)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_when_it_is_killed(qa: Qa, number: signal.Signals) -> None:
    temporary, told = qa.folder / "tmp", qa.folder / "told"
    temporary.mkdir()
    os.mkfifo(told)
    shutil.copy(Path(__file__).parent / "doctor_agent.py", qa.folder)
    (qa.folder / "demo.yaml").write_text(DESCRIPTION.replace("WHAT", f"wait {told}"))
    words, env = qa.command("doctor", "--agent", "demo.yaml"), {**qa.env, "TMPDIR": str(temporary)}
    with subprocess.Popen(words, cwd=qa.folder, env=env, stdout=subprocess.DEVNULL) as process:
        wait_for_word(told, process.pid)
        owners = [json.loads(file.read_text())["owners"] for file in temporary.glob("*/owners.json")]
        assert len(owners) == 2  # of the evidence, and of the run
        process.send_signal(number)
        code = process.wait(20)
    assert code == (130 if number == signal.SIGINT else -number)
    assert all(dies(pid) for each in owners for pid, _started in each)
    assert list(temporary.iterdir()) == []


def test_what_a_program_leaves_behind_when_asked_for_its_version_is_neither_waited_for_nor_left(
    qa: Qa,
) -> None:
    pid = qa.folder / "pid"
    ended = doctor(qa, f"daemon {pid}")
    assert (ended.code, wrong(ended)) == (0, {}), ended.out
    assert "✓ install.version  demo 1.2.0\n" in ended.out
    assert dies(int(pid.read_text()))


def test_a_program_of_ones_own_need_not_say_its_version(qa: Qa) -> None:
    shutil.copy(Path(__file__).parent / "doctor_agent.py", qa.folder)
    own = DESCRIPTION.replace("install: {pypi: demo-cli, version: 1.2.0}", "version_probe: []")
    (qa.folder / "demo.yaml").write_text(own)
    ended = qa("doctor", "--agent", "demo.yaml")
    assert ended.code == 0, ended.out
    assert "✓ version_probe  none: this program does not say its version\n" in ended.out


def wait_for_word(fifo: Path, pid: int) -> None:
    """Wait until something is written into a pipe; fail when the process ends before."""
    pipe, process = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK), os.pidfd_open(pid)
    try:
        assert select.select([pipe, process], [], [])[0] == [pipe], "qa ended too early"
    finally:
        os.close(pipe)
        os.close(process)


def test_an_agent_with_a_terminal_is_checked_there_too(qa: Qa) -> None:
    ended = qa("doctor", "--agent", "reference", "--dialect", "openai-chat")
    assert ended.code == 0, ended.out + ended.err
    terminal = ended.out.partition("terminal, openai-chat, one turn")[2]
    for key in ("terminal.ready", "terminal.submit", "terminal.quit", "session.reader"):
        assert re.search(rf"✓ {re.escape(key)} ", terminal), key


def test_the_page_has_a_row_for_each_agent_and_what_does_not_hold(qa: Qa) -> None:
    ended = doctor(qa, "model", "--page", "checked.md")
    assert ended.code == 1
    page = (qa.folder / "checked.md").read_text()
    assert "| demo | 1.2.0 |  | none | 14 of 16 | none |" in page
    assert "\n0 of 1 checked agents are as described, 0 of them also in a terminal.\n" in page
    assert "- **demo**, one-shot, openai-chat, one turn: `model`: asks for 'other-model'" in page
    assert "qa doctor --agent demo.yaml --page checked.md" in page


def test_a_page_that_cannot_be_written_is_named(qa: Qa) -> None:
    ended = doctor(qa, "model", "--page", "no/folder/checked.md")
    assert ended.code == 3
    assert ended.err == (
        "cannot write no/folder/checked.md: No such file or directory\n  name another file with --page\n"
    )


def test_the_page_names_the_agents_that_are_not_here(qa: Qa) -> None:
    empty = {"PATH": "/nowhere", "TTSR_QA_CACHE": str(qa.folder / "empty")}
    ended = qa("doctor", "--installed", "--dialect", "openai-chat", "--page", "checked.md", **empty)
    assert ended.code == 0, ended.out + ended.err
    page = (qa.folder / "checked.md").read_text()
    row = r"\| reference \| embedded \|  \| one-shot, openai-chat; terminal, openai-chat \| (\d+) of \1 \|"
    assert re.search(row, page)
    assert "\n1 of 1 checked agents are as described, 1 of them also in a terminal.\n" in page
    assert "- **codex**: agent 'codex' cannot start: no program 'codex' on PATH" in page
    assert "- **senpi**: agent 'senpi' cannot start: no program 'senpi' on PATH" in page


def test_one_dialect_can_be_asked_for_and_a_wrong_one_is_named(qa: Qa) -> None:
    assert doctor(qa, "", "--dialect", "openai-chat").code == 0
    ended = doctor(qa, "", "--dialect", "gemini")
    assert ended.code == 2
    assert "does not speak 'gemini'" in ended.err
