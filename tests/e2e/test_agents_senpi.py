"""senpi's description on the traces that a real build leaves: it is in no registry, so it is not run here."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.e2e.qa_command import Ended, Qa

LOOP = "ttsr-near-duplicate-loop"


SHIPPED = Path(__file__).parents[2] / "scenarios" / f"{LOOP}.yaml"


def run(qa: Qa, *words: str) -> Ended:
    # How much is under way when the program hangs up depends on how busy the machine is.
    text = SHIPPED.read_text().replace("within_chars: 1900, ", "").replace("every_ms: 3", "every_ms: 20")
    assert text.count("within_chars") == 0
    qa.scenario(LOOP, "").write_text(text)
    program = qa.folder / "senpi"
    source = (Path(__file__).parent / "senpi_like.py").read_text()
    program.write_text(f"#!{sys.executable}\n{source}")
    program.chmod(0o755)
    return qa(*words, "--agent", "senpi", "--agent-bin", f"senpi={program}")


def test_a_stopped_reply_and_its_recovery_are_understood(qa: Qa) -> None:
    ended = run(qa, "run", LOOP)
    assert (ended.code, ended.err) == (0, ""), ended.out + ended.err
    folder = f"{LOOP}@senpi-openai-chat"
    assert ended.observed(folder, "truncation") == "492 characters kept, 527 persisted with the marker"


def test_its_control_is_run_with_the_rule_switched_off(qa: Qa) -> None:
    ended = run(qa, "run", LOOP, "--controls")
    # The program here keeps no rule apart, and refuses arguments that it does not know in front.
    (command,) = max(ended.runs.iterdir()).glob(f"{LOOP}-control@*/command.json")
    assert '"--ttsr-rules-disabled",\n    "collapse-repetition",\n    "--provider"' in command.read_text()


def test_without_its_program_the_cure_is_a_path(qa: Qa) -> None:
    ended = qa("run", LOOP, "--agent", "senpi")
    assert ended.code == 3
    assert "pass --agent-bin senpi=/path/to/senpi" in ended.err
