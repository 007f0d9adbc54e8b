"""The ready types are those that pyghostty would make itself, and are only used where they fit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness.terminal import ghostty_types
from harness.terminal.ghostty_library import made_from
from tests.terminal.make_ghostty_types import package

FITS = made_from(package()) == ghostty_types.MADE_FROM
LIBRARY = next(path for path in (package() / "_lib").iterdir() if path.stem == "libghostty-vt")
ROOT = Path(__file__).parents[2]

# Everything that a screen is asked for, whichever way the library was loaded.
ASK = r"""
import sys
from harness.terminal.ghostty_library import load_types
load_types()
from harness.terminal.ghostty import GhosttyScreen
from harness.terminal.svg import render_svg
screen = GhosttyScreen(30, 4)
screen.feed("\x1b]2;title\x07one \x1b[1;38;2;1;2;3mtwo\x1b[0m \x1b[41mred\x1b[0m \U0001F468‍\U0001F469‍\U0001F467 \x1b[?2004h" + "x\r\n" * 9)
screen.resize(20, 3)
print(ascii((screen.picture(), screen.rows, screen.text, screen.whole_text, screen.scrollback, screen.title)))
print(ascii((screen.mode(2004), screen.mode(1), screen.mode(31999), screen.colour(3), screen.colour("cursor"))))
print(ascii(render_svg(screen.picture())))
print("pycparser" in sys.modules, file=sys.stderr)
"""


def asked(**environ: str) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        env={**os.environ, **environ},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr.strip()


@pytest.mark.skipif(
    not FITS, reason="made from another pyghostty: python -m tests.terminal.make_ghostty_types"
)
def test_a_screen_is_the_same_with_the_ready_types_and_nothing_is_parsed() -> None:
    slow, was_parsed = asked(PYGHOSTTY_LIB=str(LIBRARY))
    quick, is_parsed = asked()
    assert quick == slow
    assert (was_parsed, is_parsed) == ("True", "False")


def test_types_of_another_version_are_not_used(tmp_path: Path) -> None:
    for name in ("_cdef.py", "_ffi.py"):
        (tmp_path / name).write_bytes((package() / name).read_bytes() + b"\n")
    assert made_from(tmp_path) != ghostty_types.MADE_FROM
