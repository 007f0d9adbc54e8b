"""docs/calibrate.md: its example gives what it shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "calibrate.md").read_text(encoding="utf-8")
((COMMAND, SHOWN),) = re.findall(
    r"^```console\n\$ (for [^\n]*)\n```\n\n```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE
)


def printed(folder: Path) -> str:
    """What the example prints, the seconds that it took aside."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONUTF8": "1"}
    done = subprocess.run(COMMAND, shell=True, cwd=folder, env=environ, capture_output=True, check=True)
    return re.sub(r"[\d.]+ s;", "0.1 s;", done.stdout.decode())


def test_the_example_prints_what_is_shown(tmp_path: Path) -> None:
    assert printed(tmp_path) == SHOWN
