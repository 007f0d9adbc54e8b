"""Faults in the body of a reply: events in, events and commands out. Pure."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from mock_llm.delivery import Close, Drain, Finish, Reset, Send, Stall, WaitUntil, replaced
from mock_llm.dialects.dialect import WireEvent
from mock_llm.faults import STALL_MS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from mock_llm.delivery import Command, Piece
    from mock_llm.dialects.dialect import Dialect
    from mock_llm.faults import Fault
    from mock_llm.request import ModelRequest
    from mock_llm.script import Stream

BOM = b"\xef\xbb\xbf"
UNKNOWN = b'{"type":"mock_unknown","note":"no client knows this event"}'
_FIELD = re.compile(rb"^(data|event): ", re.MULTILINE)
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?|.)", re.DOTALL)

_NextEvent = WireEvent | None


class Wire(NamedTuple):
    """Whose events they are, and how an event looks that the dialect does not know."""

    dialect: Dialect
    request: ModelRequest

    @property
    def unknown(self) -> bytes:
        """An event of the stream's own form with a type that no client knows."""
        like = self.dialect.error_event("", request=self.request)
        if like.startswith(b"event: "):
            return b"event: mock_unknown\ndata: %b\n\n" % UNKNOWN
        return b"data: %b\n\n" % UNKNOWN if like.startswith(b"data: ") else UNKNOWN + b",\r\n"


def broken(events: Iterable[Piece], fault: Fault, offset: int, wire: Wire, stream: Stream) -> Iterator[Piece]:
    """The events of a streamed reply with the fault in them.

    Exactly ``offset`` characters of content come before what the fault does. What it adds (a second copy, an
    unknown event) carries no content of its own.
    """
    if fault.kind in _REWRITES:
        return _REWRITES[fault.kind](events)
    if fault.kind == "trickle":
        return _trickle(events, fault, offset, stream)
    return replaced(events, offset, lambda event, place: _POINTS[fault.kind](event, fault, wire, place))


def broken_body(
    body: bytes, text: str, fault: Fault, offset: int, opening: Iterable[Command]
) -> Iterator[Command]:
    """The same for a reply that is not streamed; ``offset`` counts bytes of the body.

    What ``opening`` does comes before. The body's characters are counted as sent only when all of it is.
    """
    yield from opening
    if fault.kind == "bom":
        yield from (Send(BOM + body, len(text), text), Finish())
    elif fault.kind == "bad-json":
        yield from (Send(_half(body)), Finish("fault"))
    elif fault.kind == "trickle":
        if offset:
            yield Send(body[:offset])
        yield from _dripped(WireEvent(body[offset:], len(text), text), fault, 0)
        yield Finish()
    else:
        if offset:
            yield Send(body[:offset])
        yield from _ENDS[fault.kind](fault)


def body_size(fault: Fault, body: bytes) -> int:
    """What ``content-length`` says of a whole reply with this fault."""
    if fault.kind == "bom":
        return len(BOM) + len(body)
    return len(_half(body)) if fault.kind == "bad-json" else len(body)


def raw_utf8(data: bytes) -> bytes:
    r"""JSON text with its ``\u`` escapes of characters beyond ASCII as plain UTF-8.

    >>> raw_utf8(rb'"\u00e9 \\u00e9 \ud83d\ude00 \n \ud800"').decode()
    '"é \\\\u00e9 😀 \\n \\ud800"'
    """

    def plain(match: re.Match[bytes]) -> bytes:
        if match[1] is None:
            return match[0]
        code = int(match[1], 16)
        if match[2] is not None and 0xD800 <= code < 0xDC00:
            return chr(0x10000 + (code - 0xD800 << 10) + int(match[2], 16) - 0xDC00).encode()
        if code < 0x80 or 0xD800 <= code < 0xE000:
            return match[0]
        return chr(code).encode() + (b"\\u" + match[2] if match[2] else b"")

    return _ESCAPE.sub(plain, data)


# What happens at a point: the event that would come next, as it comes now, and how the reply goes on.


def _ended(fault: Fault) -> Command:
    return Finish("fault") if fault.ending == "end" else Close()


def _half_event(event: _NextEvent, fault: Fault, wire: Wire, _: int) -> tuple[Piece, ...]:
    return (Send(_half(event.data if event else wire.unknown)), _ended(fault))


def _no_blank_line(event: _NextEvent, fault: Fault, wire: Wire, _: int) -> tuple[Piece, ...]:
    return (Send((event.data if event else wire.unknown).rstrip(b"\n") + b"\n"), _ended(fault))


def _bad_json(event: _NextEvent, _: Fault, wire: Wire, __: int) -> tuple[Piece, ...]:
    copy = WireEvent(_half(event.data if event else wire.unknown).rstrip(b"\n") + b"\n\n")
    return (copy, event) if event else (copy,)


def _error_event(_: _NextEvent, fault: Fault, wire: Wire, place: int) -> tuple[Piece, ...]:
    error = wire.dialect.error_event(fault.message, fault.error_type, wire.request, place)
    return (Send(error), Finish("fault"))


def _duplicate(event: _NextEvent, _: Fault, __: Wire, ___: int) -> tuple[Piece, ...]:
    return (event, WireEvent(event.data)) if event else ()


def _unknown(event: _NextEvent, _: Fault, wire: Wire, __: int) -> tuple[Piece, ...]:
    return (WireEvent(wire.unknown), event) if event else (WireEvent(wire.unknown),)


def _oversized(event: _NextEvent, fault: Fault, wire: Wire, _: int) -> tuple[Piece, ...]:
    """Spaces before the last brace: valid JSON of the same value."""
    event = event or WireEvent(wire.unknown)
    head, brace, tail = event.data.rpartition(b"}")
    if not brace:  # an event that is not JSON, such as [DONE]: a comment grows instead
        return (WireEvent(b": " + b" " * int(fault.megabytes * 2**20) + b"\n\n"), event)
    return (event._replace(data=head + b" " * int(fault.megabytes * 2**20) + brace + tail),)


_ENDS: Mapping[str, Callable[[Fault], tuple[Command, ...]]] = {
    "reset": lambda _: (Reset(),),
    "close": lambda _: (Close(),),
    "early-end": lambda _: (Finish("fault"),),
    "stall": lambda fault: (Stall(STALL_MS if fault.for_ms is None else fault.for_ms), Close()),
}
_POINTS: Mapping[str, Callable[[_NextEvent, Fault, Wire, int], tuple[Piece, ...]]] = {
    **dict.fromkeys(_ENDS, lambda _, fault, __, ___: _ENDS[fault.kind](fault)),
    "half-event": _half_event,
    "no-blank-line": _no_blank_line,
    "bad-json": _bad_json,
    "error-event": _error_event,
    "duplicate-event": _duplicate,
    "unknown-event": _unknown,
    "oversized-event": _oversized,
}


def _half(data: bytes) -> bytes:
    """The first half, within the JSON of an event and never at its end."""
    return data[: max(1, len(data.rstrip(b"\n")) // 2)]


def _trickle(events: Iterable[Piece], fault: Fault, offset: int, stream: Stream) -> Iterator[Piece]:
    """From the offset on a few bytes at a time, on a schedule that goes on where the stream's stood."""
    chars = deltas = 0
    at_ms: float | None = None
    for event in events:
        if not isinstance(event, WireEvent):
            yield event
            continue
        if at_ms is None and chars >= offset and (offset or event.chars):
            at_ms = stream.first_after_ms + max(deltas - 1, 0) * stream.every_ms
        if at_ms is None:
            yield event
        else:
            yield from _dripped(event, fault, at_ms)
            at_ms += -(-len(event.data) // fault.bytes) * fault.every_ms
        chars += event.chars
        deltas += bool(event.chars)


def _dripped(event: WireEvent, fault: Fault, start_ms: float) -> Iterator[Command]:
    """An event in pieces, one an interval; its content counts with the last one."""
    size = fault.bytes
    for place, start in enumerate(range(0, len(event.data), size)):
        piece, is_last = event.data[start : start + size], start + size >= len(event.data)
        yield WaitUntil(start_ms + (place + 1) * fault.every_ms)
        yield Send(piece, event.chars, event.text) if is_last else Send(piece)


def _split_utf8(events: Iterable[Piece]) -> Iterator[Piece]:
    """Every character beyond ASCII as UTF-8 whose bytes arrive in two parts."""
    for event in events:
        if not isinstance(event, WireEvent):
            yield event
            continue
        data = raw_utf8(event.data)
        starts = [place for place, byte in enumerate(data) if byte >= 0xC0]
        cuts = [0, *(place + 1 for place in starts), len(data)]
        yield event._replace(data=data[: cuts[1]])
        for start, end in pairwise(cuts[1:]):
            yield Drain()
            yield Send(data[start:end])


def _with_bom(events: Iterable[Piece]) -> Iterator[Piece]:
    mark = BOM
    for event in events:
        if mark and isinstance(event, WireEvent):
            yield event._replace(data=mark + event.data)
            mark = b""
        else:
            yield event


def _each(change: Callable[[bytes], bytes]) -> Callable[[Iterable[Piece]], Iterator[Piece]]:
    """A rewrite of every event's bytes."""

    def rewritten(events: Iterable[Piece]) -> Iterator[Piece]:
        for event in events:
            yield event._replace(data=change(event.data)) if isinstance(event, WireEvent) else event

    return rewritten


def _with_ids(events: Iterable[Piece]) -> Iterator[Piece]:
    number = 0
    for event in events:
        if isinstance(event, WireEvent):
            number += 1
            yield event._replace(data=b"id: %d\n%b" % (number, event.data))
        else:
            yield event


_REWRITES: Mapping[str, Callable[[Iterable[Piece]], Iterator[Piece]]] = {
    "split-utf8": _split_utf8,
    "bom": _with_bom,
    "ids": _with_ids,
    "crlf": _each(lambda data: data.replace(b"\n", b"\r\n")),
    "comments": _each(lambda data: b": keep-alive\n\n" + data),
    "retry-lines": _each(lambda data: b"retry: 1000\n" + data),
    "no-space": _each(lambda data: _FIELD.sub(rb"\1:", data)),
}
