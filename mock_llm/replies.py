"""From the scripted turn that answers a request to the reply's head and commands. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mock_llm import delivery
from mock_llm.dialects.dialect import Ids
from mock_llm.turn import content

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mock_llm.delivery import Command, Piece
    from mock_llm.dialects.dialect import Dialect, WireEvent
    from mock_llm.faults import Fault
    from mock_llm.journal import Exchange
    from mock_llm.request import ModelRequest
    from mock_llm.script import ScriptTurn
    from mock_llm.turn import Delta

JSON = "application/json"
Headers = tuple[tuple[str, str], ...]


class Reply(NamedTuple):
    """What to send. ``length`` is the body's size in bytes, or None where it is not known beforehand.

    ``is_watched`` asks for small buffers, so that the count of what was sent stays near what was read.
    Status 0 sends no head.
    """

    status: int
    headers: Headers
    commands: Iterator[Command]
    length: int | None = None
    is_watched: bool = False


class Impossible(Exception):
    """The script asks for a fault or a gate that this reply cannot have; the message says why."""


def scripted_reply(exchange: Exchange, script: ScriptTurn, request: ModelRequest, dialect: Dialect) -> Reply:
    """The reply that the exchange's turn is, with the gate and the fault that this attempt has.

    Raises:
        Impossible: If one of them cannot happen to this reply.
    """
    fault = script.stream.fault
    if fault is not None and not fault.is_due(exchange.attempt):
        fault = None
    if fault is not None:
        exchange.fault = fault.kind
        if fault.is_answer:
            return _instead(exchange, fault, dialect)
    make = _streamed if request.stream else _whole
    return make(exchange, script, request, dialect, fault)


def _streamed(
    exchange: Exchange, script: ScriptTurn, request: ModelRequest, dialect: Dialect, fault: Fault | None
) -> Reply:
    stream = script.stream
    exchange.chars_total = delivery.total_chars(script.turn, stream)
    exchange.exact = delivery.is_paced(stream)
    turn = delivery.as_played(script.turn, stream)
    batch = 1 if fault else delivery.batch_size(stream)
    deltas = delivery.cut(turn, stream)
    if batch == 1:
        deltas = _generated(deltas, exchange)
    hold_at, fault_at = _gate_offset(exchange, script), _fault_offset(exchange, script, fault)
    for offset in (hold_at, fault_at):
        if offset:
            deltas = delivery.split(deltas, offset)
    encoded = dialect.encode(turn, deltas, request, Ids(exchange.number), batch)
    events: Iterable[Piece] = _encoded(encoded, exchange) if batch == 1 else encoded
    headers: Headers = (
        ("content-type", dialect.stream_type(request)),
        ("cache-control", "no-cache"),
        (dialect.request_id_header, Ids(exchange.number).numbered("req_")),
    )
    if fault is not None:
        from mock_llm import fault_events, faults  # few replies have one

        headers = faults.changed_headers(fault, headers)
        if fault.changes_events:
            wire = fault_events.Wire(dialect, request)
            events = fault_events.broken(events, fault, fault_at, wire, stream)
        stream = faults.slowed(fault, stream)
    if stream.is_held:
        events = delivery.held(events, hold_at, _gate(exchange, script))
    is_watched = exchange.exact or stream.until_hang_up or stream.is_held or fault is not None
    return Reply(200, headers, delivery.plan(events, stream), is_watched=is_watched)


def _whole(
    exchange: Exchange, script: ScriptTurn, request: ModelRequest, dialect: Dialect, fault: Fault | None
) -> Reply:
    exchange.chars_total = script.turn.chars
    body = dialect.encode_whole(script.turn, request, Ids(exchange.number))
    text = "".join(content(part) for part in script.turn.parts)
    exchange.chars_generated = exchange.chars_encoded = len(text)
    headers: Headers = (
        ("content-type", JSON),
        (dialect.request_id_header, Ids(exchange.number).numbered("req_")),
    )
    stream, size = script.stream, len(body)
    gate = _gate(exchange, script) if stream.is_held else ""
    if fault is None:
        return Reply(200, headers, delivery.plan_whole(body, text, stream, gate), size)
    from mock_llm import fault_events, faults  # few replies have one

    offset = _fault_offset(exchange, script, fault, size)
    headers, stream = faults.changed_headers(fault, headers), faults.slowed(fault, stream)
    if not fault.changes_events:
        return Reply(200, headers, delivery.plan_whole(body, text, stream, gate), size)
    commands = fault_events.broken_body(body, text, fault, offset, delivery.opening(stream, gate))
    return Reply(200, headers, commands, fault_events.body_size(fault, body), is_watched=True)


def _instead(exchange: Exchange, fault: Fault, dialect: Dialect) -> Reply:
    """The reply that a fault is by itself."""
    from mock_llm import faults  # few replies have one

    if fault.is_before_headers:
        return Reply(0, (), iter((faults.before_headers(fault),)))
    request_id = (dialect.request_id_header, Ids(exchange.number).numbered("req_"))
    headers, body = faults.error_answer(fault, dialect, request_id[1])
    commands = (delivery.Send(body), delivery.Finish("fault"))
    return Reply(fault.status, (*headers, request_id), iter(commands), len(body))


def _gate(exchange: Exchange, script: ScriptTurn) -> str:
    return script.stream.hold or f"reply-{exchange.reply}"


def _gate_offset(exchange: Exchange, script: ScriptTurn) -> int:
    offset = script.stream.hold_after or 0
    if offset > exchange.chars_total:
        found = f"is at {offset} characters, and the reply has {exchange.chars_total}"
        raise Impossible(f"the gate of {script.place or 'a turn'} {found}")
    return offset


def _fault_offset(
    exchange: Exchange, script: ScriptTurn, fault: Fault | None, body_bytes: int | None = None
) -> int:
    if fault is None:
        return 0
    from mock_llm import faults  # few replies have one

    offset = fault.offset(exchange.attempt)
    size = exchange.chars_total if body_bytes is None else body_bytes
    found = faults.objection(fault, script.turn, size, offset, is_streamed=body_bytes is None)
    if found:
        raise Impossible(f"the fault '{fault.kind}' of {script.place or 'a turn'} {found}")
    return offset


def _generated(deltas: Iterable[Delta], exchange: Exchange) -> Iterator[Delta]:
    for delta in deltas:
        exchange.chars_generated += len(delta.text)
        yield delta


def _encoded(events: Iterable[WireEvent], exchange: Exchange) -> Iterator[WireEvent]:
    for event in events:
        exchange.chars_encoded += event.chars
        yield event
