"""The channels of a run as text for people: stable in form, one thing a line where that can be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from harness.figures import stops
from harness.steps.wording import chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.evidence import Evidence
    from harness.results import Stop
    from harness.transcript import Transcript
    from mock_llm.journal import Exchange
    from mock_llm.request import ModelRequest, RequestMessage

_ELSEWHERE = frozenset(
    "model messages input contents instructions system systemInstruction system_instruction tools".split()  # noqa: SIM905
)


def render_transcript(transcript: Transcript | None) -> str:
    """The saved session: every message with its parts, and the rules that fired."""
    return _lines(_transcript(transcript))


def render_requests(exchanges: Sequence[Exchange]) -> str:
    """The requests of the conversation; messages that the one before had too are not shown again."""
    return _lines(_requests([exchange.request for exchange in exchanges]))


def render_timeline(evidence: Evidence) -> str:
    """What happened in which order, without times."""
    return _lines(_timeline(evidence))


def render_screen(text: str) -> str:
    """The rows of a screen without the blanks at their ends."""
    return _lines(row.rstrip() for row in text.rstrip().split("\n"))


def _lines(lines: Iterator[str]) -> str:
    text = "\n".join(lines).rstrip("\n")
    return "\n".join(line.rstrip() for line in text.split("\n")) + "\n"


def _indented(text: str) -> Iterator[str]:
    yield from (f"  {line}" for line in text.split("\n"))


def _transcript(transcript: Transcript | None) -> Iterator[str]:
    if transcript is None:
        yield "no session was saved"
        return
    fired = {rule.message: rule for rule in transcript.rules}
    for index, message in enumerate(transcript.messages):
        if rule := fired.get(index):
            yield f"rule {rule.rule} stopped the next message ({rule.mechanism or 'mechanism not said'})"
        about = [word for word in ("hidden" * message.hidden, message.stop_reason) if word]
        yield f"{index + 1} {message.role}" + (f" ({', '.join(about)})" if about else "")
        for part in message.parts:
            if part.kind != "text":
                yield f"  [{part.kind.replace('_', ' ')}{f' {part.name}' if part.name else ''}]"
            yield from _indented(part.text)
        if message.error:
            yield f"  error: {message.error}"
        yield ""


def _requests(requests: Sequence[ModelRequest | None]) -> Iterator[str]:
    before: ModelRequest | None = None
    for number, request in enumerate(requests, 1):
        yield f"request {number}"
        if request is None:
            yield "  could not be parsed"
            continue
        yield f"  model: {request.model}"
        for key in sorted(set(request.body) - _ELSEWHERE):
            yield f"  {key}: {json.dumps(request.body[key], ensure_ascii=False, sort_keys=True)}"
        yield from _unless_same(
            "tools", ", ".join(request.tools), ", ".join(before.tools) if before else None
        )
        yield from _unless_same("system", request.system, before.system if before else None)
        yield from _messages(request.messages, before.messages if before else (), number)
        yield ""
        before = request


def _unless_same(name: str, text: str, before: str | None) -> Iterator[str]:
    if not text:
        return
    if text == before:
        yield f"  {name}: as before"
        return
    yield f"  {name}:"
    yield from (f"  {line}" for line in _indented(text))


def _messages(
    messages: Sequence[RequestMessage], before: Sequence[RequestMessage], number: int
) -> Iterator[str]:
    same = 0
    while same < min(len(messages), len(before)) and messages[same] == before[same]:
        same += 1
    if same:
        which = "message 1" if same == 1 else f"messages 1 to {same}"
        yield f"  {which}: as in request {number - 1}"
    for index, message in enumerate(messages[same:], same + 1):
        yield f"  message {index}, {message.role}:"
        for kind, text in (("", message.text), ("thinking", message.thinking)):
            if text:
                yield from ([f"    [{kind}]"] if kind else [])
                yield from (f"  {line}" for line in _indented(text))
        for call in message.tool_calls:
            yield "    [tool call]"
            yield from (f"  {line}" for line in _indented(call))


def _timeline(evidence: Evidence) -> Iterator[str]:
    stopped = {(stop.reply): stop for stop in stops(evidence)}
    for number, exchange in enumerate(evidence.main, 1):
        yield f"request {number}"
        stop = stopped.get(number)
        yield f"  reply {exchange.reply}: {_end(exchange, is_stopped=stop is not None)}"
        if exchange.fault:
            yield f"  scripted fault: {exchange.fault}"
        if stop:
            yield f"  {_stop(stop)}"
    for exchange in evidence.exchanges:
        if exchange.ended == "refused":
            yield f"refused: {exchange.method} {exchange.path}"
    yield f"exit {evidence.exit_code}"


def _end(exchange: Exchange, *, is_stopped: bool) -> str:
    """How a reply ended. On a busy machine the rest of a stopped one is sent before a hang-up can show."""
    if is_stopped and exchange.ended in ("client-hung-up", "complete"):
        return "stopped by the client"
    whole = f", {chars(exchange.chars_total)}" if exchange.ended == "complete" else ""
    return f"{exchange.ended}{whole}"


def _stop(stop: Stop) -> str:
    by = f" by {stop.rule}" if stop.rule else ""
    with_what = f" ({stop.mechanism})" if stop.mechanism else ""
    at = f", fired at {chars(stop.fired_at)}" if stop.fired_at is not None else ""
    kept = f", {chars(stop.kept_chars)} kept" if stop.kept_chars is not None else ""
    return f"{stop.stream} stopped{by}{with_what}{at}{kept}"
