"""A program is ready for the next step only when the screen shows that its reply has ended."""

from __future__ import annotations

import pytest

from harness.steps.drawn import DRAWN_BY_S
from harness.steps.verdicts import Passed
from mock_llm.journal import Ending
from mock_llm.script import ScriptTurn
from mock_llm.turn import Part, Text, ToolCall, Turn
from tests.steps.play import Play

ANSWERED = {"wait_for": Passed("the agent has answered and takes input")}


def over(*parts: Part, ended: Ending = "complete", play: Play | None = None) -> Play:
    """A reply comes and is over at once, before the program has drawn anything of it."""
    play = play or Play("wait_for: {answered: true}")
    play.see("> ")
    play.later(0.001)
    reply = play.ask()
    reply.turn = ScriptTurn(Turn(parts))
    reply.sent = [part.text for part in parts if isinstance(part, Text)]
    reply.ended, reply.ended_s = ended, play.now_s
    play.see()
    return play


def test_a_screen_from_before_the_end_of_a_reply_shows_no_readiness() -> None:
    play = over()
    assert play.drive.awaited == "nothing was drawn since the reply ended (30 s at most)"
    assert play.drive.wake_s == pytest.approx(play.now_s + DRAWN_BY_S)
    play.see("\r\n> ")
    assert play.drive.verdicts == ANSWERED


def test_a_program_that_draws_nothing_more_is_ready_a_little_later() -> None:
    play = over()
    play.later(DRAWN_BY_S / 2)
    assert play.drive.verdicts == {}
    play.later(DRAWN_BY_S / 2)
    assert play.drive.verdicts == ANSWERED


def test_who_hung_up_itself_had_drawn_what_it_had_to() -> None:
    assert over(Text("A loop."), ended="client-hung-up").drive.verdicts == ANSWERED


def test_half_a_reply_on_the_screen_is_waited_for() -> None:
    play = over(Text("The harbour is quiet."))
    play.see("\r\nThe harb\r\n> ")
    assert play.drive.awaited == "the end of the reply is not on the screen (30 s at most)"
    play.see("\x1b[HThe harbour is\r\n│ quiet. │\r\n> ")
    assert play.drive.verdicts == ANSWERED


def test_the_end_of_a_reply_is_found_however_it_is_marked_up() -> None:
    play = over(Text("Use `make demo`, **now**."))
    play.see("\r\nUse make demo, now.\r\n> ")
    assert play.drive.verdicts == ANSWERED


def test_a_reply_that_is_shown_in_another_form_is_not_waited_for_longer() -> None:
    play = over(Text("A\n|---|---|\n| cell | of a table |"))
    play.see("\r\n(a table)\r\n> ")
    assert play.drive.verdicts == {}
    play.later(DRAWN_BY_S)
    assert play.drive.verdicts == ANSWERED


def test_the_prompt_that_names_the_answer_is_not_the_end_of_the_reply() -> None:
    play = Play('type: "{prompt}"', "wait_for: {answered: true}")
    play.see("> ")
    play.see("Answer DONE qa17 now.")
    over(Text("DONE qa17"), play=play)
    play.see("\r\n> ")
    assert "wait_for" not in play.drive.verdicts
    play.see("\r\nDONE qa17\r\n> ")
    assert play.drive.verdicts["wait_for"] == ANSWERED["wait_for"]


def test_a_reply_that_ends_with_a_call_shows_no_end_of_its_own() -> None:
    play = over(Text("I look."), ToolCall("c1", "bash", "{}"))
    play.see("\r\n> ")
    assert play.drive.verdicts == ANSWERED
