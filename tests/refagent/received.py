"""A reply's bytes on their way into a decoder: in any pieces, through the client's own reader of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
from httpx_sse import EventSource

from harness.refagent.wire import wire

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.refagent.events import StreamEvent


class Pieces(httpx.SyncByteStream):
    """A body that arrives in the given pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self.pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        yield from self.pieces


def decode(dialect: str, pieces: list[bytes]) -> list[StreamEvent]:
    """All events of a streamed reply."""
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=Pieces(pieces))
    decoder = wire(dialect).decoder()
    events: list[StreamEvent] = []
    for sent in EventSource(response).iter_sse():
        events += decoder.feed(sent.data)
    return events + list(decoder.finish())


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """The data in pieces that end at these places, each taken into its length."""
    ends = sorted({place % (len(data) + 1) for place in places} | {len(data)})
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]
