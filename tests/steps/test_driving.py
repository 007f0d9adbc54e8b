"""The steps in a terminal: what is written when, what is waited for, and how each step can fail."""

from __future__ import annotations

import pytest

from harness.steps.driving import ECHO_WITHIN_S, HURRIED_QUIT_S, QUIT_WITHIN_S
from harness.steps.moments import Keep, Send, SendSignal, SetSize
from harness.steps.verdicts import Failed, Passed
from harness.terminal.condition import Condition, Dialog, TerminalSettings
from tests.steps.play import SETTINGS, VARIABLES, Play, sent


def test_text_is_typed_when_the_agent_is_ready_and_submitted_in_a_write_of_its_own_when_it_is_echoed() -> (
    None
):
    play = Play('type: "{prompt}"')
    assert play.see("loading") == []
    assert sent(play.see("\r\x1b[K> ")) == ["Answer DONE qa17 now."]
    assert play.see("Answer DONE") == []
    assert sent(play.see(" qa17 now.")) == ["\r"]
    play.read()
    assert play.drive.verdicts == {"type": Passed("21 characters typed and echoed, then enter pressed")}
    assert play.drive.typed == ["Answer DONE qa17 now."]


def test_an_echo_that_is_wrapped_or_framed_is_an_echo() -> None:
    play = Play('type: "{prompt}"')
    play.see("> ")
    assert sent(play.see("\x1b[H\x1b[J│ > Answer DONE │\r\n│ qa17 now.     │")) == ["\r"]


def test_the_same_text_typed_again_has_to_be_echoed_again() -> None:
    play = Play('type: {text: "same", submit: false}')
    play.see("you said same\r\n> ")
    assert play.drive.verdicts == {}
    play.see("same")
    assert play.drive.verdicts == {"type": Passed("4 characters typed and echoed")}


def test_text_that_is_not_echoed_fails_the_step() -> None:
    play = Play("type: hello")
    play.see("> ")
    play.see()
    play.later(ECHO_WITHIN_S)
    assert play.failed.observed == "the screen does not show 'hello' once more"
    assert play.failed.expected == "what was typed is echoed within 10 s"


def test_several_lines_go_in_as_one_paste_where_the_program_takes_one() -> None:
    play = Play(r'type: "one\ntwo"')
    assert sent(play.see("\x1b[?2004h> ")) == ["\x1b[200~one\ntwo\x1b[201~"]
    assert sent(play.see("[pasted 2 lines]")) == ["\r"]


def test_the_first_character_can_be_typed_alone_and_the_rest_when_it_is_shown() -> None:
    play = Play('type: "{prompt}"', settings=SETTINGS._replace(first_alone=True))
    assert sent(play.see("> ")) == ["A"]
    assert sent(play.read()) == []
    assert sent(play.see("A")) == ["nswer DONE qa17 now."]
    assert sent(play.see("nswer DONE qa17 now.")) == ["\r"]
    play.read()
    assert play.drive.verdicts == {"type": Passed("21 characters typed and echoed, then enter pressed")}


def test_several_keys_that_submit_are_sent_one_by_one() -> None:
    play = Play('type: "{prompt}"', settings=SETTINGS._replace(submit=("end", "enter")))
    assert sent(play.see("> ")) == ["Answer DONE qa17 now."]
    assert sent(play.see("Answer DONE qa17 now.")) == ["\x1b[F"]
    play.unread = 3
    assert play.read() == []
    play.unread = 0
    assert sent(play.see()) == ["\r"]
    play.read()
    assert play.drive.verdicts == {
        "type": Passed("21 characters typed and echoed, then end and enter pressed")
    }


def test_several_lines_are_refused_where_each_would_be_submitted() -> None:
    play = Play(r'type: "one\ntwo"')
    commands = play.see("> ")
    assert "one" not in "".join(sent(commands))
    assert play.failed.observed.startswith("the program takes no paste (DEC mode 2004 is off)")


def test_text_may_be_typed_into_a_running_reply() -> None:
    play = Play("type: {text: stop, at_once: true}")
    play.ask()
    assert sent(play.see("thinking")) == ["stop"]


def test_the_agent_is_not_ready_while_a_reply_is_under_way_or_the_screen_shows_half_a_frame() -> None:
    play = Play("wait_for: {ready: true}")
    reply = play.ask()
    play.see("> ")
    assert play.drive.verdicts == {}
    reply.ended = "complete"
    play.see("\x1b[?2026h\x1b[6n")
    assert play.drive.verdicts == {}
    play.see("\x1b[?2026l")
    assert play.drive.verdicts == {"wait_for": Passed("the agent takes input")}


def test_answered_wants_a_request_since_the_text_was_submitted() -> None:
    play = Play("type: {text: hi}", "wait_for: {answered: true}")
    play.see("> ")
    play.see("hi")
    play.see("\r\n> ")
    assert "wait_for" not in play.drive.verdicts
    play.ask().ended = "complete"
    play.see()
    assert play.drive.verdicts["wait_for"] == Passed("the agent has answered and takes input")


def test_a_key_is_sent_when_the_one_before_has_been_read() -> None:
    play = Play("press: [esc, esc]")
    assert sent(play.see()) == ["\x1b"]
    play.unread = 1
    assert play.see() == []
    assert play.drive.is_between_keys
    play.unread = 0
    assert sent(play.see()) == ["\x1b"]
    assert not play.drive.is_between_keys
    assert play.see() == []
    play.see("seen")
    assert play.drive.verdicts == {"press": Passed("2 keys pressed and read")}


def test_a_key_that_is_never_read_fails_the_step() -> None:
    play = Play("press: {keys: esc, within_s: 3}")
    play.see()
    play.unread = 1
    play.later(3)
    assert (play.failed.observed, play.failed.expected) == (
        "1 byte not read",
        "the program reads '\x1b' within 3 s",
    )


def test_cursor_keys_follow_the_mode_of_the_program() -> None:
    assert sent(Play("press: up").see()) == ["\x1b[A"]
    assert sent(Play("press: up").see("\x1b[?1h")) == ["\x1bOA"]


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ("wait_for: Loop detected", "a Loop\r\ndetected here"),
        ("wait_for: {shows: [one, two]}", "two one"),
        ("wait_for: {lacks: gone}", "here"),
        ("wait_for: {matches: '^li.e$'}", "line"),
        ("wait_for: {title: busy}", "\x1b]2;very busy\x07"),
    ],
)
def test_a_condition_on_the_screen_is_met(step: str, text: str) -> None:
    play = Play(step)
    play.see(text)
    assert isinstance(play.drive.verdicts["wait_for"], Passed)


@pytest.mark.parametrize(
    ("step", "missing", "claim"),
    [
        ("wait_for: Loop", "the screen does not show 'Loop'", "the screen shows 'Loop'"),
        ("wait_for: {lacks: here}", "the screen shows 'here'", "the screen lacks 'here'"),
        ("wait_for: {matches: x+}", "the screen does not match /x+/", "the screen matches /x+/"),
        ("wait_for: {title: busy}", "the title is ''", "the screen has the title 'busy'"),
        ("wait_for: {request: 2}", "request 2 has not come", "request 2 comes"),
        ("wait_for: {reply: 1}", "reply 1 is not over", "reply 1 is over"),
        ("wait_for: {reply: 2}", "reply 2 has not begun: request 2 has not come", "reply 2 is over"),
        ("wait_for: {ready: true}", r"a reply is under way", "the agent takes input"),
        ("wait_for: {exit: true}", "the program runs", "the program ends"),
    ],
)
def test_a_condition_that_is_not_met_in_time_says_what_is_missing(
    step: str, missing: str, claim: str
) -> None:
    play = Play(step)
    play.ask()
    play.see("here")
    assert play.drive.wake_s == play.now_s + 30
    play.later(29.9)
    assert play.drive.verdicts == {}
    play.later(0.1)
    assert (play.failed.observed, play.failed.expected) == (missing, f"{claim} within 30 s")


@pytest.mark.parametrize(
    ("output", "unseen"),
    [
        ("\x1b[?2026h\x1b[Hdone", "7 characters of a frame (DEC mode 2026) that has not ended"),
        ("\x1b]0;busy", "all that has come since 'OSC 0;busy' began: it has no end yet, and is a part of it"),
    ],
)
def test_a_failed_step_says_why_the_last_output_is_not_on_the_screen(output: str, unseen: str) -> None:
    play = Play("wait_for: done")
    play.see("here")
    play.see(output)
    play.later(30)
    head, *lines = play.failed.evidence
    assert head == "screen 40x8, agent running, last output 30.0 s ago:"
    assert lines == [f"not on the screen: {unseen}", "| here"]


def test_what_the_user_typed_is_not_waited_for() -> None:
    play = Play('type: "{prompt}"', 'wait_for: "DONE {nonce}"')
    play.see("> ")
    play.see(VARIABLES["prompt"])
    play.see("\r\n")
    assert "wait_for" not in play.drive.verdicts
    play.see("DONE qa17")
    assert play.drive.verdicts["wait_for"] == Passed("the screen shows 'DONE qa17'")


@pytest.mark.parametrize("kind", ["wait_for", "screen"])
def test_what_stands_there_only_as_it_was_typed_is_said_to_be_that(kind: str) -> None:
    play = Play('type: "{prompt}"', f"{kind}: DONE")
    play.see("> ")
    play.see(VARIABLES["prompt"])
    play.see("\r\n")
    play.later(30)
    assert play.failed.observed == (
        "the screen shows 'DONE' only where it repeats what was typed, which does not count"
    )
    assert play.failed.expected.startswith("the screen shows 'DONE'")


def test_a_failure_shows_the_end_of_the_screen() -> None:
    play = Play("wait_for: never")
    play.see("".join(f"line {number}\r\n" for number in range(12)))
    play.later(30)
    head, *rows = play.failed.evidence
    assert head == "screen 40x8, agent running, last output 30.0 s ago:"
    assert rows == [f"| line {number}" for number in range(5, 12)]


def test_a_program_that_ends_fails_what_is_waited_for_at_once() -> None:
    play = Play("wait_for: never")
    play.exit_code = 3
    play.see()
    assert play.failed.observed == "the program ended with 3, and the screen does not show 'never'"
    assert play.drive.is_over


def test_the_end_of_the_program_can_be_waited_for() -> None:
    play = Play("wait_for: {exit: true, shows: bye}")
    play.exit_code = 0
    play.see("bye")
    assert play.drive.verdicts == {"wait_for": Passed("the program ends, the screen shows 'bye'")}
    assert play.drive.is_over


def test_a_step_that_fails_ends_the_driving_and_the_rest_is_not_reached() -> None:
    play = Play("wait_for: never", "press: esc")
    play.see()
    assert Keep("") in play.later(30)
    assert set(play.drive.verdicts) == {"wait_for"}
    assert sent(play.later(HURRIED_QUIT_S)) == ["\x04"]
    play.read()
    play.later(HURRIED_QUIT_S)
    assert play.drive.is_over


def test_a_look_at_the_screen_that_fails_ends_nothing() -> None:
    play = Play("screen: missing", "press: esc")
    assert play.see() == [Keep("screen"), Send("\x1b")]
    play.read()
    assert isinstance(play.drive.verdicts["screen"], Failed)
    assert isinstance(play.drive.verdicts["press"], Passed)


@pytest.mark.parametrize(
    ("step", "holds"),
    [
        ("screen: {shows: alt, alternate: true}", True),
        ("screen: {alternate: false}", False),
        ("screen: {title: none}", False),
    ],
)
def test_a_look_knows_which_screen_it_is(step: str, holds: bool) -> None:  # noqa: FBT001  a table
    play = Play(step)
    play.see("\x1b[?1049halt")
    assert isinstance(play.drive.verdicts["screen"], Passed) is holds


def test_a_look_waits_until_the_frame_is_whole() -> None:
    play = Play("screen: half")
    assert play.see("\x1b[?2026hha\x1b[6n") == []
    assert Keep("screen") in play.see("lf\x1b[?2026l")
    assert play.drive.verdicts == {"screen": Passed("the screen shows 'half'")}


def test_size_and_signal_are_commands() -> None:
    play = Play("resize: {columns: 90, rows: 20}", "signal: TERM")
    assert play.see() == [SetSize(90, 20)]
    assert play.see() == [SendSignal("TERM")]
    play.see()
    assert play.drive.verdicts == {"resize": Passed("90x20"), "signal": Passed("SIGTERM sent")}


def test_a_dialog_is_answered_once_while_something_else_is_waited_for() -> None:
    dialogs = (Dialog("Trust this folder?", ("down", "enter")),)
    play = Play("wait_for: {ready: true}", settings=SETTINGS._replace(dialogs=dialogs))
    assert sent(play.see("Trust this\r\nfolder?")) == ["\x1b[B"]
    assert sent(play.read()) == ["\r"]
    assert sent(play.read()) == []
    assert sent(play.read()) == []
    play.see("\r\n> ")
    assert play.drive.verdicts == {"wait_for": Passed("the agent takes input")}


def test_at_the_end_the_agent_is_asked_to_quit_when_it_is_ready() -> None:
    play = Play("press: a")
    play.see()
    assert Keep("") in play.read()
    assert not play.drive.is_over
    assert sent(play.see("> ")) == ["\x04"]
    play.exit_code = 0
    play.see()
    assert (play.drive.is_over, play.drive.note) == (True, "")


def test_a_key_that_confirms_the_end_is_pressed_when_it_is_asked_for() -> None:
    sure = (Dialog("", ("ctrl-c",)), Dialog("Ctrl+C again", ("ctrl-c",)))
    play = Play("press: a", settings=SETTINGS._replace(quit=sure))
    play.see("> ")
    assert sent(play.read()) == ["\x03"]
    assert sent(play.read()) == []
    assert sent(play.see("Ctrl+C again to quit")) == ["\x03"]
    play.exit_code = 0
    play.see()
    assert (play.drive.is_over, play.drive.note) == (True, "")


def test_an_agent_that_is_not_ready_in_time_is_asked_all_the_same() -> None:
    play = Play("press: a")
    play.see()
    play.read()
    assert sent(play.later(QUIT_WITHIN_S)) == ["\x04"]


def test_an_agent_that_does_not_quit_is_left_to_be_killed() -> None:
    play = Play("press: a")
    play.see("> ")
    assert sent(play.read()) == ["\x04"]
    play.read()
    play.later(QUIT_WITHIN_S)
    assert play.drive.is_over
    killed = "the agent did not end within 5 s of ctrl-d and was killed; the screen ends with '"
    assert play.drive.note.startswith(killed)


def test_an_agent_without_quit_keys_is_over_at_once() -> None:
    play = Play("press: a", settings=SETTINGS._replace(quit=()))
    play.see()
    play.read()
    assert (play.drive.is_over, play.drive.wake_s) == (True, None)


@pytest.mark.parametrize(
    ("written", "settings"),
    [
        ('wait_for: {matches: "^(a|a)*$"}', SETTINGS),
        ('screen: {matches: "^(a|a)*$"}', SETTINGS),
        (
            "wait_for: {ready: true}",
            TerminalSettings(ready=Condition(matches="^(a|a)*$"), quit=(Dialog("", ("ctrl-d",)),)),
        ),
    ],
)
def test_a_pattern_that_runs_away_on_the_screen_fails_the_step_at_once(
    written: str, settings: TerminalSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mock_llm.patterns.LIMIT_S", 0.02)
    play = Play(written, settings=settings)
    play.see("a" * 39 + "b\r\n> ")
    assert play.failed.observed.startswith("the regular expression /^(a|a)*$/ had no result after 0.02 s")


def test_a_step_that_is_under_way_when_the_run_is_ended_says_what_it_waited_for_and_shows_the_screen() -> (
    None
):
    play = Play("wait_for: {shows: never, within_s: 20}", "press: enter")
    play.see("> ")
    play.drive.break_off(play.moment())
    assert play.drive.verdicts.keys() == {"wait_for"}
    assert play.failed.observed == "the run was ended, and the screen does not show 'never'"
    assert play.failed.expected == "the screen shows 'never'"
    assert play.failed.evidence[1] == "| >"


def test_keys_for_a_program_that_has_ended_are_not_called_pressed_nor_not_reached() -> None:
    play = Play("wait_for: {exit: true}", "press: enter")
    play.see("> ")
    play.exit_code = 0
    play.see("")
    play.drive.break_off(play.moment())
    assert isinstance(play.drive.verdicts["wait_for"], Passed)
    assert play.failed.observed == "the program had ended with 0"


def test_a_drive_that_has_come_to_its_end_is_left_as_it_is() -> None:
    play = Play("wait_for: {shows: '>'}")
    play.see("> ")
    play.drive.break_off(play.moment())
    assert isinstance(play.drive.verdicts["wait_for"], Passed)
