"""What ``qa list`` and ``qa show`` answer when there is nothing to show."""

from __future__ import annotations

from click.testing import CliRunner

from harness.commands.listing import list_scenarios
from harness.commands.show import show


def test_a_tag_that_no_scenario_has_is_answered_with_those_there_are() -> None:
    result = CliRunner().invoke(list_scenarios, ["--tag", "nosuch", "--tag", "nor-this"])
    assert result.exit_code == 5
    assert result.stderr.startswith("no scenario has the tag 'nosuch' or 'nor-this'\n  the tags are ")
    assert ", ttsr" in result.stderr


def test_a_reply_that_no_turn_gives_is_answered_with_how_many_there_are() -> None:
    result = CliRunner().invoke(show, ["healthy-prose", "--reply", "9"])
    assert (result.exit_code, result.stderr) == (
        2,
        "there is no reply 9: the model of 'healthy-prose' gives 1 reply\n",
    )


def test_one_reply_is_shown_alone() -> None:
    result = CliRunner().invoke(show, ["ttsr-paragraph-loop", "--reply", "2"])
    assert result.exit_code == 0
    assert "reply 2, text" in result.stdout
    assert "reply 1" not in result.stdout


def test_near_copies_are_marked_in_the_replies_where_they_fire() -> None:
    shown = CliRunner().invoke(show, ["ttsr-repetitive-turns"]).stdout
    third = shown[shown.index("reply 3, text") : shown.index("reply 4, text")]
    assert "then, in a new process: And how far is it now?\n" in shown
    assert (
        "--- repetitive-turns fires after 85 characters: 3 replies in a row restate the one before" in third
    )
    assert shown.count("repetitive-turns fires") == 1


def test_of_a_reply_that_leaks_nothing_is_shown_as_kept() -> None:
    shown = CliRunner().invoke(show, ["ttsr-leak", "--reply", "1"]).stdout
    assert "--- it leaks after 114 characters; all is dropped" in shown
    assert "control-token-leak fires after 154 characters" in shown
    assert "kept" not in shown
