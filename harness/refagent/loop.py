"""The agent as a state machine: events in, commands out; no clock, no file, no socket.

    idle      --UserPrompt-->    replying
    replying  --Done-->          idle (answered) | tools (the reply has calls)
    replying  --finding-->       replying (once per rule and user message) | idle (failed)
    tools     --ToolFinished-->  tools (more calls) | replying
    any       --UserInterrupt--> idle          replying --StreamError--> idle

Every message has its own guard. On a finding the loop hangs up, keeps of the message what the rule's remedy
says, and asks again: with a hidden interrupt, or just so. One user message gets that at most once per rule: a
model that loops in spite of it would loop for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

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
from harness.refagent.guards import NoGuard
from harness.refagent.records import discarded_output, injection, message_record, rule_activation
from harness.refagent.remedies import interrupt_text, remedy_for
from harness.refagent.reply import Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from harness.detectors.finding import Finding
    from harness.refagent.conversation import Block, StopReason, ToolCallBlock
    from harness.refagent.events import Stop, StreamEvent
    from harness.refagent.guards import StreamGuard, TurnWatch
    from harness.refagent.remedies import Remedy
    from harness.refagent.reply import BlockKind, Piece

MAX_ROUNDS = 50  # model requests per user message
INTERRUPTED = "interrupted by the user"
_STOP_REASONS: dict[Stop, StopReason] = {"stop": "stop", "tool": "stop", "length": "length"}


@dataclass(frozen=True, slots=True)
class _Stopped:
    """A finding and the block that it is about; ``end`` is where the block is cut, None to keep all."""

    finding: Finding
    block: int
    kind: BlockKind
    end: int | None


class AgentLoop:
    """One conversation.

    Args:
        guard: Makes a fresh guard; called once for every reply.
        messages: What a resumed session already holds.
        max_rounds: Model requests that one user message may cause.
        turns: What the guards compare a reply with; it knows the replies of ``messages`` already.
    """

    def __init__(
        self,
        guard: Callable[[], StreamGuard],
        messages: Iterable[Message] = (),
        max_rounds: int = MAX_ROUNDS,
        turns: TurnWatch | None = None,
    ) -> None:
        self._new_guard = guard
        self._turns = turns
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
            commands += self._stopped(_Stopped(finding, piece.block, piece.kind, finding.garbage_start))
        return commands

    def _done(self, stop: Stop) -> list[Command]:
        finding, block = self._guard.finish(), self._guard.block
        if finding is not None and block is not None:
            kind = self._reply.kind_of(block)
            return self._stopped(_Stopped(finding, block, kind, finding.garbage_start))
        reply = AssistantMessage(self._reply.blocks, "stop")
        copy = self._turns.remember(reply.said) if self._turns else None
        if copy is not None:
            return self._stopped(_Stopped(copy, 0, "text", None))
        if reply.tool_calls and stop != "length":
            self._calls = list(reply.tool_calls)
            return [*self._keep("toolUse", is_known=True), *self._next_call()]
        return [*self._keep(_STOP_REASONS[stop], is_known=True), *self._answered(reply, stop)]

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
        """A rule fired: hang up, keep what its remedy says, and ask the model once more."""
        finding, rule = stopped.finding, stopped.finding.rule
        remedy, again = remedy_for(rule), rule in self._corrected
        self._corrected.add(rule)
        kept, dropped = self._parted(stopped, remedy)
        remediation = "stop" if again else remedy.remediation
        commands: list[Command] = [
            HangUp(),
            Record(rule_activation(finding, stopped.kind, remediation)),
            *(Record(discarded_output(piece.kind, piece.text)) for piece in dropped),
            *self._keep(remedy.stop_reason, remedy.error(finding), kept, is_known=stopped.end is None),
            Notify(remedy.notice(finding)),
        ]
        if again:
            return commands + self._end("failed", f"stream rule {rule}: {remedy.again}")
        if self._turns and rule == self._turns.rule:
            self._turns.rearm()
        return [*commands, *self._interrupt(rule, remedy), *self._ask()]

    def _parted(self, stopped: _Stopped, remedy: Remedy) -> tuple[tuple[Block, ...], tuple[Piece, ...]]:
        """What is kept of the reply, and what is not."""
        reply = self._reply
        if not remedy.keeps:
            return (), reply.content
        if stopped.end is None:
            return reply.blocks, ()
        kept = reply.cut(stopped.block, stopped.end)
        marker = (TextBlock(INTERRUPT_MARKER),) if remedy.marks else ()
        return (*kept, *marker), reply.dropped(stopped.block, stopped.end)

    def _interrupt(self, rule: str, remedy: Remedy) -> list[Command]:
        if not remedy.interrupts:
            return []
        text = interrupt_text(rule)
        self._messages.append(UserMessage(text, hidden=True))
        return [Record(injection(rule, text))]

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
        self,
        stop_reason: StopReason,
        error: str = "",
        blocks: tuple[Block, ...] | None = None,
        *,
        is_known: bool = False,
    ) -> list[Command]:
        """Put the reply into the conversation; only then may its in-flight copy go.

        ``is_known`` tells that the watch over the turns has taken it in already.
        """
        reply = self._reply
        message = AssistantMessage(
            reply.blocks if blocks is None else blocks,
            stop_reason,
            error,
            reply.input_tokens,
            reply.output_tokens,
        )
        if self._turns and not is_known:
            self._turns.remember(message.said)  # stopped for another reason: what it says comes too late
        return [self._remember(message), SettleInFlight()]

    def _remember(self, message: Message) -> Record:
        self._messages.append(message)
        return Record(message_record(message))

    def _end(self, outcome: Literal["answered", "failed", "interrupted"], text: str) -> list[Command]:
        self._state = "idle"
        return [EndTurn(outcome, text)]
