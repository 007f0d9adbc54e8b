"""The model of a survey: what a cell says, what is still to be measured, and that nothing is lost on disk.

Run as a program, this file writes the pages of docs/survey-results.json again.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.lab.survey import (
    OUTCOMES,
    Cell,
    Column,
    Row,
    Survey,
    merged,
    parse_survey,
    survey_json,
    to_measure,
)
from harness.lab.survey_html import render_html
from harness.lab.survey_markdown import render_markdown, render_text

RESULTS = Path(__file__).parents[2] / "docs"
OMP = Column("omp", "18.2.3", "openai-chat", "one-shot")
PI = Column("pi", "0.73.1", "openai-chat", "one-shot")
EXACT = Row("loop-exact", "loop", "text", "three paragraphs come round")
PROSE = Row("plain-prose", "healthy", "text", "ordinary prose")
STOPPED = Cell("omp", "loop-exact", "stopped", 1440, 4030, words="Thinking loop detected", sides=("wire: x",))
NEVER = Cell("pi", "loop-exact", "never", of=4030)
SURVEY = Survey("2026-11-30", (OMP, PI), (EXACT, PROSE), (STOPPED, NEVER))


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        (STOPPED, "stopped at 1,440 of 4,030"),
        (NEVER, "never"),
        (Cell("a", "b", "stopped", 900), "stopped at 900"),
        (Cell("a", "b", "stopped"), "stopped at an unknown place"),
        (Cell("a", "b", "stopped", 5, 14, "calls"), "stopped at call 5 of 14"),
        (Cell("a", "b", "told", 5, 14, "calls"), "told the model at call 5 of 14, stopped nothing"),
        (Cell("a", "b", "left-alone"), "left alone"),
        (Cell("a", "b", "interrupted", 80, 900), "interrupted a healthy answer at 80 of 900"),
        (Cell("a", "b", "error", problem="no program\nmore"), "error: no program"),
    ],
)
def test_a_cell_says_in_a_few_words_what_was_found(cell: Cell, sentence: str) -> None:
    assert cell.sentence == sentence


def test_the_share_of_a_loop_that_had_gone_by() -> None:
    assert STOPPED.share == pytest.approx(1440 / 4030)
    assert NEVER.share is None
    assert Cell("a", "b", "stopped", 900).share is None


def test_what_is_missing_or_ended_in_an_error_is_still_to_be_measured() -> None:
    wrong = Cell("omp", "plain-prose", "error", problem="timed out")
    assert to_measure(SURVEY.added([wrong])) == [(OMP, PROSE), (PI, PROSE)]
    right = Cell("omp", "plain-prose", "left-alone")
    assert to_measure(SURVEY.added([wrong, right])) == [(PI, PROSE)]


def test_a_survey_goes_on_with_an_older_one_unless_the_agent_has_another_version() -> None:
    newer = PI._replace(version="0.74.0")
    both = merged(SURVEY, Survey("2026-12-01", (OMP, newer), (EXACT,), ()))
    assert both.date == "2026-12-01"
    assert both.columns == (OMP, newer)
    assert both.rows == (EXACT, PROSE)
    assert both.cell("omp", "loop-exact") == STOPPED
    assert both.cell("pi", "loop-exact") is None


_TEXT = st.text(max_size=30)
_CELLS = st.builds(
    Cell,
    st.sampled_from(["omp", "pi"]),
    st.sampled_from(["loop-exact", "plain-prose"]),
    st.sampled_from(OUTCOMES),
    st.none() | st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.sampled_from(["characters", "calls"]),
    _TEXT,
    st.lists(_TEXT, max_size=3).map(tuple),
    _TEXT,
    st.floats(0, 1000),
)


@given(st.lists(_CELLS, max_size=6))
def test_what_is_written_is_read_again_with_the_last_cell_of_each_place(cells: list[Cell]) -> None:
    survey = Survey("2026-11-30", (OMP, PI), (EXACT, PROSE), tuple(cells))
    again = parse_survey(survey_json(survey))
    assert again._replace(cells=()) == survey._replace(cells=())
    assert again.shown() == survey.shown()
    assert survey_json(again) == survey_json(survey)
    assert sum(again.counts().values()) == len(again.shown()) == len(again.cells)


@pytest.mark.parametrize(
    ("text", "reason"),
    [("[]", "no survey"), ("{}", "no survey"), ('{"format": 2}', "its format is 2"), ("{", "Expecting")],
)
def test_another_file_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_survey(text)


def test_the_json_names_every_finding_for_other_programs() -> None:
    data = json.loads(survey_json(SURVEY))
    assert [cell["sentence"] for cell in data["cells"]] == ["stopped at 1,440 of 4,030", "never"]


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.classes: list[str | None] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.classes += [value for name, value in attrs if name == "class" and tag == "td"]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_shows_each_finding_with_the_guards_words_and_loads_nothing() -> None:
    text = render_html(SURVEY)
    page = _Page(text)
    assert {"■ 1,440", "of 4,030", "stopped at 1,440 of 4,030", "□ never"} <= set(page.texts)
    assert "Thinking loop detected" in page.texts
    assert page.texts.count("not measured") == 2
    assert page.classes.count("stopped") == page.classes.count("never") == 1
    assert not {"script", "img"} & set(page.tags)
    assert "default-src 'none'" in text
    assert not re.search(r"https?:|@import|url\(|src=", text)


def test_no_text_of_an_agent_becomes_part_of_the_page() -> None:
    evil = "<script>alert(1)</script>"
    cell = STOPPED._replace(words=evil, problem=evil, sides=(evil,))
    page = _Page(render_html(SURVEY.added([cell])))
    assert "script" not in page.tags
    assert page.texts.count(evil) == 3


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        (STOPPED._replace(at=None), ["■ ?"]),
        (STOPPED._replace(of=0), ["■ 1,440"]),
        (STOPPED._replace(outcome="told", at=5, of=14, unit="calls"), ["◧ call 5", "of 14, told only"]),
        (STOPPED._replace(outcome="told", at=None), ["◧ ?", "told only"]),
        (STOPPED._replace(outcome="interrupted", at=80, of=900), ["✗ 80", "of 900"]),
        (STOPPED._replace(outcome="left-alone"), ["✓ whole"]),
        (STOPPED._replace(outcome="error"), ["! error"]),
    ],
)
def test_a_cell_of_the_page_is_a_figure_or_a_word(cell: Cell, shown: list[str]) -> None:
    texts = _Page(render_html(Survey("", (OMP,), (EXACT,), (cell,)))).texts
    first = texts.index(shown[0])
    assert [text for text in texts[first:] if text.strip()][: len(shown)] == shown


def test_the_committed_pages_are_those_of_the_committed_figures() -> None:
    survey = parse_survey((RESULTS / "survey-results.json").read_text(encoding="utf-8"))
    for name, text in (("html", render_html(survey)), ("md", render_markdown(survey))):
        assert (RESULTS / f"survey-results.{name}").read_text(encoding="utf-8") == text, (
            "if that is meant: python tests/lab/test_survey.py"
        )


def test_the_markdown_is_one_table_with_the_words_below_it() -> None:
    text = render_markdown(SURVEY.added([Cell("pi", "plain-prose", "error", problem="a|b\nc")]))
    assert "| loop-exact | stopped at 1,440 of 4,030 | never |\n" in text
    assert "| plain-prose | not measured | error |\n" in text
    assert "- omp, loop-exact: `Thinking loop detected`\n" in text
    assert "- pi, plain-prose: a|b c\n" in text
    assert "| omp | 18.2.3 | openai-chat | one-shot |\n" in text


def test_the_terminal_gets_one_line_for_each_cell_and_the_counts() -> None:
    lines = render_text(SURVEY).splitlines()
    assert lines[0] == "omp  18.2.3, openai-chat, one-shot"
    assert lines[1] == "  loop-exact   stopped at 1,440 of 4,030"
    assert lines[-1] == "1 stopped, 1 never"
    assert render_text(Survey("", (), (), ())) == "nothing was measured"


if __name__ == "__main__":
    measured = parse_survey((RESULTS / "survey-results.json").read_text(encoding="utf-8"))
    (RESULTS / "survey-results.html").write_text(render_html(measured), encoding="utf-8")
    (RESULTS / "survey-results.md").write_text(render_markdown(measured), encoding="utf-8")
