"""The heat map of a survey in a real browser: the committed one, and one with every outcome and hostile texts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from harness.lab.survey import OUTCOMES, Cell, Column, Row, Survey
from harness.lab.survey_html import render_html
from tests.browser.chromium import Browser
from tests.browser.looks import scrolls_sideways, unreadable
from tests.browser.pages import SURVEY_PAGE, committed_survey

EVIL = '<script>console.error("ran")</script><img src="http://pictures.example/a.png" onerror="fetch(\'//x.example\')">'
GUARDED, BARE = (
    Column("guarded", "1.2.3", "openai-chat", "one-shot"),
    Column("b:on=x", "2", "gemini", "terminal"),
)
EARLY, LATE = Row("early", "loop", "text", "a loop"), Row("late", "loop", "thinking", "another loop")
PROSE, LIST = Row("prose", "healthy", "text", "twelve paragraphs"), Row("list", "healthy", "text", EVIL)
MADE = Survey(
    "2026-11-30",
    (GUARDED, BARE),
    (EARLY, PROSE, LATE, LIST),
    (
        Cell(
            "guarded", "early", "stopped", 400, 4000, words=EVIL, sides=("wire: client hung up", "session: x")
        ),
        Cell("guarded", "late", "stopped", 3600, 4000, seconds=2.5),
        Cell("guarded", "prose", "interrupted", 80, 900, words="Loop detected"),
        Cell("guarded", "list", "left-alone"),
        Cell("b:on=x", "early", "never", of=4000),
        Cell("b:on=x", "late", "told", 5, 14, "calls"),
        Cell("b:on=x", "prose", "error", problem="no program\nsecond line"),
    ),
)
SENTENCES = {
    ("guarded", "early"): "stopped at 400 of 4,000",
    ("guarded", "late"): "stopped at 3,600 of 4,000",
    ("guarded", "prose"): "interrupted a healthy answer at 80 of 900",
    ("guarded", "list"): "left alone",
    ("b:on=x", "early"): "never",
    ("b:on=x", "late"): "told the model at call 5 of 14, stopped nothing",
    ("b:on=x", "prose"): "error: no program",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("survey") / "survey.html"
    path.write_text(render_html(MADE), encoding="utf-8")
    return path


def cell(page: Page, agent: str, scenario: str) -> Locator:
    return page.get_by_role("button", name=f"{agent}, {scenario}: ")


def ground(locator: Locator) -> str:
    return str(locator.evaluate("element => getComputedStyle(element).backgroundColor"))


def test_the_committed_page_shows_each_finding_in_its_row_and_column(quiet: Browser) -> None:
    survey = committed_survey()
    page = quiet.show(SURVEY_PAGE)
    expect(page.get_by_role("heading", level=1)).to_have_text("Where each agent stops each loop")
    expect(page.locator(".lead").first).to_contain_text(f"Measured on {survey.date}")
    rows = page.locator("tbody tr:not(.group)")
    found = [(row.locator("th").inner_text().split("\n")[0], row.locator("td").all()) for row in rows.all()]
    assert [name for name, _ in found] == [row.name for row in survey.rows]
    for name, cells in found:
        wanted = [survey.cell(column.label, name) for column in survey.columns]
        assert [c.get_attribute("class") for c in cells] == [w.outcome if w else "none" for w in wanted]
        figures = [f"{w.at:,}" if w and w.at is not None else "" for w in wanted]
        assert all(figure in c.inner_text() for figure, c in zip(figures, cells, strict=True))
    heads = [head.split("\n")[-1] for head in page.locator("thead th").all_inner_texts()]
    assert heads == ["scenario", *(column.version for column in survey.columns)]
    measured = [survey.cell(column.label, name) for column in survey.columns for name, _ in found]
    buttons = page.get_by_role("table").get_by_role("button").count()
    assert len(measured) - measured.count(None) == buttons == 194


def test_the_legend_counts_what_the_map_shows_in_its_colours(quiet: Browser) -> None:
    page = quiet.show(SURVEY_PAGE)
    told = {}
    for entry in page.locator(".legend li").all():
        outcome = str(entry.locator(".swatch").get_attribute("class")).split()[-1]
        cells = page.locator(f"td.{outcome}")
        told[outcome] = int(entry.locator("b").inner_text())
        expect(cells).to_have_count(told[outcome])
        if outcome != "stopped":
            assert set(map(ground, cells.all())) == {ground(entry.locator(".swatch"))}
    assert told == dict(committed_survey().counts())
    assert set(told) == {"stopped", "told", "never", "left-alone"}


def test_each_agent_has_its_sums(quiet: Browser, made: Path) -> None:
    page = quiet.show(made)
    assert page.locator("tr.group").all_inner_texts() == [
        "loops that were stopped\t2 of 2\t0 of 2",
        "healthy answers left alone\t1 of 2\t",
    ]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_outcome_has_a_colour_of_its_own_and_an_early_stop_the_stronger_one(
    quiet: Browser, made: Path, *, dark: bool
) -> None:
    page = quiet.show(made, dark=dark)
    grounds = {ground(page.locator(f"td.{outcome}").first) for outcome in OUTCOMES}
    assert len(grounds - {ground(page.locator("td.none"))}) == len(OUTCOMES)
    early, late = (strength(page.locator("td.stopped").nth(number)) for number in (0, 1))
    assert early > 1.5 * late


def strength(locator: Locator) -> int:
    """How far a colour is from grey."""
    channels = [int(number) for number in re.findall(r"\d+", ground(locator))[:3]]
    return max(channels) - min(channels)


@pytest.mark.parametrize(("place", "sentence"), SENTENCES.items(), ids=lambda value: "-".join(value)[:20])
def test_a_cell_opens_to_the_whole_finding_and_closes(
    quiet: Browser, made: Path, place: tuple[str, str], sentence: str
) -> None:
    page = quiet.show(made)
    opened = page.locator("[popover]:popover-open")
    expect(opened).to_have_count(0)
    cell(page, *place).click()
    expect(opened).to_have_count(1)
    expect(opened.get_by_role("heading")).to_have_text(" · ".join(place))
    expect(opened.get_by_text(sentence, exact=True)).to_be_visible()
    opened.get_by_role("button", name="close").click()
    expect(opened).to_have_count(0)


def test_a_cell_opens_and_closes_by_keyboard_and_one_at_a_time(quiet: Browser, made: Path) -> None:
    page = quiet.show(made)
    opened = page.locator("[popover]:popover-open")
    page.keyboard.press("Tab")
    expect(cell(page, "guarded", "early")).to_be_focused()
    page.keyboard.press("Enter")
    expect(opened.get_by_text("wire: client hung up")).to_be_visible()
    page.keyboard.press("Escape")
    expect(opened).to_have_count(0)
    expect(cell(page, "guarded", "early")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(opened).to_have_count(1)
    expect(opened.get_by_text("never", exact=True)).to_be_visible()


def test_texts_of_an_agent_are_shown_and_not_obeyed(quiet: Browser, made: Path) -> None:
    page = quiet.show(made)
    expect(page.get_by_role("row", name="list").locator("small").first).to_have_text(EVIL)
    cell(page, "guarded", "early").click()
    expect(page.locator("blockquote:visible")).to_have_text(EVIL)
    assert page.locator("img, script").count() == 0
    assert quiet.watch.requested == [made.as_uri()]


def test_what_was_not_measured_says_so_and_cannot_be_opened(quiet: Browser, made: Path) -> None:
    page = quiet.show(made)
    missing = page.locator("td.none")
    expect(missing).to_have_text("not measured")
    expect(missing.get_by_role("button")).to_have_count(0)
    expect(page.get_by_role("table").get_by_role("button")).to_have_count(7)


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("page_name", ["committed", "made"])
def test_the_map_is_readable_and_only_the_map_scrolls_sideways(
    quiet: Browser, made: Path, *, width: int, dark: bool, page_name: str
) -> None:
    page = quiet.show(SURVEY_PAGE if page_name == "committed" else made, width=width, dark=dark)
    assert unreadable(page) == []
    assert not scrolls_sideways(page)
    page.get_by_role("table").get_by_role("button").first.click()
    assert unreadable(page) == []
    box = page.locator("[popover]:popover-open").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


def test_a_cell_can_be_pressed_anywhere(quiet: Browser) -> None:
    page = quiet.show(SURVEY_PAGE)
    heights = "cells => cells.map(cell => cell.clientHeight - cell.firstChild.offsetHeight)"
    assert set(page.locator("tbody tr:nth-child(3) td").evaluate_all(heights)) == {0}


def test_the_whole_committed_map_fits_onto_a_wide_screen(quiet: Browser) -> None:
    page = quiet.show(SURVEY_PAGE, width=1840)
    assert page.locator(".wide").evaluate("box => box.scrollWidth <= box.clientWidth")


def test_on_a_phone_the_scenarios_stay_in_view_while_the_map_scrolls(quiet: Browser) -> None:
    page = quiet.show(SURVEY_PAGE, width=400)
    last, first = page.locator("thead + tbody tr:nth-child(2) td").last, page.get_by_role("rowheader").nth(1)
    expect(last).not_to_be_in_viewport()
    page.locator(".wide").evaluate("box => box.scrollLeft = box.scrollWidth")
    expect(last).to_be_in_viewport()
    box = first.bounding_box()
    assert box
    assert 0 <= box["x"] < 40
    assert not scrolls_sideways(page)
