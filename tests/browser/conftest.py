"""A browser for the tests of one file: its driver holds an event loop, beside which other tests cannot have one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import Browser, needed_program, running_chromium

expect.set_options(timeout=30_000)  # what is expected comes at once, also on a machine that is busy


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_chromium(needed_program()) as browser:
        yield browser


@pytest.fixture
def quiet(browser: Browser) -> Iterator[Browser]:
    """The browser, for a test at whose end the page has neither complained nor asked for anything elsewhere."""
    browser.watch.forget()
    yield browser
    assert browser.watch.complaints == []
    assert browser.watch.left == []
