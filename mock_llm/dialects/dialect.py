"""What every wire format offers: parse a request, encode a turn, shape an error."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mock_llm.request import ModelRequest
    from mock_llm.turn import Delta, Turn

# A provider says when a reply was made; ours counts seconds from here, so that a run repeats byte for byte.
EPOCH_S = 1_700_000_000


class WireEvent(NamedTuple):
    """An event of a stream, or several that leave together, ready for the socket.

    ``text`` is the content it carries and ``chars`` its length in code points; an event that only opens,
    closes or counts carries none.
    """

    data: bytes
    chars: int = 0
    text: str = ""


class Ids(NamedTuple):
    """Everything in a reply that a provider would make unique, derived from the exchange's number.

    >>> Ids(7).numbered("msg_")
    'msg_000000000007'
    """

    exchange: int

    def numbered(self, prefix: str, place: int | None = None) -> str:
        """An id with the prefix; ``place`` tells several in one reply apart."""
        suffix = "" if place is None else f"_{place}"
        return f"{prefix}{self.exchange:012d}{suffix}"

    @property
    def created_s(self) -> int:
        """When the reply claims to be made, in seconds since 1970."""
        return EPOCH_S + self.exchange


class Dialect(Protocol):
    """A wire format. Pure: the same arguments always give the same bytes."""

    @property
    def name(self) -> str:
        """The id used in scripts, descriptions and reports."""

    @property
    def request_id_header(self) -> str:
        """The response header in which the provider's clients look for the request's id."""

    def parse_request(
        self, body: bytes | Mapping[str, object], path: str, headers: Mapping[str, str]
    ) -> ModelRequest:
        """Read a request body; header names are in lower case.

        Raises:
            BadRequest: If the body is not what the dialect allows.
        """

    def encode(
        self, turn: Turn, deltas: Iterable[Delta], request: ModelRequest, ids: Ids, batch: int = 1
    ) -> Iterator[WireEvent]:
        """The events of a streamed reply, made as they are asked for.

        Each delta becomes an event of its own on the wire; ``batch`` is how many of them one
        :class:`WireEvent` may join.
        """

    def encode_whole(self, turn: Turn, request: ModelRequest, ids: Ids) -> bytes:
        """The body of a reply that is not streamed."""

    def error_body(self, status: int, message: str, kind: str = "", request_id: str = "") -> bytes:
        """The body of an HTTP error; an empty ``kind`` takes the provider's type for the status.

        ``request_id`` is the value of the header of that name; only some providers repeat it in the body.
        """

    def stream_type(self, request: ModelRequest) -> str:
        """The content type of a streamed reply."""

    def error_event(
        self, message: str, kind: str = "", request: ModelRequest | None = None, place: int = 0
    ) -> bytes:
        """An error in the middle of the stream that answers ``request``.

        ``place`` is how many events went before; only a dialect that numbers its events uses it.
        """

    def models_body(self, models: Iterable[str]) -> bytes:
        """The list of models."""

    def model_body(self, model: str) -> bytes:
        """What is said of one model."""


class Counting(Dialect, Protocol):
    """A wire format with a request that only counts tokens; :meth:`parse_request` reads it too."""

    def count_body(self, tokens: int) -> bytes:
        """The answer to such a request."""
