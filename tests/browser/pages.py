"""The pages that are opened in a browser, made by real commands: a review of real runs, and surveys.

The reviewed change is one that a maintainer makes: the guard waits for one more repeat, its interrupt has other
words, and its notice on the screen too.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from harness.agents.locate import DESCRIPTIONS
from harness.lab.survey import Survey, parse_survey
from tests.e2e.qa_command import Qa

ROOT = Path(__file__).parents[2]
SURVEY_DATA = ROOT / "docs" / "survey-results.json"
SURVEY_PAGE = ROOT / "docs" / "survey-results.html"

OLD_WORDS, NEW_WORDS = "Do not take it up again", "Leave it alone"
OLD_NOTICE, NEW_NOTICE = "output interrupted at", "reply cut off at"
UNUSED = "export-plan-loop/common/session.txt"

_LOOP = """
scenario: export-plan-loop
summary: the same plan comes again and again
mode: terminal
model:
  - say: {paragraph-loop: {cycles: 8}}
    stream: {deltas: 60, every_ms: 3}
  - say: "RECOVERED {nonce}"
prompt: "Plan the export, then say RECOVERED {nonce}."
steps:
  - resize: {columns: 80, rows: 30}
  - type: "{prompt}"
  - wait_for: {answered: true}
  - snapshot: [transcript, requests, screen, timeline]
"""
_PLAIN = """
scenario: plain-answer
summary: a short answer
model:
  - say: "The harbour is quiet. DONE {nonce}"
prompt: "Speak, and end with DONE {nonce}."
steps:
  - snapshot: [transcript]
"""
_CHANGED_AGENT = f"""
import sys
from harness.refagent import remedies

remedies._COLLAPSED = remedies._COLLAPSED.replace({OLD_WORDS!r}, {NEW_WORDS!r})
notice = remedies.Remedy.notice
remedies.Remedy.notice = lambda *given: notice(*given).replace({OLD_NOTICE!r}, {NEW_NOTICE!r})
from harness.refagent.__main__ import main

sys.exit(main())
"""
_PROFILE = (
    "profile: slower\nmechanisms:\n  paragraph-repeat:\n    min_repeats: {value: 4, source: a change}\n"
)


def review_page(folder: Path) -> Path:
    """Run, accept, change the agent, run again, and write the page of what waits then.

    Four changes are of the loop: its transcript, requests, screen and timeline. One snapshot is new, one unused.
    """
    qa = Qa(folder)
    _write(folder, "export-plan-loop", _LOOP)
    first = qa("run", "export-plan-loop", "--update", CI="")
    assert first.code == 1, first.out + first.err
    accepted = qa("review", "--accept", "export-plan-loop")
    assert accepted.code == 0, accepted.err
    _write(folder, "plain-answer", _PLAIN)
    shutil.copy(_snapshots(folder) / "timeline.txt", _snapshots(folder) / "session.txt")
    agent = _changed_agent(folder)
    second = qa("run", "export-plan-loop", "plain-answer", "--update", "--agent", str(agent), CI="")
    assert second.code == 1, second.out + second.err
    written = qa("review", "--html", "review.html")
    assert written.code == 0, written.err
    return folder / "review.html"


def _write(folder: Path, name: str, text: str) -> None:
    path = folder / "scenarios" / f"{name}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.lstrip())


def _snapshots(folder: Path) -> Path:
    return folder / "scenarios" / "__snapshots__" / "export-plan-loop" / "common"


def _changed_agent(folder: Path) -> Path:
    program, profile, path = folder / "agent.py", folder / "guard.yaml", folder / "reference.yaml"
    program.write_text(_CHANGED_AGENT)
    profile.write_text(_PROFILE)
    text = (DESCRIPTIONS / "reference.yaml").read_text(encoding="utf-8")
    command = f'["{{python}}", "{program}", --guard-profile, "{profile}"]'
    path.write_text(text.replace('["{python}", -m, harness.refagent]', command))
    return path


def committed_survey() -> Survey:
    """What was measured for docs/survey-results.md."""
    return parse_survey(SURVEY_DATA.read_text(encoding="utf-8"))
