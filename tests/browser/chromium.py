"""A real Chromium without a window, and a watch over what a page does in it.

Playwright starts it without its sandbox, which root has to do without; the pages are our own.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
CURE = "no chromium on PATH; on Debian and Ubuntu: apt-get install -y --no-install-recommends chromium"
NO_NAMES = "--host-resolver-rules=MAP * ~NOTFOUND"
_LOCAL_SCHEMES = ("about", "blob", "data", "file")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
_LOUD = ("error", "warning", "assert")


def chromium_program() -> str | None:
    """The browser of this machine."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def needed_program() -> str:
    """The browser; without one the test is skipped, and in CI it fails."""
    found = chromium_program()
    if found is None:
        assert not os.environ.get("CI"), CURE
        pytest.skip(CURE)
    return found


class Watch:
    """Collects what no page of ours may do: complain in the console, or ask for anything off this machine.

    A web socket to a name that is not resolved is no request, but a complaint.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.requested: list[str] = []
        self.complaints: list[str] = []
        context.on("request", self._request)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.complaints.append(f"error: {error.error}"))

    @property
    def left(self) -> list[str]:
        """The addresses that are not of this machine."""
        return [url for url in self.requested if not is_local(url)]

    def forget(self) -> None:
        """Begin anew, for the next page."""
        self.requested.clear()
        self.complaints.clear()

    def _request(self, request: Request) -> None:
        self.requested.append(request.url)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in _LOUD:
            self.complaints.append(f"{message.type}: {message.text}")


def is_local(url: str) -> bool:
    """Whether an address is a file, carries its content itself, or is on the loopback."""
    parts = urlsplit(url)
    return parts.scheme in _LOCAL_SCHEMES or parts.hostname in _LOOPBACK


class Browser:
    """One page of a running Chromium, at a width and in a scheme, and the watch over it."""

    def __init__(self, context: BrowserContext) -> None:
        self.watch = Watch(context)
        self.page = context.pages[0]

    def show(self, path: Path, *, width: int = 1280, height: int = 900, dark: bool = False) -> Page:
        """Open a file afresh."""
        self.page.goto("about:blank")
        self.watch.forget()
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme="dark" if dark else "light")
        self.page.goto(path.as_uri(), wait_until="load")
        self.page.evaluate(_PAINTED)
        return self.page


@contextmanager
def running_chromium(program: str) -> Iterator[Browser]:
    """A browser that keeps all it writes in a folder of its own, which goes when it has ended.

    The folder's path is short, since the browser puts a socket into it.
    """
    with (
        tempfile.TemporaryDirectory(prefix="qa-browser-") as folder,
        _temporary_files_in(folder),
        sync_playwright() as playwright,
    ):
        context = playwright.chromium.launch_persistent_context(
            f"{folder}/profile",
            executable_path=program,
            args=[NO_NAMES],
            env={"PATH": os.environ["PATH"], "HOME": folder, "TMPDIR": folder},
        )
        try:
            yield Browser(context)
        finally:
            context.close()


@contextmanager
def _temporary_files_in(folder: str) -> Iterator[None]:
    """For the driver, which takes its environment from this process."""
    before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = folder
    try:
        yield
    finally:
        os.environ.pop("TMPDIR")
        if before is not None:
            os.environ["TMPDIR"] = before
