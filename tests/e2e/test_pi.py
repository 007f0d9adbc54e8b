"""The same scenarios against a real third-party CLI on the pseudo-terminal: pi has no guard."""

from __future__ import annotations

import os

import pytest

from harness.agents.locate import cache_folder, installed_program, load_agent
from tests.e2e.qa_command import Qa

LOOP = "ttsr-near-duplicate-loop"

pytestmark = pytest.mark.real_agent


@pytest.fixture(autouse=True)
def _pi_is_installed() -> None:
    if installed_program(load_agent("pi"), cache_folder()) is None:
        assert not os.environ.get("CI"), "pi is not installed: run 'qa agents install pi' first"
        pytest.skip("pi is not installed here: 'qa agents install pi'")


def test_healthy_prose_arrives_whole_in_every_dialect(qa: Qa) -> None:
    ended = qa("run", "healthy-prose", "--agent", "pi", "--dialect", "all")
    assert ended.code == 0, ended.out
    assert len(ended.results()) == len(load_agent("pi").dialects)


def test_a_walk_with_a_tool_call_between_the_messages_passes(qa: Qa) -> None:
    ended = qa("run", "healthy-item-tools", "--agent", "pi")
    assert ended.code == 0, ended.out
    assert ended.observed("healthy-item-tools@pi-openai-chat", "silent").startswith("9 replies")


TWO_CALLS = """
model:
  - think: "Both files are needed. "
    say: "I will list “a” 😀 twice."
    call:
      - bash: {command: "echo first-result"}
      - bash: {command: "echo second-result"}
    stream: {chars_per_delta: 5}
  - think: "Now I know. "
    say: "RECOVERED {nonce}"
prompt: "List twice, then answer RECOVERED {nonce}."
steps:
  - silent: all
  - request: {number: 2, contains: ["first-result", "second-result"]}
  - recovery: {contains: "RECOVERED {nonce}"}
  - requests: 2
  - exit: 0
"""


def test_thinking_text_and_two_calls_in_one_reply_are_understood_in_every_dialect(qa: Qa) -> None:
    qa.scenario("two-calls", TWO_CALLS)
    ended = qa("run", "two-calls", "--agent", "pi", "--dialect", "all")
    assert ended.code == 0, ended.out
    assert len(ended.results()) == len(load_agent("pi").dialects) == 4


def test_a_loop_runs_to_its_end_and_the_abort_step_says_so(qa: Qa) -> None:
    ended = qa("run", LOOP, "--agent", "pi")
    assert ended.code == 1
    folder = f"{LOOP}@pi-openai-chat"
    assert ended.observed(folder, "abort") == "no guard: all 2,446 characters arrived"
    assert "abort" in ended.failing(folder)


def test_its_control_is_skipped_since_there_is_nothing_to_switch_off(qa: Qa) -> None:
    ended = qa("run", LOOP, "--agent", "pi", "--controls")
    control = next(r for r in ended.out.splitlines() if "(control)" in r)
    assert "skipped" in control
    assert "no switch for 'collapse-repetition'" in ended.out
