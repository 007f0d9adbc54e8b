"""What an agent asks beside the conversation, in every form that agents use, never takes a scripted turn."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.qa_command import Ended, Qa

DESCRIPTION = """agent: aside
command: ["{python}", "{here}/side_agent.py", FORM]
one_shot: ["{prompt}"]
dialects: {openai-chat: {}}
env: {URL: "{base_url}"}
sides:
  - {name: title, contains: You are a title generator, say: A short title}
  - {name: suggestion, contains: Suggest what the user, say: "No, thanks"}
"""
SCENARIO = """model:
  - say: "First, the lamp is lit. {nonce}"
    stream: {chars_per_delta: 4, every_ms: 3}
  - say: "Second, the boats come home. {nonce}"
prompt: "How is it at the lighthouse? {nonce}"
steps:
  - silent: all
  - output: {contains: ["assistant: First, the lamp is lit. {nonce}", "assistant: Second, the boats come home. {nonce}"]}
  - requests: 2
  - exit: 0
"""

FORMS = {"before": 1, "not-streamed": 1, "during": 1, "concurrent": 2, "with-tools": 1, "after": 1}
"""How many side requests each form makes."""


def run(qa: Qa, form: str, sides: str | None = None) -> Ended:
    shutil.copy(Path(__file__).parent / "side_agent.py", qa.folder)
    text = DESCRIPTION.replace("FORM", form)
    (qa.folder / "aside.yaml").write_text(text if sides is None else text.partition("sides:")[0] + sides)
    qa.scenario("lighthouse", SCENARIO)
    return qa("run", "lighthouse", "--agent", "aside.yaml")


def asked(ended: Ended) -> list[str]:
    """The lane of each request in the order they came."""
    (events,) = max(ended.runs.iterdir()).glob("*/events.jsonl")
    timeline = [json.loads(line) for line in events.read_text().splitlines()]
    return [event["lane"] for event in timeline if event["channel"] == "wire" and event["kind"] == "request"]


@pytest.mark.parametrize(("form", "count"), FORMS.items(), ids=FORMS)
def test_a_side_request_takes_no_turn_of_the_script(qa: Qa, form: str, count: int) -> None:
    ended = run(qa, form)
    assert ended.code == 0, ended.out + ended.err
    lanes = asked(ended)
    assert (lanes.count("main"), lanes.count("side"), len(lanes)) == (2, count, 2 + count)
    (output,) = max(ended.runs.iterdir()).glob("*/output.txt")
    answer = "No, thanks" if form == "with-tools" else "A short title"
    assert output.read_text().count(f"aside: {answer}\n") == count


def test_what_a_guard_asks_without_the_prompt_is_of_the_conversation(qa: Qa) -> None:
    shown = "guards: [{name: loops, looks_at: [text], detects: x, shows: {request: a loop was found}}]\n"
    ended = run(qa, "guard", sides=shown)
    assert ended.observed("lighthouse@aside-openai-chat", "requests") == "2 requests"
    assert asked(ended) == ["main", "main"]
    (output,) = max(ended.runs.iterdir()).glob("*/output.txt")
    assert "assistant: Second, the boats come home." in output.read_text()


@pytest.mark.parametrize("form", ["before", "not-streamed", "during", "concurrent"])
def test_one_that_the_description_does_not_list_takes_a_turn_and_fails_the_run(qa: Qa, form: str) -> None:
    ended = run(qa, form, sides="")
    assert ended.code == 1, ended.err
    assert "has no turn left to answer it" in ended.out
