"""Commands that take one agent refuse a second one, of which else only the last would be run."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from harness.cli import main


@pytest.mark.parametrize("words", [["run", "healthy-prose"], ["mutate"]])
def test_a_second_agent_is_refused(words: list[str]) -> None:
    ended = CliRunner().invoke(main, [*words, "--agent", "pi", "--agent", "codex"])
    assert ended.exit_code == 2
    assert "Error: one agent at a time, not 'pi' and 'codex'; 'qa gate' takes several\n" in ended.stderr
