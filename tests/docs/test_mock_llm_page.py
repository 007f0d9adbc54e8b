"""Every block of docs/mock-llm.md is run, as a reader would.

A YAML or Python block is a file, named in its first line. A shell block that serves runs until its section ends;
any other has to succeed, and to print what the text block behind it shows.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from mock_llm.cli import COMMANDS, main
from mock_llm.control import ROUTES
from tests.mock_llm.command import LIMIT_S

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "mock-llm.md").read_text(encoding="utf-8")
BIN = Path(sys.executable).parent
PORTS = ("8765", "8766")
SERVING = re.compile(r"^mock-llm (?:serve|say|record) ")


class Block(NamedTuple):
    language: str
    text: str
    shown: str | None  # the text block behind it


def blocks(section: str) -> list[Block]:
    found = re.findall(r"^```(\w+)\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    behind = [*found[1:], ("", "")]
    return [
        Block(language, text, after[1] if after[0] == "text" else None)
        for (language, text), after in zip(found, behind, strict=True)
        if language != "text"
    ]


SECTIONS = [part for part in re.split(r"^## ", PAGE, flags=re.MULTILINE) if "```" in part]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file that the page writes, so that each section can be run on its own."""
    folder = tmp_path_factory.mktemp("page")
    for block in blocks(PAGE):
        if block.language in ("yaml", "python"):
            name, _, text = block.text.partition("\n")
            (folder / name.removeprefix("# ")).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def ports() -> dict[str, str]:
    """A free port in place of each that the page names."""
    with contextlib.ExitStack() as stack:
        free = [stack.enter_context(socket.socket()) for _ in PORTS]
        for each in free:
            each.bind(("127.0.0.1", 0))
        return {port: str(each.getsockname()[1]) for port, each in zip(PORTS, free, strict=True)}


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{BIN}:/usr/bin:/bin", "PYTHONPATH": str(ROOT), "PYTEST_PLUGINS": PLUGIN}


PLUGIN = "mock_llm.pytest_fixture"


@contextlib.contextmanager
def served(command: str, folder: Path) -> Iterator[None]:
    process = subprocess.Popen(
        ["bash", "-c", f"exec {command}"], cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        said = []
        for line in process.stdout:
            said.append(line)
            if "Ctrl-C stops it" in line:
                break
        else:
            raise AssertionError(f"{command} ended:\n{''.join(said)}")
        yield
    finally:
        process.terminate()
        process.wait(timeout=LIMIT_S)
        process.stdout.close()


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: str(section).splitlines()[0])
def test_the_blocks_of_the_section_do_what_the_page_says(
    section: str, folder: Path, ports: dict[str, str]
) -> None:
    for port, free in ports.items():
        section = section.replace(port, free)
    with contextlib.ExitStack() as running:
        for block in blocks(section):
            if block.language in ("yaml", "python"):
                continue
            if SERVING.match(block.text):
                running.enter_context(served(block.text.strip(), folder))
            else:
                check(block, folder)


def check(block: Block, folder: Path) -> None:
    assert block.language == "sh"
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", block.text],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if block.shown is not None:
        assert done.stdout == block.shown


def test_every_command_and_every_route_stands_on_the_page() -> None:
    text = PAGE.replace("\\|", "|")

    assert [name for name in COMMANDS if f"mock-llm {name}" not in text] == []
    assert [route for route in ROUTES if f"`{route}`" not in text] == []


def test_every_option_on_the_page_exists() -> None:
    named = set(re.findall(r"(--[a-z][a-z-]+)", re.sub(r"```python.*?```", "", PAGE, flags=re.DOTALL)))
    helps = "".join(CliRunner().invoke(main, [name, "--help"]).output for name in COMMANDS)

    assert [option for option in sorted(named) if option not in helps] == []
