"""Draws docs/pictures: the pages that the tests open, and the same review on a terminal.

Run ``python -m tests.browser.pictures`` after a page has changed its looks.

A page has few colours, so a palette of them is enough and takes little room.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from pathlib import Path

import pexpect
from PIL import Image

from harness.snapshots.view import KEYS
from harness.terminal.ghostty import GhosttyScreen
from harness.terminal.svg import render_svg
from tests.browser.chromium import CURE, Browser, chromium_program, running_chromium
from tests.browser.pages import ROOT, SURVEY_PAGE, review_page

FOLDER = ROOT / "docs" / "pictures"
SIZE = 1280, 960
SURVEY_SIZE = 1840, 930  # as wide as the table of all agents
SCREEN = 17, 120


def draw(browser: Browser, page: Path, size: tuple[int, int]) -> bytes:
    """The upper part of a page as PNG."""
    width, height = size
    shown = browser.show(page, width=width, height=height)
    with Image.open(io.BytesIO(shown.screenshot())) as picture:
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    written = io.BytesIO()
    small.save(written, "PNG", optimize=True)
    return written.getvalue()


def draw_terminal(folder: Path) -> bytes:
    """``qa review`` in a folder as SVG, at its first change."""
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "xterm-256color"}
    words = ["-m", "harness.cli", "review"]
    child = pexpect.spawn(
        sys.executable, words, cwd=str(folder), env=env, dimensions=SCREEN, encoding="utf-8"
    )
    child.expect_exact(KEYS)
    shown = f"{child.before}{KEYS}"
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    rows, columns = SCREEN
    screen = GhosttyScreen(columns, rows)
    screen.feed(shown)
    return render_svg(screen.picture()).encode()


def main() -> None:
    """Write all pictures."""
    program = chromium_program() or sys.exit(CURE)
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        with running_chromium(program) as browser:
            drawn = {
                "review.png": draw(browser, review_page(Path(folder)), SIZE),
                "survey.png": draw(browser, SURVEY_PAGE, SURVEY_SIZE),
            }
        drawn["review-terminal.svg"] = draw_terminal(Path(folder))
    for name, data in drawn.items():
        (FOLDER / name).write_bytes(data)
        print(f"docs/pictures/{name}: {len(data):,} bytes")  # noqa: T201 - a program for people


if __name__ == "__main__":
    main()
