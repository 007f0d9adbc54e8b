"""The loop as transcripts: an event in, the commands out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.detectors.finding import Finding
from harness.refagent.commands import (
    Command,
    EndTurn,
    Notify,
    Record,
    RunTool,
    SaveInFlight,
    SendRequest,
    Show,
    ShowCall,
)
from harness.refagent.conversation import (
    INTERRUPT_MARKER,
    NO_RESULT,
    AssistantMessage,
    TextBlock,
    ToolCallBlock,
    ToolResult,
    UserMessage,
    replayed,
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
from harness.refagent.guards import NoGuard
from harness.refagent.loop import AgentLoop
from harness.refagent.remedies import interrupt_text

if TYPE_CHECKING:
    from harness.detectors.finding import StreamKind
    from harness.refagent.conversation import Message
    from harness.refagent.events import Event


class StubGuard:
    """Finds a loop where a block says 'loop': everything from there on is garbage."""

    def __init__(self, rule: str = "collapse-repetition", *, at_end: bool = False) -> None:
        self._rule = rule
        self._at_end = at_end
        self._seen: dict[int, str] = {}
        self.block: int | None = None

    def feed(self, block: int, kind: StreamKind, delta: str) -> Finding | None:  # noqa: ARG002 - the protocol's
        self._seen[block] = self._seen.get(block, "") + delta
        return None if self._at_end else self._look(block)

    def finish(self) -> Finding | None:
        found = [self._look(block) for block in self._seen]
        return next((each for each in found if each), None)

    def _look(self, block: int) -> Finding | None:
        text = self._seen[block]
        start = text.find("loop")
        if start >= 0:
            self.block = block
        return None if start < 0 else Finding(self._rule, "stub", "it says so", start, start, len(text))


def names(commands: list[Command]) -> list[str]:
    """The commands in one word each; a record by what it records."""
    return [_name(command) for command in commands]


def _name(command: Command) -> str:
    if isinstance(command, Record):
        record = command.record
        return str(record.get("customType") or record["message"]["role"])
    return type(command).__name__


def play(loop: AgentLoop, *events: Event) -> list[Command]:
    return [command for event in events for command in loop.handle(event)]


def test_a_plain_answer() -> None:
    loop = AgentLoop(StubGuard)
    assert names(loop.handle(UserPrompt("hi"))) == ["user", "SendRequest"]
    assert loop.handle(TextDelta(0, "Hel")) == [SaveInFlight(0, "text", "Hel"), Show("text", "Hel")]
    assert loop.handle(ThinkingDelta(1, "hm")) == [SaveInFlight(1, "thinking", "hm"), Show("thinking", "hm")]
    assert names(loop.handle(Done("stop"))) == ["assistant", "SettleInFlight", "EndTurn"]
    assert isinstance(loop.messages[-1], AssistantMessage)
    assert loop.messages[-1].stop_reason == "stop"


def test_a_reply_is_recorded_before_its_in_flight_copy_goes() -> None:
    for end in (Done("stop"), StreamError("broken"), UserInterrupt()):
        commands = play(AgentLoop(StubGuard), UserPrompt("hi"), TextDelta(0, "a"), end)
        assert names(commands).index("assistant") < names(commands).index("SettleInFlight")


def test_tools_run_one_after_another_and_then_the_model_is_asked_again() -> None:
    loop = AgentLoop(StubGuard)
    play(
        loop,
        UserPrompt("hi"),
        ToolCallStart(0, "a", "read"),
        ToolCallDelta(0, "{}"),
        ToolCallStart(1, "", "bash"),
    )
    first, second = ToolCallBlock("a", "read", "{}"), ToolCallBlock("call-1-1", "bash", "")
    done = loop.handle(Done("tool"))
    assert names(done) == ["assistant", "SettleInFlight", "ShowCall", "RunTool"]
    assert done[-1] == RunTool(first)
    assert loop.handle(ToolFinished("a", "text"))[1:] == [ShowCall(second), RunTool(second)]
    last = loop.handle(ToolFinished("call-1-1", "oops", is_error=True))
    assert names(last) == ["toolResult", "SendRequest"]
    assert isinstance(last[-1], SendRequest)
    assert last[-1].messages[-1] == ToolResult("call-1-1", "bash", "oops", is_error=True)


def test_a_finding_hangs_up_keeps_the_beginning_and_interrupts() -> None:
    loop = AgentLoop(StubGuard)
    play(loop, UserPrompt("hi"), ThinkingDelta(0, "hm"), TextDelta(1, "good lo"))
    commands = loop.handle(TextDelta(1, "op loop"))
    assert names(commands) == [
        "SaveInFlight",
        "Show",
        "HangUp",
        "rule-activation",
        "discarded-output",
        "assistant",
        "SettleInFlight",
        "Notify",
        "ttsr-injection",
        "SendRequest",
    ]
    assert commands[7] == Notify(
        "stream rule collapse-repetition: output interrupted at 14 characters, kept 5"
    )
    stopped = loop.messages[1]
    assert isinstance(stopped, AssistantMessage)
    assert stopped.stop_reason == "aborted"
    assert stopped.blocks[1:] == (TextBlock("good "), TextBlock(INTERRUPT_MARKER))
    interrupt = UserMessage(interrupt_text("collapse-repetition"), hidden=True)
    assert commands[-1] == SendRequest((UserMessage("hi"), interrupt))


def test_deltas_that_were_on_their_way_are_ignored_after_the_turn() -> None:
    loop = AgentLoop(StubGuard)
    play(loop, UserPrompt("hi"), TextDelta(0, "loop"), TextDelta(0, "loop"))
    assert play(loop, TextDelta(0, "more"), Done("stop"), StreamError("late")) == []


def test_one_correction_a_rule_and_prompt() -> None:
    loop = AgentLoop(StubGuard)
    play(loop, UserPrompt("hi"), TextDelta(0, "loop"))
    commands = loop.handle(TextDelta(0, "loop"))
    assert "SendRequest" not in names(commands)
    assert "ttsr-injection" not in names(commands)
    assert commands[-1] == EndTurn(
        "failed", "stream rule collapse-repetition: the corrected reply looped again"
    )
    assert names(play(loop, UserPrompt("again"), TextDelta(0, "loop")))[-2:] == [
        "ttsr-injection",
        "SendRequest",
    ]


def test_two_rules_are_corrected_once_each() -> None:
    rules = iter(["one-rule", "other-rule", "one-rule"])
    loop = AgentLoop(lambda: StubGuard(next(rules)))
    play(loop, UserPrompt("hi"), TextDelta(0, "loop"))
    assert names(loop.handle(TextDelta(0, "loop")))[-1] == "SendRequest"
    assert names(loop.handle(TextDelta(0, "loop")))[-1] == "EndTurn"


def test_a_correction_outlives_tool_rounds_of_the_same_prompt() -> None:
    loop = AgentLoop(StubGuard)
    play(loop, UserPrompt("hi"), TextDelta(0, "loop"), ToolCallStart(0, "a", "read"), Done("tool"))
    commands = play(loop, ToolFinished("a", "x"), TextDelta(0, "loop"))
    assert names(commands)[-1] == "EndTurn"


def test_a_loop_found_at_the_very_end_is_a_finding_too() -> None:
    loop = AgentLoop(lambda: StubGuard(at_end=True))
    commands = play(loop, UserPrompt("hi"), TextDelta(0, "good loop"), Done("stop"))
    assert names(commands)[-2:] == ["ttsr-injection", "SendRequest"]


def test_a_tool_call_in_which_the_loop_began_is_never_run() -> None:
    loop = AgentLoop(StubGuard)
    commands = play(
        loop,
        UserPrompt("hi"),
        ToolCallStart(0, "a", "bash"),
        ToolCallDelta(0, '{"command": "rm x"}'),
        ToolCallStart(1, "b", "write"),
        ToolCallDelta(1, '{"content": "loop'),
    )
    assert "RunTool" not in names(commands)
    assert isinstance(commands[-1], SendRequest)
    assert not any(isinstance(message, AssistantMessage) for message in commands[-1].messages)


def test_ctrl_c_while_the_reply_comes() -> None:
    loop = AgentLoop(StubGuard)
    play(loop, UserPrompt("hi"), TextDelta(0, "half"))
    commands = loop.handle(UserInterrupt())
    assert names(commands) == ["HangUp", "assistant", "SettleInFlight", "EndTurn"]
    reply = loop.messages[-1]
    assert isinstance(reply, AssistantMessage)
    assert (reply.text, reply.stop_reason) == ("half", "aborted")


def test_ctrl_c_while_a_tool_runs_answers_every_call() -> None:
    loop = AgentLoop(StubGuard)
    play(loop, UserPrompt("hi"), ToolCallStart(0, "a", "bash"), ToolCallStart(1, "b", "bash"), Done("tool"))
    assert names(loop.handle(UserInterrupt())) == ["toolResult", "toolResult", "EndTurn"]
    assert loop.handle(ToolFinished("a", "late")) == []
    request = loop.handle(UserPrompt("go on"))[-1]
    assert isinstance(request, SendRequest)
    assert [type(message).__name__ for message in request.messages] == [
        "UserMessage",
        "AssistantMessage",
        "ToolResult",
        "ToolResult",
        "UserMessage",
    ]


def test_ctrl_c_at_rest_does_nothing() -> None:
    assert AgentLoop(StubGuard).handle(UserInterrupt()) == []


def test_rounds_are_bounded() -> None:
    loop = AgentLoop(NoGuard, max_rounds=3)
    commands = loop.handle(UserPrompt("hi"))
    for _ in range(3):
        assert isinstance(commands[-1], SendRequest)
        commands = play(loop, ToolCallStart(0, "a", "read"), Done("tool"), ToolFinished("a", "x"))
    assert commands[-1] == EndTurn("failed", "stopped after 3 requests to the model for one prompt")


def test_a_reply_at_the_output_limit_never_runs_its_calls() -> None:
    loop = AgentLoop(NoGuard)
    commands = play(
        loop, UserPrompt("hi"), ToolCallStart(0, "a", "bash"), ToolCallDelta(0, "{"), Done("length")
    )
    assert commands[-1] == EndTurn("failed", "the reply hit the output limit inside a tool call")


def test_a_text_at_the_output_limit_is_an_answer_with_a_notice() -> None:
    commands = play(AgentLoop(NoGuard), UserPrompt("hi"), TextDelta(0, "half"), Done("length"))
    assert commands[-2:] == [
        Notify("the reply hit the output limit and is incomplete"),
        EndTurn("answered", "half"),
    ]


def test_replies_that_were_cut_are_not_replayed_and_open_calls_get_a_result() -> None:
    call = ToolCallBlock("a", "bash", "{}")
    died_in_tool = AssistantMessage((call,), "toolUse")
    messages: list[Message] = [
        UserMessage("one"),
        AssistantMessage((TextBlock("half"),), "error", "broken"),
        AssistantMessage((TextBlock("half"),), "aborted"),
        AssistantMessage((TextBlock("half"), call), "length"),
        died_in_tool,
        UserMessage("two"),
    ]
    assert replayed(messages) == (
        UserMessage("one"),
        AssistantMessage((TextBlock("half"),), "length"),
        died_in_tool,
        ToolResult("a", "bash", NO_RESULT, is_error=True),
        UserMessage("two"),
    )
