"""What a newcomer is told about an agent of their own: without a session, with a wrong one, crashing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.e2e.qa_command import Ended, Qa

AGENT = """
import json, os, pathlib, sys, urllib.request

mode, prompt = sys.argv[1:]
body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": prompt}]}
request = urllib.request.Request(os.environ["URL"], json.dumps(body).encode(), {"content-type": "application/json"})
text = ""
for line in urllib.request.urlopen(request):
    if line.startswith(b"data: {"):
        text += "".join(c["delta"].get("content") or "" for c in json.loads(line[6:])["choices"])
    if mode == "crash" and len(text) > 20:
        sys.exit(3)
message = {"role": "assistant", "content": text, "stopReason": "stop"}
record = {"type": "message", "message": message} if mode == "pi-jsonl" else message
folder = pathlib.Path.home() / ".mine/sessions"
folder.mkdir(parents=True)
(folder / "a.jsonl").write_text(json.dumps(record) + "\\n")
print(text)
"""
DESCRIPTION = """agent: mine
command: ["{python}", "{here}/agent.py", MODE]
one_shot: ["{prompt}"]
dialects: {openai-chat: {}}
env: {URL: "{base_url}/v1/chat/completions"}
"""
SESSION = 'session: {glob: "{home}/.mine/sessions/*.jsonl", reader: pi-jsonl}\n'
SCENARIO = """model:
  - say: "The tide turned while the ferry lay at the quay.\\n\\nNobody went ashore."
    stream: {chars_per_delta: 4, every_ms: 5}
prompt: "What happened?"
steps:
  - silent: {}
  - abort: {rule: repeated-paragraph}
"""


@pytest.fixture
def qa(tmp_path: Path) -> Qa:
    return Qa(tmp_path)


def _run(qa: Qa, mode: str, more: str = "") -> Ended:
    (qa.folder / "agent.py").write_text(AGENT)
    (qa.folder / "mine.yaml").write_text(DESCRIPTION.replace("MODE", mode) + more)
    qa.scenario("tide", SCENARIO)
    return qa("run", "tide", "--agent", "mine.yaml")


def _observed(ended: Ended) -> tuple[str, str]:
    run = "tide@mine-openai-chat"
    return ended.observed(run, "silent"), ended.observed(run, "abort")


NO_GUARD = "no guard: all 69 characters arrived"


def test_an_agent_without_a_session_is_judged_by_the_wire(qa: Qa) -> None:
    silent, abort = _observed(_run(qa, "none"))
    assert silent == "1 reply, 69 characters, all arrived (session: this agent keeps none)"
    assert abort == NO_GUARD


def test_a_session_in_the_form_of_the_page_is_read(qa: Qa) -> None:
    assert _observed(_run(qa, "pi-jsonl", SESSION)) == ("1 reply, 69 characters, all arrived", NO_GUARD)


def test_a_session_in_another_form_is_said_to_hold_nothing_for_the_reader(qa: Qa) -> None:
    silent, abort = _observed(_run(qa, "other", SESSION))
    assert silent == "no assistant message 1: reader pi-jsonl found 0 assistant messages in a.jsonl"
    assert abort == NO_GUARD


def test_a_pattern_that_misses_the_session_is_shown_what_lies_there(qa: Qa) -> None:
    silent, _ = _observed(_run(qa, "pi-jsonl", SESSION.replace("sessions", "session")))
    assert silent == (
        "no session file matched {home}/.mine/session/*.jsonl; files in {home}/.mine: sessions/a.jsonl"
    )


@pytest.mark.parametrize("session", ["", SESSION])
@pytest.mark.parametrize("guard", ["", "guard: {rules: [repeated-paragraph]}\n"])
def test_a_crash_in_the_middle_of_a_reply_is_called_one(qa: Qa, session: str, guard: str) -> None:
    crash = "the agent exited with 3 while reply 1 was streamed"
    assert _observed(_run(qa, "crash", session + guard)) == (crash, crash)


def test_a_rule_that_the_description_does_not_list_warns_before_the_run(qa: Qa) -> None:
    ended = _run(qa, "none", "guard: {rules: [repeated-paragraphs]}\n")
    assert ended.err == (
        "warning: scenarios/tide.yaml:9:5: agent 'mine' has no rule 'repeated-paragraph'; "
        "did you mean 'repeated-paragraphs'?\n"
    )


def test_its_program_is_shown_as_it_will_be_started(qa: Qa) -> None:
    _run(qa, "none")
    said = qa("agents", "install", "mine.yaml")
    program = f"{sys.executable} {qa.folder}/agent.py none"
    assert (said.code, said.out) == (
        0,
        f"mine is your own program, qa installs nothing for it: {program}\n",
    )
