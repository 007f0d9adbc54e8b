"""The agent as a state machine: events in, commands out; no clock, no file, no socket.

    idle      --UserPrompt-->    replying
    replying  --Done-->          idle (answered) | tools (the reply has calls)
    replying  --finding-->       replying (once per rule and user message) | idle (failed)
    tools     --ToolFinished-->  tools (more calls) | replying
    any       --UserInterrupt--> idle          replying --StreamError--> idle

Every message has its own guard. On a finding the loop hangs up, keeps the message up to where the loop
began, and asks again with a hidden interrupt. One user message gets at most one interrupt per rule: a model
that loops in spite of it would loop for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from harness.refagent.commands import (
    Command,
    EndTurn,
    HangUp,
    Notify,
    Record,
    RunTool,
    SaveInFlight,
    SendRequest,
    SettleInFlight,
    Show,
    ShowCall,
)
from harness.refagent.conversation import (
    INTERRUPT_MARKER,
    AssistantMessage,
    Message,
    TextBlock,
    ToolResult,
    UserMessage,
    replayed,
)
from harness.refagent.events import (
    Done,
    Event,
    StreamError,
    ToolCallStart,
    ToolFinished,
    UserInterrupt,
    UserPrompt,
)
from harness.refagent.records import discarded_output, injection, message_record, rule_activation
from harness.refagent.reply import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from harness.detectors.finding import Finding, StreamKind
    from harness.refagent.conversation import Block, StopReason, ToolCallBlock
    from harness.refagent.events import Stop, StreamEvent
    from harness.refagent.reply import BlockKind

MAX_ROUNDS = 50  # model requests per user message
INTERRUPTED = "interrupted by the user"
_STOP_REASONS: dict[Stop, StopReason] = {"stop": "stop", "tool": "stop", "length": "length"}


class StreamGuard(Protocol):
    """Reads one message; the first finding is returned once."""

    def feed(self, block: int, kind: StreamKind, delta: str) -> Finding | None:
        """Read more of a block."""

    def finish(self) -> Finding | None:
        """Say that the message is complete."""


class NoGuard:
    """A guard that never finds anything."""

    def feed(self, block: int, kind: StreamKind, delta: str) -> None:
        """Look away."""

    def finish(self) -> None:
        """Look away."""


@dataclass(frozen=True, slots=True)
class _Stopped:
    """A finding and the block that it is about."""

    finding: Finding
    block: int
    kind: BlockKind


class AgentLoop:
    """One conversation.

    Args:
        guard: Makes a fresh guard; called once for every reply.
        messages: What a resumed session already holds.
        max_rounds: Model requests that one user message may cause.
    """

    def __init__(
        self, guard: Callable[[], StreamGuard], messages: Iterable[Message] = (), max_rounds: int = MAX_ROUNDS
    ) -> None:
        self._new_guard = guard
        self._messages = list(messages)
        self._max_rounds = max_rounds
        self._state: Literal["idle", "replying", "tools"] = "idle"
        self._reply = Reply()
        self._guard: StreamGuard = NoGuard()
        self._calls: list[ToolCallBlock] = []
        self._corrected: set[str] = set()
        self._rounds = 0

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation so far."""
        return tuple(self._messages)

    def handle(self, event: Event) -> list[Command]:
        """Take one event in and say what is to be done, in order.

        An event that does not belong to the state, such as a delta after a hang-up, is ignored.
        """
        match event:
            case UserPrompt(text):
                return self._prompt(text) if self._state == "idle" else []
            case UserInterrupt():
                return self._interrupted()
            case ToolFinished():
                return self._tool_finished(event) if self._state == "tools" else []
            case _:
                return self._streamed(event) if self._state == "replying" else []

    def _prompt(self, text: str) -> list[Command]:
        self._corrected.clear()
        self._rounds = 0
        return [self._remember(UserMessage(text)), *self._ask()]

    def _ask(self) -> list[Command]:
        if self._rounds >= self._max_rounds:
            return self._end("failed", f"stopped after {self._rounds} requests to the model for one prompt")
        self._rounds += 1
        self._state = "replying"
        self._reply = Reply(f"call-{len(self._messages)}")
        self._guard = self._new_guard()
        return [SendRequest(replayed(self._messages))]

    def _streamed(self, event: StreamEvent) -> list[Command]:
        if isinstance(event, StreamError):
            return [*self._keep("error", event.message), *self._end("failed", event.message)]
        if isinstance(event, Done):
            return self._done(event.stop)
        piece = self._reply.add(event)
        if piece is None:
            return [SaveInFlight(event.block, "tool", event.name)] if isinstance(event, ToolCallStart) else []
        commands: list[Command] = [SaveInFlight(piece.block, piece.kind, piece.text)]
        if piece.kind != "tool":
            commands.append(Show(piece.kind, piece.text))
        finding = self._guard.feed(piece.block, piece.kind, piece.text)
        if finding is not None:
            commands += self._stopped(_Stopped(finding, piece.block, piece.kind))
        return commands

    def _done(self, stop: Stop) -> list[Command]:
        finding = self._guard.finish()
        if finding is not None:
            return self._stopped(_Stopped(finding, *self._reply.last))
        reply = AssistantMessage(self._reply.blocks, "stop")
        if reply.tool_calls and stop != "length":
            self._calls = list(reply.tool_calls)
            return [*self._keep("toolUse"), *self._next_call()]
        return [*self._keep(_STOP_REASONS[stop]), *self._answered(reply, stop)]

    def _answered(self, reply: AssistantMessage, stop: Stop) -> list[Command]:
        if reply.tool_calls:
            return self._end("failed", "the reply hit the output limit inside a tool call")
        commands: list[Command] = []
        if stop == "length":
            commands.append(Notify("the reply hit the output limit and is incomplete"))
        elif not reply.text:
            commands.append(Notify("the model's reply has no text"))
        return commands + self._end("answered", reply.text)

    def _stopped(self, stopped: _Stopped) -> list[Command]:
        """A rule fired: hang up, keep what came before the loop, and correct the model once."""
        finding, rule = stopped.finding, stopped.finding.rule
        again = rule in self._corrected
        self._corrected.add(rule)
        dropped = self._reply.dropped(stopped.block, finding.garbage_start)
        kept = self._reply.cut(stopped.block, finding.garbage_start)
        commands: list[Command] = [
            HangUp(),
            Record(rule_activation(finding, stopped.kind, corrected=not again)),
            Record(discarded_output(stopped.kind, dropped)),
            *self._keep("aborted", f"stopped by stream rule {rule}", (*kept, TextBlock(INTERRUPT_MARKER))),
            Notify(
                f"stream rule {rule}: output interrupted at {finding.fired_at:,} characters, "
                f"kept {finding.garbage_start:,}"
            ),
        ]
        if again:
            return commands + self._end("failed", f"stream rule {rule}: the corrected reply looped again")
        return [*commands, self._interrupt(rule), *self._ask()]

    def _interrupt(self, rule: str) -> Record:
        text = interrupt_text(rule)
        self._messages.append(UserMessage(text, hidden=True))
        return Record(injection(rule, text))

    def _interrupted(self) -> list[Command]:
        """Ctrl-C: what has arrived is kept with its reason, and the model is not told off."""
        if self._state == "replying":
            return [HangUp(), *self._keep("aborted", INTERRUPTED), *self._end("interrupted", INTERRUPTED)]
        commands: list[Command] = [
            self._remember(ToolResult(call.id, call.name, INTERRUPTED, is_error=True)) for call in self._calls
        ]
        self._calls = []
        return commands + (self._end("interrupted", INTERRUPTED) if self._state == "tools" else [])

    def _next_call(self) -> list[Command]:
        if not self._calls:
            return self._ask()
        self._state = "tools"
        return [ShowCall(self._calls[0]), RunTool(self._calls[0])]

    def _tool_finished(self, event: ToolFinished) -> list[Command]:
        if not self._calls or event.call_id != self._calls[0].id:
            return []
        call = self._calls.pop(0)
        result = ToolResult(call.id, call.name, event.output, event.is_error)
        return [self._remember(result), *self._next_call()]

    def _keep(
        self, stop_reason: StopReason, error: str = "", blocks: tuple[Block, ...] | None = None
    ) -> list[Command]:
        """Put the reply into the conversation; only then may its in-flight copy go."""
        reply = self._reply
        message = AssistantMessage(
            reply.blocks if blocks is None else blocks,
            stop_reason,
            error,
            reply.input_tokens,
            reply.output_tokens,
        )
        return [self._remember(message), SettleInFlight()]

    def _remember(self, message: Message) -> Record:
        self._messages.append(message)
        return Record(message_record(message))

    def _end(self, outcome: Literal["answered", "failed", "interrupted"], text: str) -> list[Command]:
        self._state = "idle"
        return [EndTurn(outcome, text)]


def interrupt_text(rule: str) -> str:
    """What the model is told after rule ``rule`` stopped it. It quotes nothing of the dropped text."""
    return (
        f'<system-interrupt reason="rule_violation" rule="{rule}">\n'
        "Your last reply was stopped because it had begun to repeat itself; the repeated part was thrown "
        "away. Do not take it up again and do not restate your plan. Do the next concrete step, or give the "
        "answer the user asked for, and then stop.\n"
        "</system-interrupt>"
    )
