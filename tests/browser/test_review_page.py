"""The page of ``qa review --html`` in a real browser: what waits after the agent of a real run was changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.chromium import Browser, needed_program
from tests.browser.looks import scrolls_sideways, unreadable
from tests.browser.pages import NEW_NOTICE, NEW_WORDS, OLD_NOTICE, OLD_WORDS, UNUSED, review_page

NAMES = [
    "export-plan-loop/common/requests",
    "export-plan-loop/common/screen",
    "export-plan-loop/common/timeline",
    "export-plan-loop/common/transcript",
    "plain-answer/common/transcript",
]
REQUESTS, SCREEN, TIMELINE, TRANSCRIPT, NEW = NAMES
WIDE, PHONE = 1280, 400
MINUS = "\u2212"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    needed_program()
    return review_page(tmp_path_factory.mktemp("review"))


@pytest.fixture
def page(quiet: Browser, path: Path) -> Page:
    return quiet.show(path)


def change(page: Page, name: str) -> Locator:
    return page.locator("details").filter(has=page.get_by_role("heading", name=name, exact=True))


def color(locator: Locator) -> tuple[int, int, int]:
    """Red, green and blue of its ground."""
    value = locator.evaluate("element => getComputedStyle(element).backgroundColor")
    red, green, blue = map(int, re.findall(r"\d+", value)[:3])
    return red, green, blue


def test_the_headline_and_a_list_say_what_waits(page: Page) -> None:
    expect(page).to_have_title("5 changes to review")
    expect(page.get_by_role("heading", level=1)).to_have_text("5 changes to review")
    listed = [row.split("\t") for row in page.locator("nav tr").all_inner_texts()]
    assert [(name, state) for name, state, _ in listed] == [
        *((name, "changed") for name in NAMES[:4]),
        (NEW, "new"),
    ]
    sizes = {name: size for name, _, size in listed}
    assert (sizes[REQUESTS], sizes[TIMELINE], sizes[NEW]) == (f"{MINUS}1 +1", f"{MINUS}1 +1", "+5")
    assert page.locator("details h2").all_inner_texts() == NAMES
    expect(page.get_by_role("listitem").filter(has_text=UNUSED)).to_be_visible()


def test_each_change_names_its_origin_its_evidence_and_the_command_that_accepts_it(page: Page) -> None:
    about = change(page, TRANSCRIPT).locator(".about")
    expect(about).to_contain_text("from reference-openai-chat, step scenarios/export-plan-loop.yaml")
    expect(about).to_contain_text("evidence: .qa/runs/0002/export-plan-loop@reference-openai-chat")
    expect(about).to_contain_text(f"qa review --accept {TRANSCRIPT}")


@pytest.mark.parametrize("name", [REQUESTS, TRANSCRIPT])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_words_that_differ_stand_side_by_side_in_red_and_green(
    quiet: Browser, path: Path, name: str, *, dark: bool
) -> None:
    shown = change(quiet.show(path, dark=dark), name)
    old, new = shown.locator("del"), shown.locator("ins")
    expect(old).to_have_text(OLD_WORDS)
    expect(new).to_have_text(NEW_WORDS)
    (red, green, _), (other_red, other_green, _) = color(old), color(new)
    assert red - green > 40
    assert other_green - other_red > 40
    before, after = shown.locator("td.old").bounding_box(), shown.locator("td.new").bounding_box()
    assert before
    assert after
    assert (before["y"], before["x"] + before["width"]) == pytest.approx((after["y"], after["x"]), abs=1)


def test_a_later_stop_is_seen_in_the_timeline(page: Page) -> None:
    expect(change(page, TIMELINE).locator("del")).to_have_text("1,042")
    expect(change(page, TIMELINE).locator("ins")).to_have_text("1,494")


def test_screens_stand_beside_each_other_as_screens_with_marks_where_they_differ(page: Page) -> None:
    figures = change(page, SCREEN).locator("figure")
    assert figures.locator("figcaption").all_inner_texts() == ["before", "after"]
    before, after = (figures.nth(number).locator("pre") for number in (0, 1))
    expect(before.locator(".old").filter(has_text=OLD_NOTICE)).to_be_visible()
    expect(after.locator(".new").filter(has_text=NEW_NOTICE)).to_be_visible()
    left, right = figures.nth(0).bounding_box(), figures.nth(1).bounding_box()
    assert left
    assert right
    assert left["x"] + left["width"] <= right["x"]
    assert left["y"] == right["y"]
    rows = before.locator("span")
    heights = rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().height)")
    assert len(heights) > 10
    assert max(heights) - min(heights) < 1  # no row of a screen is wrapped
    same = before.locator("span:not(.old)").first
    assert color(before.locator(".old").first) != color(same)


def test_a_new_text_is_one_column_and_had_nothing_before(page: Page) -> None:
    new = change(page, NEW)
    assert next(cell for cell in new.locator("td").all_inner_texts() if cell) == "1 user"
    expect(new.locator("td:visible")).to_have_count(5)
    new.get_by_role("button", name="before").click()
    expect(new.get_by_text("there is none")).to_be_visible()


def test_before_and_after_are_shown_whole_by_mouse_and_by_keyboard(page: Page) -> None:
    shown = change(page, REQUESTS)
    whole = shown.get_by_text("You are a coding agent working in the folder [WORK]")
    expect(whole.locator("visible=true")).to_have_count(0)
    shown.get_by_role("button", name="after").click()
    expect(whole.locator("visible=true")).to_have_count(1)
    expect(shown.get_by_text(NEW_WORDS).locator("visible=true")).to_have_count(1)
    expect(shown.locator("table")).to_be_hidden()
    expect(shown.get_by_role("button", pressed=True)).to_have_text("after")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(shown.get_by_role("button", pressed=True)).to_have_text("before")
    expect(shown.get_by_text(OLD_WORDS).locator("visible=true")).to_have_count(1)
    expect(change(page, TRANSCRIPT).locator("table")).to_be_visible()


def test_a_change_folds_and_unfolds_by_keyboard_and_by_its_link(page: Page) -> None:
    shown = change(page, TIMELINE)
    table = shown.locator("table")
    expect(table).to_be_visible()
    shown.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(table).to_be_hidden()
    page.keyboard.press("Enter")
    expect(table).to_be_visible()
    shown.locator("summary").click()
    expect(table).to_be_hidden()
    page.get_by_role("link", name=TIMELINE).click()
    expect(table).to_be_visible()
    expect(shown).to_be_in_viewport()


@pytest.mark.parametrize("width", [WIDE, PHONE])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("view", ["diff", "before", "after"])
def test_everything_is_readable_and_nothing_is_wider_than_the_window(
    quiet: Browser, path: Path, *, width: int, dark: bool, view: str
) -> None:
    page = quiet.show(path, width=width, dark=dark)
    for button in page.get_by_role("button", name=view).all():
        button.click()
    assert unreadable(page) == []
    assert not scrolls_sideways(page)
    assert (sum(color(page.locator("body"))) < 3 * 64) is dark


def test_on_a_phone_old_and_new_stand_below_each_other_and_equal_lines_once(
    quiet: Browser, path: Path
) -> None:
    page = quiet.show(path, width=PHONE)
    shown = change(page, REQUESTS)
    before, after = shown.locator("td.old").bounding_box(), shown.locator("td.new").bounding_box()
    assert before
    assert after
    assert before["y"] + before["height"] <= after["y"] + 1
    assert min(before["width"], after["width"]) > 300
    expect(shown.get_by_text("</system-interrupt>").locator("visible=true")).to_have_count(1)
    for view in ("diff", "after"):
        change(page, SCREEN).get_by_role("button", name=view).click()
        screen = change(page, SCREEN).locator("pre:visible").first
        assert screen.evaluate("pre => pre.scrollWidth > pre.clientWidth")
