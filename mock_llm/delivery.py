"""How a turn reaches the client: cut into deltas, then planned as commands.

Commands are a closed vocabulary and carry all timing, so that a plan can be read and tested without a clock:

    Send(data)      hand these bytes to the socket
    WaitUntil(ms)   nothing before this time, from the start of the reply, time at gates left out
    Drain()         nothing before the client's side has acknowledged all bytes
    Hold(gate)      nothing before the gate is released
    Stall(ms)       nothing until the client hangs up, or so long
    Finish(ended)   end the body properly
    Close()         end the connection without ending the body
    Reset()         the same with a TCP reset, once all bytes before it have arrived
    Refuse(ms)      reset, and refuse connections for so long

One of the last four ends every plan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mock_llm.cuts import Cuts
from mock_llm.dialects.dialect import WireEvent
from mock_llm.turn import Delta, Text, Thinking, content

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Literal

    from mock_llm.script import Stream
    from mock_llm.turn import Turn

# An unpaced reply goes out in writes of about this many bytes: large enough that system calls do not count,
# small enough that a reply of any length costs no memory.
COALESCE_BYTES = 64 * 1024
# A reply that ends only when the client hangs up is written in small steps, so that the journal's count
# stays near what the client has read.
RUNAWAY_BYTES = 2 * 1024
MAX_BATCH = 256


class Send(NamedTuple):
    """Bytes for the socket with the content they carry: ``text``, ``chars`` code points long."""

    data: bytes
    chars: int = 0
    text: str = ""


class WaitUntil(NamedTuple):
    """A deadline in milliseconds after the start of the reply."""

    at_ms: float


class Drain(NamedTuple):
    """Wait until every byte so far has reached the client's kernel."""


class Hold(NamedTuple):
    """Wait at a gate."""

    gate: str


class Stall(NamedTuple):
    """Keep the connection and send nothing, for ``most_ms`` at most."""

    most_ms: float


class Finish(NamedTuple):
    """The end of the body, and what the journal says of it."""

    ended: Literal["complete", "cap", "fault"] = "complete"


class Close(NamedTuple):
    """A FIN in the middle of the body."""


class Reset(NamedTuple):
    """A RST after exactly the bytes before it."""


class Refuse(NamedTuple):
    """A RST now; new connections are refused for ``for_ms``."""

    for_ms: float


Command = Send | WaitUntil | Drain | Hold | Stall | Finish | Close | Reset | Refuse
Piece = WireEvent | Command
ENDINGS = (Finish, Close, Reset, Refuse)


def cut(turn: Turn, stream: Stream) -> Iterable[Delta]:
    """The deltas of a turn, none of them empty, none across two parts.

    With ``stream.deltas`` they are that many pieces in all, as equal as the parts allow; at least one a part
    and at most one a character. With ``until_hang_up`` every part is played once, then the text parts (the
    thinking parts, if there is no text) again and again, ``cap_chars`` characters in all: a loop text
    therefore ends the way it must join its own beginning.
    """
    pieces = _pieces(turn, stream)
    if not stream.until_hang_up:
        return _once(turn, stream, pieces, range(len(turn.parts)))
    return _capped(_endless(turn, stream, pieces), stream.cap_chars)


def as_played(turn: Turn, stream: Stream) -> Turn:
    """The turn as its encoder must see it: what runs into the cap stopped for length."""
    return turn._replace(stop="length") if stream.until_hang_up else turn


def total_chars(turn: Turn, stream: Stream) -> int:
    """Content characters of the whole reply if the client reads to its end."""
    if stream.until_hang_up and _repeated(turn):
        return stream.cap_chars
    return min(turn.chars, stream.cap_chars) if stream.until_hang_up else turn.chars


def is_paced(stream: Stream) -> bool:
    """True when deltas leave one by one, so that a count of what was sent is exact to the delta."""
    return stream.every_ms > 0 or bool(stream.recorded)


def batch_size(stream: Stream) -> int:
    """How many deltas may be encoded as one: one where the timing or the count of each matters."""
    one_by_one = is_paced(stream) or stream.until_hang_up or stream.is_held or stream.fault
    return 1 if one_by_one else MAX_BATCH


def split(deltas: Iterable[Delta], offset: int) -> Iterator[Delta]:
    """The same deltas, cut once more so that one ends after ``offset`` characters."""
    left = offset
    for delta in deltas:
        if 0 < left < len(delta.text):
            yield Delta(delta.part, delta.text[:left])
            yield Delta(delta.part, delta.text[left:])
        else:
            yield delta
        left -= len(delta.text)


def replaced(
    events: Iterable[Piece], offset: int, make: Callable[[WireEvent | None, int], Iterable[Piece]]
) -> Iterator[Piece]:
    """The same events, the one after ``offset`` characters replaced by what ``make`` makes of it.

    That is the event that follows the character, whatever it carries; at offset 0 it is the first one with
    content, so that the reply is open by then. ``make`` gets None when there is no such event, and how many
    events went before.
    """
    chars, place, is_due = 0, 0, True
    for event in events:
        if not isinstance(event, WireEvent):
            yield event
            continue
        if is_due and chars >= offset and (offset or event.chars):
            is_due = False
            yield from make(event, place)
        else:
            yield event
        chars += event.chars
        place += 1
    if is_due:
        yield from make(None, place)


def held(events: Iterable[Piece], offset: int, gate: str) -> Iterator[Piece]:
    """The same events with a gate after ``offset`` characters; what a fault does there comes behind it."""
    chars, is_open, is_due = 0, False, True
    for event in events:
        has_content = isinstance(event, WireEvent | Send) and event.chars > 0
        is_fault = not isinstance(event, WireEvent) and is_open
        if is_due and chars >= offset and (offset or has_content or is_fault):
            is_due = False
            yield Hold(gate)
        yield event
        is_open = True
        chars += event.chars if isinstance(event, WireEvent | Send) else 0
    if is_due:
        yield Hold(gate)


def plan(events: Iterable[Piece], stream: Stream) -> Iterator[Command]:
    """The commands that deliver a stream's events in order.

    Delta ``k`` (from 0) leaves at ``first_after_ms + k * every_ms``; that of a recorded reply at its time in
    the recording. What opens the reply leaves at once; an event without content leaves with the content
    after it, or at the end. Unpaced events are coalesced into large writes. A command among the events is
    kept in its place.
    """
    body = _paced(events, stream) if is_paced(stream) else _coalesced(events, stream)
    for command in body:
        yield command
        if isinstance(command, ENDINGS):
            return
    yield Finish("cap" if stream.until_hang_up else "complete")


def plan_whole(body: bytes, text: str, stream: Stream, gate: str = "") -> Iterator[Command]:
    """The commands that deliver a reply which is not streamed: all of it, after ``first_after_ms``.

    A recorded one comes at the end of the recording. A gate holds all of it.
    """
    yield from opening(stream, gate)
    yield Send(body, len(text), text)
    yield Finish()


def opening(stream: Stream, gate: str) -> Iterator[Command]:
    """What comes before a reply that is not streamed."""
    if gate:
        yield Hold(gate)
    at_ms = stream.first_after_ms + (stream.recorded[-1].at_ms if stream.recorded else 0)
    if at_ms > 0:
        yield WaitUntil(at_ms)


def _paced(events: Iterable[Piece], stream: Stream) -> Iterator[Command]:
    waiting = b""
    sent = chars = 0
    due_ms = _deadlines(stream)
    for event in events:
        if not isinstance(event, WireEvent):
            if waiting:
                yield Send(waiting)
                waiting = b""
            yield event
            continue
        if not event.chars:
            waiting += event.data
            continue
        at_ms = due_ms(sent, chars)
        if waiting and sent == 0 and at_ms > 0:
            yield Send(waiting)
            waiting = b""
        if at_ms > 0:
            yield WaitUntil(at_ms)
        yield Send(waiting + event.data, event.chars, event.text)
        waiting = b""
        sent += 1
        chars += event.chars
    if waiting:
        yield Send(waiting)


def _deadlines(stream: Stream) -> Callable[[int, int], float]:
    """When a delta is due, by how many deltas and characters come before it."""
    if not stream.recorded:
        return lambda deltas, _: stream.first_after_ms + deltas * stream.every_ms
    from mock_llm.pace import Pace  # few replies are recorded ones

    pace = Pace(stream.recorded)
    return lambda _, chars: stream.first_after_ms + pace.at_ms(chars)


def _coalesced(events: Iterable[Piece], stream: Stream) -> Iterator[Command]:
    limit = RUNAWAY_BYTES if stream.until_hang_up else COALESCE_BYTES
    delayed = stream.first_after_ms > 0
    data: list[bytes] = []
    texts: list[str] = []
    size = 0
    for event in events:
        if not isinstance(event, WireEvent):
            if data:
                yield _joined(data, texts)
                data, texts, size = [], [], 0
            yield event
            continue
        if delayed and event.chars:
            delayed = False
            if data:
                yield Send(b"".join(data))
            yield WaitUntil(stream.first_after_ms)
            data, size = [], 0
        data.append(event.data)
        size += len(event.data)
        if event.chars:
            texts.append(event.text)
        if size >= limit:
            yield _joined(data, texts)
            data, texts, size = [], [], 0
    if data:
        yield _joined(data, texts)


def _joined(data: list[bytes], texts: list[str]) -> Send:
    text = "".join(texts)
    return Send(b"".join(data), len(text), text)


def _pieces(turn: Turn, stream: Stream) -> list[int]:
    """How many deltas each part is cut into: equal shares of ``stream.deltas``, their sum exactly that."""
    sizes = [len(content(part)) for part in turn.parts]
    if stream.chars_per_delta:
        return [-(-size // stream.chars_per_delta) for size in sizes]
    filled = [size for size in sizes if size]
    spare = sum(filled) - len(filled)
    extra = min(max((stream.deltas or 0) - len(filled), 0), spare)
    pieces, before = [], 0
    for size in sizes:
        after = before + max(size - 1, 0)
        share = extra * after // spare - extra * before // spare if spare else 0
        pieces.append(share + 1 if size else 0)
        before = after
    return pieces


def _once(turn: Turn, stream: Stream, pieces: list[int], parts: Sequence[int]) -> Iterable[Delta]:
    """The deltas of some parts."""
    if stream.recorded:
        from mock_llm.pace import cut_as_recorded  # few replies are recorded ones

        return cut_as_recorded(((index, content(turn.parts[index])) for index in parts), stream.recorded)
    return Cuts(turn, parts, pieces, stream.chars_per_delta or 0)


def _endless(turn: Turn, stream: Stream, pieces: list[int]) -> Iterator[Delta]:
    yield from _once(turn, stream, pieces, range(len(turn.parts)))
    again = _repeated(turn)
    while again:
        for part in again:
            yield from _once(turn, stream, pieces, (part,))


def _repeated(turn: Turn) -> list[int]:
    """The parts that are played again: those of text, or of thinking where there is no text."""
    for kind in (Text, Thinking):
        found = [index for index, part in enumerate(turn.parts) if isinstance(part, kind) and part.text]
        if found:
            return found
    return []


def _capped(deltas: Iterator[Delta], cap: int) -> Iterator[Delta]:
    left = cap
    for delta in deltas:
        if len(delta.text) >= left:
            if left > 0:
                yield Delta(delta.part, delta.text[:left])
            return
        yield delta
        left -= len(delta.text)
