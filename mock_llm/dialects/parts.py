"""Walking a turn's deltas part by part, the same way for every dialect."""

from __future__ import annotations

from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING

from mock_llm.dialects.dialect import WireEvent
from mock_llm.dialects.sse import quote
from mock_llm.turn import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mock_llm.turn import Delta, Turn

_part_of = attrgetter("part")


def runs(turn: Turn, deltas: Iterable[Delta]) -> Iterator[tuple[int, Iterator[Delta]]]:
    """Deltas grouped by part, in order: ``(index of the part, its deltas)``.

    A tool call without arguments has no deltas; it appears in its place with none, because the client must
    still see it. A part may come back later as another run (a text that is played again).
    """
    opened = 0
    for part, group in groupby(deltas, key=_part_of):
        yield from _silent_calls(turn, opened, part)
        opened = max(opened, part + 1)
        yield part, group
    yield from _silent_calls(turn, opened, len(turn.parts))


def _silent_calls(turn: Turn, start: int, stop: int) -> Iterator[tuple[int, Iterator[Delta]]]:
    for place in range(start, stop):
        part = turn.parts[place]
        if isinstance(part, ToolCall) and not part.arguments:
            yield place, iter(())


def content_events(deltas: Iterator[Delta], before: str, after: str, batch: int) -> Iterator[WireEvent]:
    """The events of one part's deltas, ``batch`` of them joined in one :class:`WireEvent`.

    An event is its text quoted between two constant pieces; joined ones are made in one go, which is several
    times cheaper than one by one.
    """
    between = after + before
    while texts := [delta.text for delta in islice(deltas, batch)]:
        data = before + between.join(map(quote, texts)) + after
        text = "".join(texts)
        yield WireEvent(data.encode("ascii"), len(text), text)


def call_places(turn: Turn) -> dict[int, int]:
    """Which tool call, from 0, each part that is one is."""
    calls = [index for index, part in enumerate(turn.parts) if isinstance(part, ToolCall)]
    return {index: place for place, index in enumerate(calls)}


def joined(turn: Turn, kind: type) -> str:
    """All text of the parts of one kind."""
    return "".join(
        part.text for part in turn.parts if isinstance(part, kind) and not isinstance(part, ToolCall)
    )
