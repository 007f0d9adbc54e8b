"""What is read on a screen on which panels stand beside each other."""

from __future__ import annotations

from textwrap import wrap

from hypothesis import given
from hypothesis import strategies as st

from harness.evidence import Evidence
from harness.steps.screens import Sight, bare, by_panel, echo_missing, read_so_far, squeezed
from harness.steps.texts import shows, unseen_answer
from harness.terminal.emulator import Emulator
from harness.terminal.ghostty import GhosttyScreen

PROMPT = "Analyse briefly why the totals differ, then answer RECOVERED qa17 in one line."
PHRASE = "RECOVERED qa17"
SIDE = ["servers", "(none)", "○ unnamed-s…"]


def panels(left: str, right: list[str], width: int = 30) -> str:
    """Two panels with what stands in each; the left one wraps."""
    rows = wrap(left, width)
    beside = [*right, *[""] * len(rows)]
    top = f"╭{'─' * width}╮ ╭{'─' * 20}╮"
    lines = [f"│{row:<{width}}│ │{beside[at]:<20}│" for at, row in enumerate(rows)]
    return "\n".join([top, *lines, top.replace("╭", "╰").replace("╮", "╯")])


def screen(text: str) -> GhosttyScreen:
    shown = GhosttyScreen(80, 12)
    list(Emulator(shown).feed(text.replace("\n", "\r\n")))
    return shown


def ended(text: str) -> Evidence:
    variables = {"prompt": PROMPT}
    return Evidence(output=bare(text), panels=bare(by_panel(text)), finished=True, variables=variables)


def test_an_echo_that_is_wrapped_beside_another_panel_is_an_echo() -> None:
    before = read_so_far(screen("> "))
    assert echo_missing(PROMPT, before, screen(panels(PROMPT, SIDE))) == ""
    assert echo_missing(PROMPT, before, screen(panels(PROMPT[:-4], SIDE))) != ""


def test_a_text_that_a_panel_comes_to_stand_beside_is_not_echoed_by_that() -> None:
    before = read_so_far(screen(panels("I typed same", [])))
    assert echo_missing("same", before, screen(panels("I typed same", SIDE))) != ""


def test_what_a_panel_repeats_is_no_answer_and_what_it_says_is_one() -> None:
    echo = Sight(screen(panels(PROMPT, SIDE, 51)))
    assert echo.holds(PHRASE)
    assert not echo.shows(PHRASE, [PROMPT])
    answer = Sight(screen(panels(f"The totals differ by a cent. {PHRASE}", SIDE, 40)))
    assert answer.shows(PHRASE, [PROMPT])


def test_a_run_that_has_ended_is_read_in_the_same_way() -> None:
    assert "only where it repeats" in unseen_answer(ended(panels(PROMPT, SIDE, 51)), PHRASE)
    wrapped = ended(panels(f"The totals differ by a cent. {PHRASE}", SIDE, 40))
    assert unseen_answer(wrapped, PHRASE) == ""
    assert shows(wrapped, PHRASE)
    assert not shows(wrapped, "RECOVERED qa18")


def test_a_phrase_that_has_a_bar_itself_is_found_as_it_stands() -> None:
    table = "│ item │ 3 │\n│ all  │ 9 │"
    assert Sight(screen(table)).shows("item │ 3", [])
    assert unseen_answer(ended(table), "item │ 3") == ""


@given(st.text(alphabet="ab \n│┃─", max_size=60))
def test_every_character_is_read_once_and_rows_without_bars_stay_where_they_are(text: str) -> None:
    read = by_panel(text)
    assert sorted(squeezed(read)) == sorted(squeezed(text))
    if not set(text) & set("│┃"):
        assert read == text
