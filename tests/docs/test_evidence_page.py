"""docs/evidence.md names what a run leaves: all of it, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "evidence.md"
QA = Path(sys.executable).with_name("qa")


def test_it_names_every_file_of_a_run_and_no_other(tmp_path: Path) -> None:
    named = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    run = [str(QA), "run", "ttsr-paragraph-loop", "--runs", str(tmp_path / "runs")]
    subprocess.run(run, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    folder = tmp_path / "runs" / "0001" / "ttsr-paragraph-loop@reference-openai-chat"
    assert {path.name for path in folder.iterdir()} == {name.split("/")[0] for name in named}
    for name in named:
        assert (folder / name).exists(), name
