"""What the agent does about each rule: the loop with the published guard, an event in, the commands out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from harness.detectors.guard import Guard
from harness.detectors.mechanisms import PUBLISHED
from harness.refagent.commands import Command, EndTurn, Notify, Record, SendRequest
from harness.refagent.conversation import (
    INTERRUPT_MARKER,
    AssistantMessage,
    Message,
    TextBlock,
    UserMessage,
    replies,
)
from harness.refagent.events import (
    Done,
    StreamError,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallStart,
    ToolFinished,
    UserInterrupt,
    UserPrompt,
)
from harness.refagent.loop import AgentLoop
from harness.refagent.remedies import interrupt_text
from harness.refagent.unfinished import unfinished_reply

if TYPE_CHECKING:
    from harness.refagent.events import Event

LEAK = "<|im_end|>" * 4
STATUS = "The nightly build is still running on the second machine, so I wait for it and look again later. "
COPY_AT = 63  # characters of STATUS after which more than 0.55 of its word trigrams have come again


def new_loop(*messages: Message, disabled: tuple[str, ...] = ()) -> AgentLoop:
    """A loop as the program makes it, resumed with these messages."""
    profile = PUBLISHED.without(*disabled)
    turns = profile.turns(replies(messages))
    return AgentLoop(lambda: Guard(profile=profile, turns=turns), messages, turns=turns)


def play(loop: AgentLoop, *events: Event) -> list[Command]:
    return [command for event in events for command in loop.handle(event)]


def say(loop: AgentLoop, prompt: str, text: str) -> list[Command]:
    """One user message with a whole reply, word by word."""
    words = [TextDelta(0, word) for word in text.split(" ") for word in (word, " ")][:-1]
    return play(loop, UserPrompt(prompt), *words, Done("stop"))


def records(commands: list[Command], kind: str) -> list[dict[str, Any]]:
    """The data of the records of a kind, or the messages of a role."""
    found = [dict(c.record) for c in commands if isinstance(c, Record)]
    return [
        r.get("data") or r.get("message") or r
        for r in found
        if kind in (r.get("customType"), r.get("message", {}).get("role"))
    ]


def requests(commands: list[Command]) -> list[SendRequest]:
    return [command for command in commands if isinstance(command, SendRequest)]


def test_a_leak_drops_the_whole_reply_and_the_same_request_is_sent_again() -> None:
    loop = new_loop()
    commands = play(loop, UserPrompt("hi"), ThinkingDelta(0, "Let me see. "), TextDelta(1, f"Well. {LEAK}"))
    assert loop.messages[-1] == AssistantMessage(
        (),
        "error",
        "dropped by stream rule control-token-leak: the control token <|im_end|> 4 times in a row",
    )
    first, second = requests(commands)
    assert second == first == SendRequest((UserMessage("hi"),))
    assert records(commands, "ttsr-injection") == []
    [rule] = records(commands, "rule-activation")
    assert (rule["owner"], rule["remediation"]) == ("control-token-leak", "provider-error")


def test_what_a_leak_dropped_is_in_the_session_stream_by_stream() -> None:
    commands = play(
        new_loop(), UserPrompt("hi"), ThinkingDelta(0, "Let me see. "), TextDelta(1, f"Well. {LEAK} more")
    )
    assert records(commands, "discarded-output") == [
        {"stream": "thinking", "text": "Let me see. "},
        {"stream": "text", "text": f"Well. {LEAK} more"},
    ]


def test_a_second_leak_ends_the_turn_and_the_next_user_message_may_try_again() -> None:
    loop = new_loop()
    commands = play(loop, UserPrompt("hi"), TextDelta(0, f"Well. {LEAK}"), TextDelta(0, f"Well. {LEAK}"))
    assert commands[-1] == EndTurn("failed", "stream rule control-token-leak: the second reply leaked too")
    assert len(requests(commands)) == 2
    assert [rule["remediation"] for rule in records(commands, "rule-activation")] == [
        "provider-error",
        "stop",
    ]
    assert len(requests(play(loop, UserPrompt("again"), TextDelta(0, f"Well. {LEAK}")))) == 2


def test_the_third_near_copy_is_cut_off_in_mid_stream_and_kept_as_far_as_it_was_read() -> None:
    loop = new_loop()
    say(loop, "status?", STATUS)
    say(loop, "and now?", STATUS)
    commands = play(loop, UserPrompt("and now?"), TextDelta(0, STATUS))
    stopped = loop.messages[-2]
    assert stopped == AssistantMessage(
        (TextBlock(STATUS[:COPY_AT]),), "aborted", "stopped by stream rule repetitive-turns"
    )
    assert records(commands, "discarded-output") == [{"stream": "text", "text": STATUS[COPY_AT:]}]
    assert requests(commands)[-1].messages[-1] == UserMessage(interrupt_text("repetitive-turns"), hidden=True)
    told = f"stream rule repetitive-turns: output interrupted at {COPY_AT} characters, kept {COPY_AT}"
    assert Notify(told) in commands


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_cut_of_the_text_does_not_matter_to_what_is_kept(size: int) -> None:
    loop = new_loop()
    say(loop, "status?", STATUS)
    say(loop, "and now?", STATUS)
    deltas = [TextDelta(0, STATUS[at : at + size]) for at in range(0, len(STATUS), size)]
    play(loop, UserPrompt("and now?"), *deltas)
    assert loop.messages[-2] == AssistantMessage(
        (TextBlock(STATUS[:COPY_AT]),), "aborted", "stopped by stream rule repetitive-turns"
    )


def test_the_replies_of_one_user_message_are_compared_too() -> None:
    loop = new_loop()
    call: list[Event] = [
        TextDelta(0, STATUS),
        ToolCallStart(1, "a", "bash"),
        ToolCallDelta(1, "{}"),
        Done("tool"),
    ]
    commands = play(loop, UserPrompt("hi"), *call, ToolFinished("a", ""), *call, ToolFinished("a", ""), *call)
    assert [rule["owner"] for rule in records(commands, "rule-activation")] == ["repetitive-turns"]


def test_a_copy_that_its_last_word_makes_one_is_kept_whole_and_corrected() -> None:
    said = "Waiting for build number seven to complete"  # up to its last blank it is too short to be compared
    loop = new_loop()
    for _ in range(2):
        say(loop, "status?", said)
    commands = say(loop, "status?", said)
    assert loop.messages[-2] == AssistantMessage(
        (TextBlock(said),), "aborted", "stopped by stream rule repetitive-turns"
    )
    assert records(commands, "discarded-output") == []
    assert len(requests(commands)) == 2


def test_a_corrected_reply_that_is_one_more_copy_ends_the_turn_in_mid_stream() -> None:
    loop = new_loop()
    say(loop, "status?", STATUS)
    say(loop, "and now?", STATUS)
    commands = play(loop, UserPrompt("and now?"), TextDelta(0, STATUS), TextDelta(0, STATUS))
    assert commands[-1] == EndTurn(
        "failed", "stream rule repetitive-turns: the corrected reply repeats the ones before again"
    )
    assert [rule["remediation"] for rule in records(commands, "rule-activation")] == ["nudge", "stop"]


def test_a_corrected_reply_that_says_something_else_is_the_answer() -> None:
    loop = new_loop()
    say(loop, "status?", STATUS)
    say(loop, "and now?", STATUS)
    play(loop, UserPrompt("and now?"), TextDelta(0, STATUS))
    commands = play(loop, TextDelta(0, "All nine tests pass, and the report has been sent."), Done("stop"))
    assert commands[-1] == EndTurn("answered", "All nine tests pass, and the report has been sent.")


def restarted(loop: AgentLoop) -> AgentLoop:
    return new_loop(*loop.messages)


def test_after_a_restart_the_rule_fires_at_the_same_place() -> None:
    loop = new_loop()
    say(loop, "status?", STATUS)
    say(loop, "and now?", STATUS)
    fresh = restarted(loop)
    assert play(fresh, UserPrompt("?"), TextDelta(0, STATUS)) == play(
        loop, UserPrompt("?"), TextDelta(0, STATUS)
    )


REPLIES = (
    STATUS,
    STATUS.replace("second", "third"),
    "All nine tests of the parser pass by now, and the report about them has been sent to the whole team.",
    "Fine.",
    f"Well. {LEAK}",
    STATUS + "!" * 300,
)


@given(said=st.lists(st.sampled_from(REPLIES), max_size=7))
def test_a_resumed_conversation_goes_on_like_one_that_was_never_left(said: list[str]) -> None:
    running = new_loop()
    for text in said:
        say(running, "status?", text)
        play(running, UserInterrupt())  # whatever is asked once more stays unanswered
    assume(len(list(replies(running.messages))) <= 8)  # a session is looked at no further back
    fresh = restarted(running)
    assert [say(running, "and now?", text) for text in REPLIES] == [
        say(fresh, "and now?", text) for text in REPLIES
    ]


def test_after_a_correction_and_a_restart_the_same_streak_does_not_fire_again() -> None:
    loop = new_loop()
    for _ in range(2):
        say(loop, "status?", STATUS)
    play(loop, UserPrompt("status?"), TextDelta(0, STATUS), UserInterrupt())
    commands = say(restarted(loop), "status?", STATUS)
    assert records(commands, "rule-activation") == []
    assert commands[-1] == EndTurn("answered", STATUS)


def test_the_marker_of_a_cut_is_no_word_of_the_model() -> None:
    cut = AssistantMessage((TextBlock("one two"), TextBlock(INTERRUPT_MARKER)), "aborted")
    quoted = AssistantMessage((TextBlock(INTERRUPT_MARKER),), "stop")
    assert list(replies([UserMessage("x"), cut, quoted])) == ["one two", INTERRUPT_MARKER]


def test_a_reply_that_a_crash_cut_short_counts_as_far_as_it_had_come() -> None:
    died = unfinished_reply(f'{{"block": 0, "kind": "text", "text": "{STATUS}"}}\n')
    loop = new_loop(UserMessage("a"), AssistantMessage((TextBlock(STATUS),), "stop"), UserMessage("b"), died)
    commands = play(loop, UserPrompt("c"), TextDelta(0, STATUS))
    assert [rule["owner"] for rule in records(commands, "rule-activation")] == ["repetitive-turns"]


def test_with_the_rule_off_nothing_is_compared() -> None:
    loop = new_loop(disabled=("repetitive-turns",))
    commands = [command for _ in range(4) for command in say(loop, "status?", STATUS)]
    assert records(commands, "rule-activation") == []


def test_a_broken_reply_does_not_hide_a_streak() -> None:
    loop = new_loop()
    say(loop, "status?", STATUS)
    play(loop, UserPrompt("status?"), TextDelta(0, STATUS[:COPY_AT]), StreamError("the line broke"))
    commands = play(loop, UserPrompt("status?"), TextDelta(0, STATUS))
    assert [rule["owner"] for rule in records(commands, "rule-activation")] == ["repetitive-turns"]


@pytest.mark.parametrize("size", [1, 1000])
def test_what_comes_behind_a_leak_in_the_same_piece_is_compared_with_nothing(size: int) -> None:
    loop = new_loop()
    say(loop, "status?", STATUS)
    say(loop, "and now?", STATUS)
    leaked = LEAK[:30] + STATUS
    play(loop, UserPrompt("?"), *(TextDelta(0, leaked[at : at + size]) for at in range(0, 30, size)))
    commands = play(loop, TextDelta(0, STATUS))
    assert [rule["owner"] for rule in records(commands, "rule-activation")] == ["repetitive-turns"]


def test_a_loop_in_an_earlier_block_is_cut_there() -> None:
    loop = new_loop()
    flood = "x" + "!" * 300
    play(loop, UserPrompt("hi"), ThinkingDelta(0, flood), TextDelta(1, "never"))
    stopped = loop.messages[1]
    assert isinstance(stopped, AssistantMessage)
    assert [block.text for block in stopped.blocks if isinstance(block, TextBlock)] == [INTERRUPT_MARKER]


def test_a_character_in_two_halves_is_one_character_of_what_is_kept() -> None:
    loop = new_loop()
    play(loop, UserPrompt("hi"), TextDelta(0, "ok \ud83d"), TextDelta(0, "\ude42 " + "!" * 300))
    stopped = loop.messages[1]
    assert isinstance(stopped, AssistantMessage)
    assert stopped.said == "ok \U0001f642 !"
