"""Real agent CLIs do what their descriptions say.

pi, codex and gemini must be here in CI. ``make test-agents`` tries every other one that is installed, which
takes about a minute for each.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.agents.install import mistake_in
from harness.agents.locate import agent_names, cache_folder, installed_program, load_agent, prefix_folder
from tests.e2e.qa_command import Qa

ALWAYS = ("codex", "gemini", "pi")
OTHERS = tuple(name for name in agent_names() if load_agent(name).install.is_ours and name not in ALWAYS)
# The exact loop of three paragraphs is none that their guards see, if they have one.
LOOPS_RUN_ON = ("codex", "gemini", "claude", "qwen", "opencode", "cline", "copilot", "kilo", "pi-ew")

pytestmark = pytest.mark.real_agent


def here(name: str) -> str:
    """The agent's name, where it is installed and asked for."""
    if name not in ALWAYS and not os.environ.get("TTSR_QA_EVERY_AGENT"):
        pytest.skip("make test-agents tries it")
    spec = load_agent(name)
    if installed_program(spec, cache_folder()) is None:
        missing = f"{name} is not installed: run 'qa agents install {name}' first"
        assert not (os.environ.get("CI") and name in ALWAYS), missing
        pytest.skip(missing)
    return name


@pytest.mark.parametrize("name", [*ALWAYS, *OTHERS])
def test_what_is_installed_is_the_pinned_version(name: str) -> None:
    spec = load_agent(here(name))
    assert mistake_in(spec, prefix_folder(spec, cache_folder())) == ""


@pytest.mark.parametrize("name", [*ALWAYS[:2], *OTHERS])
def test_every_fact_of_the_description_holds(qa: Qa, name: str) -> None:
    first = load_agent(here(name)).dialects[0].name
    ended = qa("doctor", "--agent", name, "--dialect", first)
    assert ended.code == 0, ended.out + ended.err


def test_codex_leaves_nothing_in_tmp_though_it_looks_at_no_variable(qa: Qa) -> None:
    before = set(Path("/tmp").glob("codex*/*"))
    ended = qa("run", "healthy-terminal", "--agent", here("codex"))
    assert ended.code == 0, ended.out + ended.err
    if "allows no namespaces" in ended.out:
        pytest.skip("without namespaces it does")
    assert set(Path("/tmp").glob("codex*/*")) == before


@pytest.mark.parametrize("name", LOOPS_RUN_ON)
def test_a_loop_in_the_text_runs_to_its_end(qa: Qa, name: str) -> None:
    first = load_agent(here(name)).dialects[0].name
    ended = qa("run", "ttsr-paragraph-loop", "--agent", name)
    assert ended.code == 1, ended.out + ended.err
    run = f"ttsr-paragraph-loop@{name}-{first}"
    assert ended.observed(run, "abort") == "no guard: all 1,362 characters arrived"
    assert ended.failing(run)[0] == "abort"
