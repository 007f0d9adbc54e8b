"""A browser that was started for a test leaves no process and no file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import psutil

from tests.browser.chromium import needed_program, running_chromium
from tests.dying import dies


def test_all_processes_end_and_all_files_go() -> None:
    program, mine = needed_program(), psutil.Process()
    children, environ = set(mine.children(recursive=True)), dict(os.environ)
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="qa-") as folder:
        tempfile.tempdir, before = folder, tempfile.tempdir
        try:
            with running_chromium(program) as browser:
                browser.page.goto("about:blank")
                started = set(mine.children(recursive=True)) - children
                assert len(started) > 2
                assert len(list(Path(folder).iterdir())) == 1
        finally:
            tempfile.tempdir = before
        assert list(Path(folder).iterdir()) == []
    assert [process for process in started if not dies(process.pid)] == []
    assert dict(os.environ) == environ
