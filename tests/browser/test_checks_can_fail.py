"""What is asserted of the pages can fail: pages with each fault, seen by the same checks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Error

from tests.browser.chromium import CURE, Browser, is_local, needed_program
from tests.browser.looks import scrolls_sideways, unreadable

POLICY = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:">"""
Opens = Callable[[str], None]


@pytest.fixture
def opens(browser: Browser, tmp_path: Path) -> Opens:
    def show(body: str) -> None:
        path = tmp_path / "page.html"
        path.write_text(f'<!doctype html><link rel="icon" href="data:,">{body}')
        browser.show(path, width=400)

    return show


def test_a_plain_page_passes_all_checks(browser: Browser, opens: Opens) -> None:
    opens("<p>Good morning.</p>")
    assert [url.rpartition("/")[2] for url in browser.watch.requested if url.startswith("file:")] == [
        "page.html"
    ]
    assert (browser.watch.complaints, browser.watch.left) == ([], [])
    assert unreadable(browser.page) == []
    assert not scrolls_sideways(browser.page)


@pytest.mark.parametrize(
    "body",
    [
        '<img src="http://pictures.example/a.png">',
        '<link rel="stylesheet" href="https://styles.example/a.css">',
        "<style>@font-face { font-family: f; src: url(http://fonts.example/f); } p { font-family: f; }</style><p>a",
        "<script>fetch('http://data.example/').catch(() => 0)</script>",
        '<iframe src="http://192.0.2.1/"></iframe>',
    ],
    ids=["picture", "style", "font", "fetch", "frame"],
)
def test_a_request_that_leaves_the_machine_is_seen(browser: Browser, opens: Opens, body: str) -> None:
    opens(body)
    assert len(browser.watch.left) == 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<script>console.error('this is wrong')</script>", "error: this is wrong"),
        ("<script>console.warn('this is odd')</script>", "warning: this is odd"),
        ("<script>nowhere()</script>", "nowhere is not defined"),
        ('<img src="missing.png">', "ERR_FILE_NOT_FOUND"),
        (
            f'{POLICY}<img src="http://pictures.example/a.png">',
            "Content Security Policy",
        ),
    ],
    ids=["console", "warning", "error", "file", "policy"],
)
def test_a_complaint_of_the_page_is_seen(browser: Browser, opens: Opens, body: str, words: str) -> None:
    opens(body)
    assert [words in complaint for complaint in browser.watch.complaints] == [True]


def test_a_web_socket_that_leaves_the_machine_is_seen(browser: Browser, opens: Opens) -> None:
    with browser.page.expect_console_message():
        opens("<script>new WebSocket('ws://talk.example/')</script>")
    (complaint,) = browser.watch.complaints
    assert "ws://talk.example/" in complaint


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ('<p style="color: #999">faint', "'faint': contrast 2.85"),
        ('<div style="background: #222"><p style="color: #0008">dark', "'dark': contrast 1."),
        ('<p style="font-size: 9px">small', "'small': 9 px"),
    ],
)
def test_a_text_that_is_hard_to_read_is_found(browser: Browser, opens: Opens, body: str, fault: str) -> None:
    opens(body)
    (found,) = unreadable(browser.page)
    assert found.startswith(fault)


def test_a_page_wider_than_its_window_is_found_and_one_with_a_wide_box_is_not(
    browser: Browser, opens: Opens
) -> None:
    wide = '<pre style="width: 700px">wide</pre>'
    opens(wide)
    assert scrolls_sideways(browser.page)
    opens(f'<div style="overflow-x: auto">{wide}</div>')
    assert not scrolls_sideways(browser.page)


@pytest.mark.parametrize("host", ["pictures.example", "localhost", "192.0.2.1"])
def test_no_name_and_no_address_is_reached(browser: Browser, host: str) -> None:
    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        browser.page.goto(f"http://{host}:8080/")


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("file:///a.html", True),
        ("data:,", True),
        ("http://127.0.0.1:80/", True),
        ("http://[::1]/", True),
        ("http://127.0.0.1.example/", False),
        ("https://192.0.2.1/", False),
        ("ws://talk.example/", False),
    ],
)
def test_what_is_of_this_machine(url: str, *, local: bool) -> None:
    assert is_local(url) is local


def test_without_a_browser_the_test_is_skipped_with_the_cure_and_in_ci_it_fails(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt-get install"):
        needed_program()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(AssertionError, match=CURE):
        needed_program()
