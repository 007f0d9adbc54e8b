"""Scenarios in a terminal, with the reference agent and, where it is installed, the real pi."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from harness.agents.locate import cache_folder, installed_program, load_agent
from harness.terminal.cast import parse_cast
from harness.terminal.replay import picture_at
from tests.e2e.qa_command import Ended, Qa

TALK = """
mode: terminal
model:
  - say: "The harbour is quiet. DONE {nonce}"
    stream: {deltas: 6, every_ms: 2}
  - say: "And again {nonce}"
prompt: "Speak, and end with DONE {nonce}, please."
steps:
"""


def talk(qa: Qa, *steps: str, agent: str = "reference", head: str = TALK) -> Ended:
    qa.scenario("talk", head + "".join(f"  - {step}\n" for step in steps))
    return qa("run", "talk", "--agent", agent)


def evidence(ended: Ended) -> Path:
    (result,) = max(ended.runs.iterdir()).glob("*/result.json")
    return result.parent


def result(ended: Ended) -> dict[str, Any]:
    (found,) = ended.results().values()
    return found


def step(ended: Ended, label: str) -> dict[str, Any]:
    return next(s for s in result(ended)["steps"] if s["label"] == label)


@pytest.mark.parametrize("scenario", ["ttsr-terminal-loop", "healthy-terminal"])
def test_a_shipped_scenario_and_its_control_pass(qa: Qa, scenario: str) -> None:
    ended = qa("run", scenario, "--controls")
    assert ended.code == 0, ended.out
    assert len(ended.results()) == 2


def test_the_terminal_loop_passes_in_every_dialect(qa: Qa) -> None:
    ended = qa("run", "ttsr-terminal-loop", "--dialect", "all")
    assert ended.code == 0, ended.out
    assert len(ended.results()) == 4


def test_the_evidence_holds_the_screen_the_recording_and_what_was_typed(qa: Qa) -> None:
    ended = talk(qa, 'type: "{prompt}"', "wait_for: {answered: true}", "screen: harbour", "exit: 0")
    assert ended.code == 0, ended.out
    folder = evidence(ended)
    shown = (folder / "screen.txt").read_text()
    assert "The harbour is quiet. DONE" in shown
    drawn = "".join(ET.fromstring((folder / "screen.svg").read_text()).itertext())
    assert "The harbour is quiet." in drawn
    assert (folder / "screen-screen.txt").read_text() == shown
    cast = parse_cast((folder / "terminal.cast").read_text())
    typed = [event.data for event in cast.events if event.code == "i"]
    (nonce,) = {word for word in typed[0].replace(",", "").split() if word.startswith("qa")}
    assert typed == [f"Speak, and end with DONE {nonce}, please.", "\r", "\x04"]
    assert "The harbour is quiet." in "\n".join(picture_at(cast).rows)
    assert "The harbour is quiet." not in "\n".join(picture_at(cast, 0).rows)
    assert "The harbour is quiet." in (folder / "output.txt").read_text()


def test_an_answer_that_only_the_prompt_names_is_not_waited_for_and_no_recovery(qa: Qa) -> None:
    head = TALK.replace('DONE {nonce}"\n    stream', 'Nothing more."\n    stream')
    ended = talk(
        qa,
        'type: "{prompt}"',
        "wait_for: {answered: true}",
        'screen: "DONE {nonce}"',
        'recovery: {contains: "DONE {nonce}"}',
        'output: {lacks: "DONE DONE"}',
        head=head,
    )
    assert ended.code == 1
    assert [s["label"] for s in result(ended)["steps"] if s["verdict"] == "failed"] == ["screen", "recovery"]
    assert "DONE" in (evidence(ended) / "screen.txt").read_text()


def test_a_wait_that_is_not_met_fails_at_its_place_with_a_picture_and_what_follows_is_not_reached(
    qa: Qa,
) -> None:
    ended = talk(
        qa,
        'type: "{prompt}"',
        "wait_for: {shows: never, within_s: 1}",
        "press: enter",
        "resize: {columns: 90, rows: 20}",
    )
    assert ended.code == 1
    waited = step(ended, "wait_for")
    assert waited["observed"] == "the screen does not show 'never'"
    assert waited["expected"] == "the screen shows 'never' within 1 s"
    assert waited["evidence"][0].startswith("screen 120x40, agent running, last output ")
    assert any("The harbour is quiet." in line for line in waited["evidence"])
    assert "scenarios/talk.yaml:12:5: 'wait_for' failed" in ended.out
    for label in ("press", "resize"):
        assert step(ended, label)["observed"] == "not reached: a step before it failed, or the run ended"


def test_a_size_reaches_the_program_and_the_recording(qa: Qa) -> None:
    ended = talk(
        qa,
        "wait_for: {ready: true}",
        "resize: {columns: 30, rows: 12}",
        'type: "{prompt}"',
        "wait_for: {answered: true}",
        "screen: {matches: '^The harbour is quiet. DONE qa'}",
        "exit: 0",
    )
    assert ended.code == 0, ended.out
    cast = parse_cast((evidence(ended) / "terminal.cast").read_text())
    assert [event.size for event in cast.events if event.code == "r"] == [(30, 12)]
    assert picture_at(cast).size == (30, 12)


def test_a_signal_ends_the_program_and_the_end_can_be_waited_for(qa: Qa) -> None:
    ended = talk(
        qa,
        'type: "{prompt}"',
        "wait_for: {answered: true}",
        "signal: TERM",
        "wait_for: {exit: true}",
        "exit: 143",
    )
    assert ended.code == 0, ended.out


def test_keys_drive_the_composer(qa: Qa) -> None:
    ended = talk(
        qa,
        'type: {text: "rubbish", submit: false}',
        "press: ctrl-u",
        "wait_for: {ready: true}",
        'type: "{prompt}"',
        "wait_for: {answered: true}",
        "press: up",
        "wait_for: {matches: '^> Speak, and end with DONE'}",
        "press: [ctrl-c, ctrl-c]",
        "wait_for: {exit: true}",
        "exit: 0",
    )
    assert ended.code == 0, ended.out


def test_a_program_that_ends_by_itself_fails_what_waits_at_once(qa: Qa) -> None:
    ended = talk(qa, 'type: "{prompt}"', "wait_for: {answered: true}", "type: /exit", "wait_for: never")
    assert ended.code == 1
    assert (
        step(ended, "wait_for#2")["observed"]
        == "the program ended with 0, and the screen does not show 'never'"
    )
    assert result(ended)["duration_s"] < 25


ASKING = """
import os, re, sys, tty
tty.setraw(0)
os.write(1, b"\\x1b[c\\x1b[6n\\x1b]52;c;?\\x07\\x1b[?2026h")
got = b""
while b"R" not in got:
    got += os.read(0, 100)
os.write(1, b"\\x1b[2J\\x1b[Hgot " + ascii(got.decode()).encode() + b"\\r\\n> ")
os.write(1, b"\\x1b[?2026l")
while b"\\x04" not in (key := os.read(0, 100)):
    os.write(1, key)
sys.exit(0)
"""


def test_queries_are_answered_and_those_that_are_not_are_told(qa: Qa) -> None:
    agent = qa.agent(ASKING)
    ended = talk(qa, "wait_for: {shows: '[?62;22c'}", "type: {text: x, submit: false}", agent=agent)
    assert step(ended, "wait_for")["verdict"] == step(ended, "type")["verdict"] == "passed"
    assert "got '\\x1b[?62;22c\\x1b[1;1R'" in (evidence(ended) / "screen.txt").read_text()
    assert "terminal queries that were not answered: 'OSC 52;c;?'" in result(ended)["notes"]


ASKING_BETWEEN = """
import array, fcntl, os, select, sys, termios, time, tty
tty.setraw(0)
os.write(1, b"> ")
select.select([0], [], [])
os.write(1, b"\\x1b[6n")          # Esc is there and not read yet
waiting, end = array.array("i", [0]), time.monotonic() + 0.2
while time.monotonic() < end and waiting[0] < 2:
    fcntl.ioctl(0, termios.FIONREAD, waiting)
got = b""
while b"R" not in got or b"\\r" not in got:
    got += os.read(0, 100)
os.write(1, b"got " + ascii(got.decode()).encode() + b"\\r\\n> ")
while b"\\x04" not in (key := os.read(0, 100)):
    os.write(1, key)
"""


def test_an_answer_does_not_come_between_two_keys_that_belong_together(qa: Qa) -> None:
    pressed = ("wait_for: {ready: true}", "press: [esc, enter]", "type: {text: x, submit: false}")
    ended = talk(qa, *pressed, agent=qa.agent(ASKING_BETWEEN))
    assert step(ended, "press")["verdict"] == "passed", ended.out
    assert "got '\\x1b\\r\\x1b[1;3R'" in (evidence(ended) / "screen.txt").read_text()


STUBBORN = """
import os, tty
tty.setraw(0)
os.write(1, b"> ")
while True:
    os.read(0, 100)
"""


def test_an_agent_that_ignores_its_quit_keys_is_killed(qa: Qa) -> None:
    ended = talk(
        qa, "wait_for: {ready: true}", "press: a", "type: {text: x, within_s: 1}", agent=qa.agent(STUBBORN)
    )
    assert ended.code != 0
    killed = "the agent did not end within 2 s of ctrl-d and was killed; the screen ends with '"
    assert any(note.startswith(killed) for note in result(ended)["notes"])
    assert "the screen does not show 'x' once more" in step(ended, "type")["observed"]


def test_an_agent_without_a_terminal_is_skipped(qa: Qa) -> None:
    path = Path(qa.agent("pass"))
    text = path.read_text()
    begin = text.index("terminal:\n")
    path.write_text(text[:begin] + text[text.index("version_probe:", begin) :])
    ended = talk(qa, 'type: "{prompt}"', agent=str(path))
    assert ended.code != 0
    assert "agent 'mine' has no 'terminal' in its description, so it is run only one-shot" in ended.out


def test_a_screenshot_is_drawn_from_the_recording_of_a_run(qa: Qa) -> None:
    ended = talk(qa, 'type: "{prompt}"', "wait_for: {answered: true}", "exit: 0")
    folder = evidence(ended)
    for name in ("end.txt", "end.svg", "end.png"):
        drawn = qa("screenshot", str(folder), "-o", name)
        assert (drawn.code, drawn.out) == (0, f"{name}\n"), drawn.err
    assert "The harbour is quiet." in (qa.folder / "end.txt").read_text()
    assert (qa.folder / "end.png").read_bytes().startswith(b"\x89PNG")
    assert qa("screenshot", str(folder / "terminal.cast"), "--at", "0", "-o", "begin.txt").code == 0
    assert "The harbour" not in (qa.folder / "begin.txt").read_text()
    assert qa("screenshot", str(folder.parent), "-o", "of-its-parent.txt").code == 0
    assert (qa.folder / "of-its-parent.txt").read_text() == (qa.folder / "end.txt").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing"], "cannot read missing: No such file or directory"),
        (["runs"], "runs holds 2 runs; name one\n  runs/a\n  runs/b\n"),
        (["talk.cast"], "talk.cast: line 1: this is no asciicast of version 2"),
        (["good.cast", "-o", "a.gif"], "no picture can be drawn as '.gif'; valid here: .svg, .png, .txt"),
        (["good.cast", "-o", "no/a.svg"], "cannot write no/a.svg: No such file or directory"),
    ],
)
def test_a_screenshot_that_cannot_be_drawn_says_why(qa: Qa, words: list[str], message: str) -> None:
    (qa.folder / "talk.cast").write_text('{"version": 1}\n')
    for name in ("runs/a", "runs/b"):
        (qa.folder / name).mkdir(parents=True)
        (qa.folder / name / "terminal.cast").touch()
    (qa.folder / "good.cast").write_text(json.dumps({"version": 2, "width": 20, "height": 4}) + "\n")
    ended = qa("screenshot", *words)
    assert (ended.code, message in ended.err) == (2, True), ended.err


@pytest.fixture
def _pi_is_installed() -> None:
    if installed_program(load_agent("pi"), cache_folder()) is None:
        assert not os.environ.get("CI"), "pi is not installed: run 'qa agents install pi' first"
        pytest.skip("pi is not installed here: 'qa agents install pi'")


@pytest.mark.real_agent
@pytest.mark.usefixtures("_pi_is_installed")
def test_pi_is_driven_in_its_terminal(qa: Qa) -> None:
    ended = qa("run", "healthy-terminal", "--agent", "pi")
    assert ended.code == 0, ended.out


@pytest.mark.real_agent
@pytest.mark.usefixtures("_pi_is_installed")
def test_a_reply_of_pi_is_stopped_by_esc_and_its_composer_can_be_used_again(qa: Qa) -> None:
    ended = talk(
        qa,
        'type: "{prompt}"',
        "wait_for: {request: 1, shows: Working...}",
        "wait_for: {shows: harbour}",
        "press: esc",
        "wait_for: {reply: 1, ready: true, shows: Operation aborted}",
        'type: "go on {nonce}"',
        'wait_for: {answered: true, shows: "And again {nonce}"}',
        "requests: 2",
        "exit: 0",
        agent="pi",
        head=TALK.replace("deltas: 6, every_ms: 2", "deltas: 30, every_ms: 400"),
    )
    assert ended.code == 0, ended.out


HALF_DRAWN = """
import os, sys, tty
tty.setraw(0)
os.write(1, b"> ")
os.read(0, 100)
os.write(1, b"\\x1b[?2026hbye")
sys.exit(0)
"""


def test_a_program_that_ends_in_half_a_frame_has_ended(qa: Qa) -> None:
    ended = talk(
        qa,
        "wait_for: {ready: true}",
        "press: q",
        "wait_for: {exit: true, shows: bye}",
        "type: {text: x, at_once: true}",
        agent=qa.agent(HALF_DRAWN),
    )
    assert step(ended, "wait_for#2")["verdict"] == "passed", ended.out


def test_an_agent_that_still_runs_when_a_step_has_failed_has_no_exit_code_to_tell(qa: Qa) -> None:
    lines = [
        "agent: mine",
        'command: ["{python}", -c, "import time; time.sleep(600)"]',
        'one_shot: ["{prompt}"]',
        "dialects: {openai-chat: {}}",
        "terminal: {ready: {lacks: busy}}",
    ]
    (qa.folder / "mine.yaml").write_text("\n".join(lines))
    ended = talk(qa, r'type: "one\ntwo"', "exit: 0", agent="./mine.yaml")
    assert ended.code == 3
    assert "was still running when the run ended and never asked the model" in " ".join(ended.out.split())
