"""One reply of the model from both sides: what the wire carried and what the session kept."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from harness.steps.wording import chars, count
from mock_llm.turn import Text, Thinking, ToolCall, content

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.evidence import Evidence
    from harness.steps.arguments import StreamName
    from harness.transcript import RuleRecord, TranscriptMessage
    from mock_llm.journal import Exchange
    from mock_llm.turn import Part, Turn

NO_SESSION = "session: this agent keeps none"
UNSEEN = "this agent keeps no session, so what it kept cannot be seen"

# The agents' own words for a message that did not end by itself.
STOPPED_BY_GUARD = frozenset({"aborted", "cancelled", "interrupted"})
_STOPPED = STOPPED_BY_GUARD | {"error"}
_CUT_SHORT = _STOPPED | {"length", "max_tokens"}
_TOLD_BY, _TOLD_AT_LEAST = 40, 4
"""Characters that tell one reply from another, and how many it takes."""
_MOST_LEFT_OUT = 10
_WANTS_TOOLS = frozenset({"tool", "toolUse", "tool_use", "tool_calls"})


class Reply(NamedTuple):
    """Reply ``number`` of the main lane; a side that has not come yet is None."""

    number: int
    exchange: Exchange | None
    message: TranscriptMessage | None
    records: tuple[RuleRecord, ...]

    @property
    def is_aborted(self) -> bool:
        """Whether the session says that the message was stopped."""
        return self.message is not None and self.message.stop_reason in STOPPED_BY_GUARD

    @property
    def was_cut_on_wire(self) -> bool:
        """Whether the client hung up before it had been sent everything."""
        exchange = self.exchange
        if exchange is None or exchange.ended != "client-hung-up":
            return False
        endless = exchange.turn is not None and exchange.turn.stream.until_hang_up
        return endless or exchange.chars_sent < exchange.chars_total

    @property
    def arrived_whole(self) -> bool:
        """Whether everything was sent and nobody hung up before that."""
        ended = self.exchange.ended if self.exchange else "open"
        return ended in ("complete", "client-hung-up") and not self.was_cut_on_wire


def reply(evidence: Evidence, number: int) -> Reply:
    """Reply ``number`` (from 1) as far as it has come."""
    exchange = evidence.main[number - 1] if number <= len(evidence.main) else None
    if evidence.transcript is None:
        return Reply(number, exchange, None, ())
    index = _place(number, evidence, evidence.transcript.messages)
    if index is None:
        return Reply(number, exchange, None, ())
    records = tuple(r for r in evidence.transcript.rules if r.message == index)
    return Reply(number, exchange, evidence.transcript.messages[index], records)


def last_saved(evidence: Evidence) -> int:
    """The number of the last reply that the session has a message of; 0 when it has none."""
    saved = len(evidence.transcript.assistant) if evidence.transcript else 0
    numbers = range(max(saved, len(evidence.main)), 0, -1) if saved else ()
    return next((number for number in numbers if reply(evidence, number).message), 0)


def _place(number: int, evidence: Evidence, messages: Sequence[TranscriptMessage]) -> int | None:
    """Where the message of a reply is; they come in the order of the replies.

    A session may leave out a reply that was given up. What stands in its place then begins as a later reply
    does, and not as that one.
    """
    places = [i for i, message in enumerate(messages) if message.role == "assistant"]
    if number <= min(len(places), len(evidence.main)):
        begin = messages[places[number - 1]].text.strip()[:_TOLD_BY]
        if begin and _begins(evidence.main[number - 1], begin):
            return places[number - 1]  # as nearly always: nothing was left out
    left_out = 0
    for before in range(number):
        at = before - left_out
        if at >= len(places):
            return None
        if _is_of_later(messages[places[at]], before, evidence.main):
            left_out += 1
            if before + 1 == number:
                return None
    return places[number - 1 - left_out]


def _is_of_later(message: TranscriptMessage, before: int, main: Sequence[Exchange]) -> bool:
    """Whether a message plainly holds one of the next replies and not the one at this place."""
    begin = message.text.strip()[:_TOLD_BY]
    if len(begin) < _TOLD_AT_LEAST or before >= len(main) or _begins(main[before], begin):
        return False
    return any(_begins(exchange, begin) for exchange in main[before + 1 : before + 1 + _MOST_LEFT_OUT])


def _begins(exchange: Exchange, begin: str) -> bool:
    return exchange.turn is not None and turn_text(exchange.turn.turn, "text").lstrip().startswith(begin)


_PARTS: dict[StreamName, type[Part]] = {"text": Text, "thinking": Thinking, "tool": ToolCall}


def turn_text(turn: Turn, stream: StreamName) -> str:
    """Everything the model says on one stream of a turn; of calls, their arguments."""
    return "".join(content(part) for part in turn.parts if isinstance(part, _PARTS[stream]))


def chars_before(turn: Turn, stream: StreamName) -> int:
    """Characters of the parts that are sent before the first part of the stream."""
    wanted = _PARTS[stream]
    return sum(
        len(content(part)) for part in takewhile(lambda part: not isinstance(part, wanted), turn.parts)
    )


def main_stream(turn: Turn) -> StreamName:
    """The stream that a turn is about: its text; without text its thinking; without both its calls."""
    present: list[StreamName] = [
        name for name, kind in _PARTS.items() if any(isinstance(part, kind) for part in turn.parts)
    ]
    return present[0] if present else "thinking"


def kept_text(message: TranscriptMessage, stream: StreamName, marker: str) -> tuple[str, bool]:
    """What the session kept of a stream without the marker block, and whether that block is there.

    The marker is a text block of its own, also when another stream was cut.
    """
    texts = [part.text for part in message.parts if part.kind == "text"]
    has_marker = bool(marker) and marker in texts
    if stream == "thinking":
        return message.thinking, has_marker
    if stream == "tool":
        return "".join(part.text for part in message.parts if part.kind == "tool_call"), has_marker
    if has_marker:
        texts.remove(marker)
    return "".join(texts), has_marker


def ended_normally(message: TranscriptMessage) -> bool:
    """Whether the message is a finished answer: not cut short, no error, no tool call to follow."""
    return not message.error and message.stop_reason not in _CUT_SHORT | _WANTS_TOOLS


def was_stopped(message: TranscriptMessage) -> bool:
    """Whether the agent's side stopped the message; a length limit of the model is not that."""
    return bool(message.error) or message.stop_reason in _STOPPED


def wire_line(view: Reply) -> str:
    """The wire's side as an evidence line."""
    exchange = view.exchange
    if exchange is None:
        return f"wire: no reply {view.number} was asked for"
    bound = "" if exchange.exact else " (an upper bound)"
    sent = f"{exchange.chars_sent:,} of {chars(exchange.chars_total)} sent{bound}"
    return f"wire: reply {view.number} ended '{exchange.ended}', {sent}"


def session_line(view: Reply, evidence: Evidence) -> str:
    """The session's side as an evidence line."""
    source = evidence.session
    if not source.is_kept:
        return NO_SESSION
    if evidence.transcript is None and source.file:
        return f"session: {source.file} could not be read"
    if evidence.transcript is None:
        return f"session: no session file matched {source.pattern}; {source.others}"
    if view.message is None:
        saved = len(evidence.transcript.assistant)
        if saved >= view.number:
            return f"session: no message of reply {view.number}: those in {source.file} are of later ones"
        found = count(saved, "assistant message")
        return (
            f"session: no assistant message {view.number}: "
            f"reader {source.reader} found {found} in {source.file}"
        )
    message = view.message
    error = f", error '{message.error}'" if message.error else ""
    length = chars(len(message.text) + len(message.thinking))
    return f"session: assistant message {view.number}, stop reason '{message.stop_reason}', {length}{error}"


def not_saved(view: Reply, evidence: Evidence) -> str:
    """Why there is no message of the reply to look at: no file, or no such message in it."""
    return session_line(view, evidence).removeprefix("session: ")


def rules_lines(evidence: Evidence) -> list[str]:
    """The rules that the session says have fired, as an evidence line; none without a session."""
    if evidence.transcript is None:
        return []
    named = [record_name(r) for r in evidence.transcript.rules]
    return [f"rules recorded in the session: {', '.join(named) or 'none'}"]


def record_name(record: RuleRecord) -> str:
    """``rule / mechanism at 1,797``, as far as the record says it."""
    mechanism = f" / {record.mechanism}" if record.mechanism else ""
    at = f" at {record.fired_at:,}" if record.fired_at is not None else ""
    return f"{record.rule}{mechanism}{at}"
