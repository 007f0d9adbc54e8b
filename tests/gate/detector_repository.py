"""A small repository of a detector, as a team that uses qa has one: its agent, its guard, its scenarios, its gate."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from harness.agents.locate import DESCRIPTIONS

AGENT = """\
\"\"\"Our agent: the threshold of its guard and what it tells the model are files beside it.\"\"\"
import sys
from pathlib import Path

from harness.refagent import remedies

HERE = Path(__file__).parent
remedies.interrupt_text = (HERE / "interrupt.txt").read_text().format

from harness.refagent.__main__ import main

sys.argv[1:1] = ["--guard-profile", str(HERE / "guard.yaml")]
sys.exit(main())
"""
GUARD = """\
profile: ours
mechanisms:
  near-duplicate-paragraphs:
    min_echoes: 8
"""
INTERRUPT = """\
<system-interrupt rule="{0}">
You repeat yourself. Do not take it up again.
</system-interrupt>
"""
PLAN = """\
scenario: {name}
summary: {summary}
tags: [ours]
model:
  - say:
      paraphrase:
        paragraphs: {paragraphs}
        openers:
          - "Before I change anything in the whole billing module I want to look once more at how the invoice totals are rounded and stored,"
          - "Let me return to the failing export test and read its fixture once again, since the expected amounts might come from an older run,"
          - "It makes sense to open the migration script next and compare each of its columns with the schema that production is using today,"
        endings:
          - "because a single cent can vanish there."
          - "which would explain the loss."
          - "before I trust its new output."
          - "so that no rounding step is skipped."
          - "and note what I found there."
          - "given the two recent releases."
          - "for the refund path does the same."
          - "then I can decide what to do."
          - "as the report was wrong on Friday."
          - "since customers saw odd sums."
          - "while the numbers are still fresh."
          - "and only afterwards edit a file."
          - "even though my linter is happy."
          - "to be sure about the currency."
          - "just in case a default changed."
    stream: {{deltas: 60, every_ms: 3}}
  - say: "RECOVERED {{nonce}}"
prompt: "Say why the totals differ, then RECOVERED {{nonce}}."
steps:
  - abort: {{reply: 1, mechanism: near-duplicate-paragraphs}}
  - recovery: {{contains: "RECOVERED {{nonce}}"}}
{more}control: {{disable: [collapse-repetition], must_fail: [abort, recovery{also}]}}
"""
WORD_FOR_WORD = """\
scenario: word-for-word
summary: the same paragraphs come eight times
tags: [ours]
model:
  - say: {paragraph-loop: {cycles: 8}}
  - say: "RECOVERED {nonce}"
prompt: "p {nonce}"
steps:
  - abort: {reply: 1, mechanism: paragraph-repeat}
control: {disable: [collapse-repetition], must_fail: [abort]}
"""
CALM = """\
scenario: calm
summary: ordinary prose arrives whole
tags: [ours]
model:
  - say: {prose: {paragraphs: 6}}
prompt: "p {nonce}"
steps:
  - silent: all
control:
  model:
    - say: {paragraph-loop: {cycles: 8}}
    - say: "fine"
  must_fail: [silent]
"""
GATE = """\
# The gate of our detector.
tags: [ours]
agents: [qa/our-agent.yaml]
detector: [agent/**]
"""


class Ended(NamedTuple):
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Repository:
    """A checkout, and commands in it as a person or a CI gives them: by default nobody sits there."""

    folder: Path
    home: Path

    @property
    def env(self) -> dict[str, str]:
        keep = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return {**keep, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", "CI": "1"}

    def qa(self, *words: str, **env: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "harness.cli", *words],
            cwd=self.folder,
            env={**self.env, **env},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=240,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        command = ["git", *who, "-c", "init.defaultBranch=main", *words]
        done = subprocess.run(
            command, cwd=self.folder, env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def commit(self, message: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def write(self, file: str, text: str) -> None:
        path = self.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def edit(self, file: str, old: str, new: str) -> None:
        """Change the one place in a file that reads so."""
        text = (self.folder / file).read_text()
        assert text.count(old) == 1, f"{file} has {text.count(old)} times {old!r}"
        (self.folder / file).write_text(text.replace(old, new))

    def clone(self, folder: Path) -> Repository:
        self.git("clone", "-q", str(self.folder), str(folder))
        return Repository(folder, self.home)


def made_in(folder: Path) -> Repository:
    """The repository with everything reviewed, accepted and committed."""
    home = folder / "home"
    home.mkdir()
    repository = Repository(folder / "origin", home)
    repository.folder.mkdir()
    text = (DESCRIPTIONS / "reference.yaml").read_text().replace("agent: reference", "agent: our-agent")
    text = text.replace('["{python}", -m, harness.refagent]', '["{python}", "{here}/../agent/agent.py"]')
    plan = {"more": "  - snapshot: [transcript, requests, timeline]\n", "also": ", snapshot"}
    long = PLAN.format(name="plan-loop", summary="one plan in ever new words", paragraphs=15, **plan)
    short = PLAN.format(
        name="short-plan-loop", summary="the same, nine echoes long", paragraphs=12, more="", also=""
    )
    files = {
        "agent/agent.py": AGENT,
        "agent/guard.yaml": GUARD,
        "agent/interrupt.txt": INTERRUPT,
        "qa/our-agent.yaml": text,
        "scenarios/plan-loop.yaml": long,
        "scenarios/short-plan-loop.yaml": short,
        "scenarios/word-for-word.yaml": WORD_FOR_WORD,
        "scenarios/calm.yaml": CALM,
        "gate.yaml": GATE,
        ".gitignore": ".qa/\nreports/\n__pycache__/\n",
    }
    for file, content in files.items():
        repository.write(file, content)
    repository.git("init", "-q")
    first = repository.qa("run", "plan-loop", "--agent", "qa/our-agent.yaml", "--update", CI="")
    assert "transcript is missing" in first.out, first.out + first.err
    assert repository.qa("review", "--accept", "plan-loop").code == 0
    accepted = repository.qa("gate", "--accept", "first baseline")
    assert accepted.code == 0, accepted.out + accepted.err
    repository.commit("a detector and its gate")
    return repository
