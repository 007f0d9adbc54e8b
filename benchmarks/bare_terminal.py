"""The plainest way to have an agent answer two prompts on a terminal: an expect script and nothing around it.

No emulator looks at the screen, nothing is recorded, no namespaces are made, and queries of the terminal stay
unanswered. The script waits for what the agent itself writes: its prompt, the echo, the end of each answer,
its prompt again. pexpect's own pauses are switched off.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pexpect
from scenario_server import NONCE

from harness.agents.locate import find_program, load_agent
from harness.containment import sandbox
from harness.launch import fill
from harness.terminal.keys import key
from harness.terminal.pty import COLUMNS, ROWS

if TYPE_CHECKING:
    from harness.agents.spec import AgentSpec

FIRST, SECOND = "FIRST", "SECOND"
NAME = "terminal-cost"
PROMPTS = ("Say something about harbours. (ref {nonce})", "And once more, please. (ref {nonce})")
SCENARIO = f"""scenario: {NAME}
summary: two prompts typed in a terminal are answered
mode: terminal
model:
  - say: "The harbour is quiet at this hour, and the boats lie still. All is well, says {FIRST}{{nonce}}"
    stream: {{deltas: 12}}
  - say: "All is well again, says {SECOND}{{nonce}}"
prompt: "{PROMPTS[0]}"
steps:
  - type: "{{prompt}}"
  - wait_for: {{answered: true}}
  - type: "{PROMPTS[1]}"
  - wait_for: {{answered: true}}
  - silent: all
  - requests: 2
  - exit: 0
"""

# How the bytes of each agent say that it takes input: what it writes last when its composer is empty and it
# is not working. What it draws while it works has 'busy' before that.
COMPOSERS = {
    "reference": (rb"> ", b"\0"),
    "pi": (rb"\x1b\[7m \x1b\[0m[^\n]*\r\n.*?\x1b\[\?2026l", b"Working..."),
}
PATIENCE_S = 60
SERVER = Path(__file__).with_name("scenario_server.py")


@dataclass(frozen=True)
class Bare:
    """An agent with everything that it needs, in private folders: ``run`` is all that is measured."""

    spec: AgentSpec
    argv: list[str]
    env: dict[str, str]
    cwd: str

    def run(self) -> float:
        """Seconds from the start of the agent to its end, both prompts answered."""
        composer, busy = COMPOSERS[self.spec.name]
        started_s = time.perf_counter()
        child: Any = pexpect.spawn(
            self.argv[0], self.argv[1:], env=self.env, cwd=self.cwd, dimensions=(ROWS, COLUMNS),
            timeout=PATIENCE_S, maxread=65536,
        )  # fmt: skip
        child.delaybeforesend = child.delayafterread = None
        child.delayafterclose = child.delayafterterminate = child.ptyproc.delayafterclose = 0
        child.expect(composer)
        for prompt, answer in zip(PROMPTS, (FIRST, SECOND), strict=True):
            child.send(prompt.replace("{nonce}", NONCE))
            child.expect(rb"\(ref bench\)")
            child.send("\r")
            child.expect(f"{answer}{NONCE}".encode())
            child.expect(composer)
            while busy in child.before:
                child.expect(composer)
        assert self.spec.terminal is not None
        for name in (name for dialog in self.spec.terminal.quit for name in dialog.press):
            child.send(key(name))
        child.expect(pexpect.EOF)
        child.close()
        took_s = time.perf_counter() - started_s
        if child.exitstatus != 0:
            sys.exit(f"the bare {self.spec.name} ended with {child.exitstatus}, signal {child.signalstatus}")
        return took_s


def bare_run(agent: str, scenario: Path) -> float:
    """One run against a mock server that is ready before the clock starts."""
    words = [sys.executable, str(SERVER), str(scenario)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as server:
        assert server.stdout
        base_url, _prompt = server.stdout.readline().split()
        root = Path(tempfile.mkdtemp(prefix="bare-")).resolve()
        try:
            took_s = _prepared(agent, base_url, root).run()
        finally:
            shutil.rmtree(root)
            replies, _ = server.communicate("")
    if replies.strip() != "2":
        sys.exit(f"the bare {agent} took {replies.strip()} replies instead of 2")
    return took_s


def _prepared(agent: str, base_url: str, root: Path) -> Bare:
    """The private folders, files and environment that qa gives the agent too."""
    spec = load_agent(agent)
    dialect = spec.dialects[0]
    assert spec.terminal is not None
    box = sandbox.Sandbox(root / "box", root / "box/home", root / "box/work", "bare")
    box.create()
    variables = {
        "python": sys.executable,
        "base_url": base_url,
        "key": "sk-bench",
        "home": str(box.home),
        "work": str(box.work),
        "model": spec.model,
        "dialect": dialect.name,
        **dialect.variables,
    }
    sandbox.seed(
        box, {Path(fill(path, variables)): fill(text, variables) for path, text in spec.files.items()}
    )
    env = sandbox.environment(box, os.environ, {k: fill(v, variables) for k, v in spec.env.items()})
    words = [fill(word, variables) for word in (*find_program(spec, {}).argv, *spec.terminal.args)]
    return Bare(spec, words, env, str(box.work))
