"""Scenarios that go on: each prompt under 'then' is asked in a new process that resumes the session."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.qa_command import Qa

TWO_RUNS = """
model:
  - say: "one {nonce}"
  - say: "two {nonce}"
prompt: "Say one. (ref {nonce})"
then:
  - "Now say two, {nonce}."
steps:
  - silent: all
  - request: {number: 2, contains: ["one {nonce}", "Now say two, {nonce}."]}
  - recovery: {contains: "two {nonce}"}
  - output: {contains: ["one {nonce}", "two {nonce}"]}
  - requests: 2
  - exit: 0
"""
LAUNCH = "from harness.refagent.__main__ import main\n"


def test_the_second_process_goes_on_where_the_first_one_ended(qa: Qa) -> None:
    qa.scenario("two-runs", TWO_RUNS)
    ended = qa("run", "two-runs", "--dialect", "all")
    assert ended.code == 0, ended.out
    results = ended.results()
    assert len(results) == 4
    for folder in results:
        lines = (max(ended.runs.iterdir()) / folder / "events.jsonl").read_text().splitlines()
        events = [event for event in map(json.loads, lines) if event["channel"] == "agent"]
        assert [(e["kind"], e.get("code")) for e in events] == [
            ("start", None),
            ("exit", 0),
            ("start", None),
            ("exit", 0),
        ]
        assert "--resume" not in events[0]["argv"]
        assert events[2]["argv"][-4:-1] == ["--resume", "last", "-p"]


def test_after_a_process_that_failed_there_is_no_other(qa: Qa) -> None:
    text = TWO_RUNS.replace("exit: 0", "exit: 7").replace("requests: 2", "requests: 1")
    steps = [
        line
        for line in text.splitlines()
        if not line.startswith(("  - request:", "  - recovery", "  - output"))
    ]
    qa.scenario("fails-first", "\n".join(steps) + "\n")
    ended = qa("run", "fails-first", "--agent", qa.agent(f"{LAUNCH}main()\nraise SystemExit(7)"))
    assert ended.code == 0, ended.out


def test_an_agent_that_cannot_go_on_with_a_session_is_skipped_with_the_reason(qa: Qa) -> None:
    qa.scenario("two-runs", TWO_RUNS)
    description = Path(qa.agent(f"{LAUNCH}raise SystemExit(main())"))
    lines = description.read_text().splitlines(keepends=True)
    description.write_text("".join(line for line in lines if not line.startswith("resume:")))
    ended = qa("run", "two-runs", "--agent", str(description))
    assert "agent 'mine' has no 'resume' arguments, so it cannot go on with a session" in ended.out
    assert "1 skipped" in ended.out
