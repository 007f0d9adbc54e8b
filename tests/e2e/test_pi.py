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


def test_a_walk_with_a_tool_call_between_the_messages_passes_in_every_dialect(qa: Qa) -> None:
    ended = qa("run", "healthy-item-tools", "--agent", "pi", "--dialect", "all")
    assert ended.code == 0, ended.out
    for dialect in load_agent("pi").dialects:
        assert ended.observed(f"healthy-item-tools@pi-{dialect.name}", "silent").startswith("9 replies")


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
