"""The real command in a process of its own, in an empty folder with a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.containment import processes


@dataclass(frozen=True)
class Ended:
    """How a command ended, and the evidence of its last run."""

    code: int
    out: str
    err: str
    runs: Path

    def results(self) -> dict[str, dict[str, Any]]:
        """The result of each scenario of the last run, by the name of its folder."""
        last = max(self.runs.iterdir())
        return {f.parent.name: json.loads(f.read_text()) for f in sorted(last.glob("*/result.json"))}

    def observed(self, folder: str, step: str) -> str:
        """The figure of one step."""
        return next(str(s["observed"]) for s in self.results()[folder]["steps"] if s["label"] == step)

    def failing(self, folder: str) -> list[str]:
        """The labels of the steps that failed."""
        return [s["label"] for s in self.results()[folder]["steps"] if s["verdict"] == "failed"]


class Qa:
    """Runs ``qa`` in its own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "user-home"
        self.home.mkdir()
        keep = {
            k: os.environ[k] for k in ("PATH", "LANG", "XDG_CACHE_HOME", "TTSR_QA_CACHE") if k in os.environ
        }
        keep.setdefault("XDG_CACHE_HOME", str(Path.home() / ".cache"))
        self.env = {**keep, "HOME": str(self.home), "OPENAI_API_KEY": "sk-live-of-the-user", "CI": "1"}

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "harness.entry", *words]

    def __call__(self, *words: str, **env: str) -> Ended:
        done = subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr, self.folder / ".qa" / "runs")

    def scenario(self, name: str, text: str) -> Path:
        """Write a scenario file into the folder's own scenarios."""
        path = self.folder / "scenarios" / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"scenario: {name}\nsummary: made by a test\n{text}")
        return path

    def agent(self, program: str) -> str:
        """Describe the reference agent started by another program; give the description's path."""
        from harness.agents.locate import DESCRIPTIONS

        script = self.folder / "agent.py"
        script.write_text(program)
        text = (DESCRIPTIONS / "reference.yaml").read_text()
        text = text.replace('["{python}", -m, harness.refagent]', f'["{{python}}", "{script}"]')
        path = self.folder / "mine.yaml"
        path.write_text(text.replace("agent: reference", "agent: mine"))
        return str(path)


def token_of(pid: int) -> str:
    """The run token of a process."""
    environ = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    name = processes.TOKEN_VARIABLE.encode() + b"="
    return next(entry[len(name) :].decode() for entry in environ if entry.startswith(name))
