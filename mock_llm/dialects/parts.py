"""Walking a turn's deltas block by block, the same way for every dialect."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from mock_llm.cuts import Cuts
from mock_llm.dialects.dialect import WireEvent
from mock_llm.dialects.sse import quote
from mock_llm.turn import Refusal, ToolCall, content

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from mock_llm.turn import Delta, Part, Turn

_part_of = attrgetter("part")


@dataclass(slots=True, eq=False)
class Block:
    """A part on the wire: ``number`` counts blocks in the order they open, ``place`` its tool calls only."""

    number: int
    part: Part
    place: int
    sent: int = 0

    @property
    def text(self) -> str:
        """What of the part has been sent; a part that was played again is longer than itself."""
        whole = content(self.part)
        if self.sent <= len(whole):
            return whole[: self.sent]
        return (whole * (self.sent // len(whole) + 1))[: self.sent]

    @property
    def is_complete(self) -> bool:
        """Whether all of the part has been sent."""
        return self.sent >= len(content(self.part))


class Step(NamedTuple):
    """What happens to a block: it opens, gets the texts of one delta each, or closes."""

    kind: Literal["open", "more", "close"]
    block: Block
    texts: Sequence[str] = ()


def walk(turn: Turn, deltas: Iterable[Delta], batch: int) -> Iterator[Step]:
    """The deltas as blocks that open, grow and close; one step grows by ``batch`` deltas at most.

    A block stays open until all of its part has been sent, so parts whose deltas alternate make blocks that
    interleave. A part that comes again after it was complete (a text that is played again) is a new block. A
    tool call without arguments has no deltas; it appears in its place, because the client must still see it.
    What a cap left incomplete closes at the end; what no delta reached never opens.
    """
    blocks = _Blocks(turn)
    for index, run in _runs(deltas, batch):
        yield from blocks.silent_calls(index)
        block = blocks.open.get(index)
        if block is None:
            block = blocks.opened(index)
            yield Step("open", block)
        for texts in run:
            block.sent += sum(map(len, texts))
            yield Step("more", block, texts)
        if block.is_complete:
            del blocks.open[index]
            yield Step("close", block)
    yield from blocks.silent_calls(len(turn.parts))
    for block in blocks.open.values():
        yield Step("close", block)


def _runs(deltas: Iterable[Delta], batch: int) -> Iterator[tuple[int, Iterable[list[str]]]]:
    """Deltas of one part that follow each other, as lists of ``batch`` texts at most."""
    if isinstance(deltas, Cuts):
        yield from deltas.runs(batch)
        return
    for index, group in groupby(deltas, key=_part_of):
        yield index, _texts(group, batch)


def _texts(deltas: Iterator[Delta], most: int) -> Iterator[list[str]]:
    while texts := [delta.text for delta in islice(deltas, most)]:
        yield texts


class _Blocks:
    """The blocks of one walk: which are open, and how far the silent calls have been announced."""

    def __init__(self, turn: Turn) -> None:
        self.open: dict[int, Block] = {}
        self._turn = turn
        self._places = call_places(turn)
        self._reached = 0
        self._count = 0

    def opened(self, index: int) -> Block:
        block = Block(self._count, self._turn.parts[index], self._places.get(index, 0))
        self._count += 1
        self.open[index] = block
        return block

    def silent_calls(self, until: int) -> Iterator[Step]:
        for index in range(self._reached, until):
            part = self._turn.parts[index]
            if isinstance(part, ToolCall) and not part.arguments:
                block = self.opened(index)
                del self.open[index]
                yield Step("open", block)
                yield Step("close", block)
        self._reached = max(self._reached, until + 1)


def content_event(texts: Sequence[str], before: str, after: str) -> WireEvent:
    """The events of some deltas of one block, joined.

    An event is its text quoted between two constant pieces; joined ones are made in one go, which is several
    times cheaper than one by one.
    """
    text = "".join(texts)
    if len(quote(text)) == len(text) + 2:  # nothing in it is written in another way
        data = f'{before}"' + f'"{after}{before}"'.join(texts) + f'"{after}'
    else:
        data = before + (after + before).join(map(quote, texts)) + after
    return WireEvent(data.encode("ascii"), len(text), text)


def whole_blocks(turn: Turn) -> list[Block]:
    """The blocks of a reply that is not streamed; a part without text has none, a tool call always has."""
    places = call_places(turn)
    shown = [(i, p) for i, p in enumerate(turn.parts) if isinstance(p, ToolCall) or p.text]
    return [
        Block(number, part, places.get(index, 0), len(content(part)))
        for number, (index, part) in enumerate(shown)
    ]


def call_places(turn: Turn) -> dict[int, int]:
    """Which tool call, from 0, each part that is one is."""
    calls = [index for index, part in enumerate(turn.parts) if isinstance(part, ToolCall)]
    return {index: place for place, index in enumerate(calls)}


def joined(turn: Turn, kind: type) -> str:
    """All text of the parts of one kind."""
    return "".join(
        part.text for part in turn.parts if isinstance(part, kind) and not isinstance(part, ToolCall)
    )


def stop_of(turn: Turn) -> str:
    """How the turn stopped, for dialects that tell a refusal by the stop reason only."""
    refused = turn.stop == "stop" and any(isinstance(part, Refusal) for part in turn.parts)
    return "refusal" if refused else turn.stop
