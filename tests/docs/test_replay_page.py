"""docs/replay.md: its examples give what it shows, its detector works in Node, its options and readers are all there are."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from harness.commands.replay import replay
from harness.detectors.finding import Finding
from harness.lab.capture import PLAIN_READERS

PAGE = (Path(__file__).parents[2] / "docs" / "replay.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```js\n// ([^\s:]+)[^\n]*\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
EXAMPLES = re.findall(
    r"^```console\n\$ (printf [^\n]*)\n```\n\n```text\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE
)


def shell(command: str, folder: Path) -> str:
    """What a command prints in a terminal of 100 columns."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONUTF8": "1"}
    done = subprocess.run(command, shell=True, cwd=folder, env=environ, capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout.decode()


@pytest.mark.parametrize(("command", "shown"), EXAMPLES, ids=[command[-30:] for command, _ in EXAMPLES])
def test_an_example_prints_what_is_shown(command: str, shown: str, tmp_path: Path) -> None:
    if "node" in command and not shutil.which("node"):
        pytest.skip("there is no Node.js here")
    for name, source in PROGRAMS:
        (tmp_path / name).write_text(source, encoding="utf-8")
    assert shell(command, tmp_path) == shown


def test_there_is_an_example_of_each_kind_and_both_programs() -> None:
    assert [("--detector" in command) for command, _ in EXAMPLES] == [False, True]
    assert [name for name, _ in PROGRAMS] == ["qa-shim.mjs", "my-detector.mjs"]


@pytest.mark.skipif(not shutil.which("node"), reason="there is no Node.js here")
def test_what_a_detector_in_node_prints_does_not_disturb(tmp_path: Path) -> None:
    for name, source in PROGRAMS:
        (tmp_path / name).write_text(
            source.replace("feed(delta) {", 'feed(delta) {\n      console.log("hm");')
        )
    (tmp_path / "calm.txt").write_text("All is well.\n" * 3)
    printed = shell("qa replay calm.txt --json --detector 'node qa-shim.mjs my-detector.mjs'", tmp_path)
    (reply,) = json.loads(printed)["files"][0]["replies"]
    assert reply["detector"]["finding"]["fired_at"] == 39
    assert reply["detector"]["differences"] == ["verdict"]


def test_every_option_is_on_the_page() -> None:
    options = [
        o for parameter in replay.params if isinstance(parameter, click.Option) for o in parameter.opts
    ]
    assert [option for option in options if f"`{option}" not in PAGE] == []


def test_every_plain_reader_and_every_figure_of_a_finding_is_on_the_page() -> None:
    assert [name for name in (*PLAIN_READERS, *Finding._fields) if f"`{name}`" not in PAGE] == []
