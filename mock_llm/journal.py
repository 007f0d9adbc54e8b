"""The ordered record of exchanges: what was asked, what was sent, how it ended and who hung up."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mock_llm.request import ModelRequest
    from mock_llm.script import ScriptTurn

# What an exchange keeps of a reply's text, and the journal of requests that were refused: an agent that asks
# in a loop, or reads a runaway reply for ever, costs no memory beyond. The same holds for what is answered by
# a constant, such as a list of models: some clients ask for it all the time.
KEPT_CHARS = 1024 * 1024
KEPT_REFUSED = 200
KEPT_ASIDE = 200

Ending = Literal["open", "complete", "client-hung-up", "cap", "fault", "refused", "server-stopped"]
Lane = Literal["main", "side", "none"]


@dataclass(slots=True, eq=False)
class Exchange:
    """A request with what answered it.

    Attributes:
        number: Place among all requests, from 1.
        reply: Place among the replies of the main lane, from 1; None for any other request.
        lane: ``main`` follows the script, ``side`` was answered beside it, ``none`` was refused.
        started_s: When the whole request was there, on the journal's clock.
        request: The parsed request; None when its body could not be parsed.
        turn: The scripted turn that answers it; None when it was refused.
        attempt: Which attempt at this reply it is, from 1.
        fault: The kind of the scripted fault that happens to it; empty for none.
        held_at: The gate at which it waits, or waited when it ended; ``stall`` for a scripted stall.
        chars_total: Content characters of the whole reply.
        chars_generated: Content characters made so far.
        chars_encoded: Content characters that are bytes of an event.
        chars_sent: Content characters handed to the socket so far.
        received_at_least: Content characters that the client's kernel is known to have, by the writes that
            it has acknowledged whole. What the client's program has read is not known to anybody else.
        exact: True when ``chars_sent`` is exact to the delta (a paced stream); otherwise it is an
            upper bound on what the client has read.
        text_sent: The content characters handed to the socket, all parts joined; of a longer reply the first
            :data:`KEPT_CHARS`.
        reply_file: Where the whole text of a longer reply is, if the server spills.
        body_file: Where the body of the request is, if it was too large to keep.
        ended: How it ended; ``open`` while it runs.
        problem: Why it was refused, in full sentences for the report.
        script: Which script answers, where several are served.
        of_lane: The name of the script's lane, where it is not the main one.
        conversation: Which conversation of all it belongs to, from 1; 0 for none.
        note: What is unusual about the answer, such as a turn that was played again.
        violations: Invariants that the request breaks, in full sentences for the report; it is answered all
            the same.
    """

    number: int
    method: str
    path: str
    headers: Mapping[str, str]
    started_s: float
    lane: Lane = "none"
    reply: int | None = None
    request: ModelRequest | None = None
    turn: ScriptTurn | None = None
    attempt: int = 1
    fault: str = ""
    held_at: str = ""
    chars_total: int = 0
    chars_generated: int = 0
    chars_encoded: int = 0
    chars_sent: int = 0
    received_at_least: int = 0
    exact: bool = False
    sent: list[str] = field(default_factory=list)
    ended: Ending = "open"
    ended_s: float | None = None
    problem: str = ""
    script: str = ""
    reply_file: str = ""
    body_file: str = ""
    of_lane: str = ""
    conversation: int = 0
    note: str = ""
    violations: tuple[str, ...] = ()

    @property
    def complaint(self) -> str:
        """Why the exchange fails the run, in full sentences for the report; empty when it does not."""
        return "\n".join(filter(None, (self.problem, *self.violations)))

    @property
    def text_sent(self) -> str:
        return "".join(self.sent)


class JournalEvent(NamedTuple):
    """Something that happened to an exchange, on the journal's own clock (seconds)."""

    at_s: float
    kind: Literal["request", "delta", "held", "released", "stalled", "ended"]
    exchange: Exchange
    data: Mapping[str, Any] = MappingProxyType({})


@dataclass(slots=True)
class Journal:
    """Every exchange in order. Listeners hear each event at once, in order.

    Of the requests that were refused only the first :data:`KEPT_REFUSED` stay, of those that were answered by
    a constant the first :data:`KEPT_ASIDE`; ``dropped`` counts the others.
    """

    exchanges: list[Exchange] = field(default_factory=list)
    listeners: list[Callable[[JournalEvent], None]] = field(default_factory=list)
    dropped: int = 0
    _begun: int = 0
    _refused: int = 0
    _aside: int = 0

    def emit(self, event: JournalEvent) -> None:
        """Tell every listener."""
        for listener in self.listeners:
            listener(event)

    def begin(self, method: str, path: str, headers: Mapping[str, str], at_s: float) -> Exchange:
        """Add an exchange; it is the last one. Say :meth:`asked` when its fields are filled in."""
        self._begun += 1
        exchange = Exchange(self._begun, method, path, headers, at_s)
        self.exchanges.append(exchange)
        return exchange

    def asked(self, exchange: Exchange, at_s: float) -> None:
        """The request is parsed and its answer chosen."""
        self.emit(JournalEvent(at_s, "request", exchange))

    def sent(self, exchange: Exchange, text: str, at_s: float) -> None:
        """Content was handed to the socket; the event's ``text`` is that content, not the sum."""
        if exchange.chars_sent < KEPT_CHARS:
            exchange.sent.append(text[: KEPT_CHARS - exchange.chars_sent])
        exchange.chars_sent += len(text)
        exchange.chars_encoded = max(exchange.chars_encoded, exchange.chars_sent)
        exchange.chars_generated = max(exchange.chars_generated, exchange.chars_encoded)
        if self.listeners:
            data = {"text": text, "chars_sent": exchange.chars_sent}
            self.emit(JournalEvent(at_s, "delta", exchange, data))

    def held(self, exchange: Exchange, gate: str, at_s: float) -> None:
        """The reply waits at a gate."""
        exchange.held_at = gate
        self.emit(JournalEvent(at_s, "held", exchange, {"gate": gate}))

    def released(self, exchange: Exchange, at_s: float) -> None:
        """The reply goes on."""
        gate, exchange.held_at = exchange.held_at, ""
        self.emit(JournalEvent(at_s, "released", exchange, {"gate": gate}))

    def stalled(self, exchange: Exchange, at_s: float) -> None:
        """The reply stands still, as scripted."""
        exchange.held_at = "stall"
        self.emit(JournalEvent(at_s, "stalled", exchange))

    def end(self, exchange: Exchange, ended: Ending, at_s: float) -> None:
        """How it ended. Only the first ending counts."""
        if exchange.ended == "open":
            exchange.ended, exchange.ended_s = ended, at_s
            self.emit(JournalEvent(at_s, "ended", exchange, {"ended": ended}))
            self._drop_surplus(exchange)

    def clear(self) -> None:
        """Forget every exchange; the next one is number 1 again."""
        self.exchanges.clear()
        self.dropped = self._begun = self._refused = self._aside = 0

    def _drop_surplus(self, exchange: Exchange) -> None:
        if exchange.problem:
            self._refused += 1
            is_surplus = self._refused > KEPT_REFUSED
        elif exchange.lane == "side" and exchange.turn is None:
            self._aside += 1
            is_surplus = self._aside > KEPT_ASIDE
        else:
            return
        if is_surplus and exchange in self.exchanges:
            self.exchanges.remove(exchange)
            self.dropped += 1

    @property
    def main(self) -> list[Exchange]:
        """The exchanges of the main lane: ``main[0]`` is reply 1.

        A client that repeats a request by itself gets the same reply again; its last attempt counts.
        """
        return list({e.reply: e for e in self.exchanges if e.reply is not None}.values())

    @property
    def problems(self) -> list[Exchange]:
        """Requests that fail the run: unexpected, past the end, over the cap, or against an invariant."""
        return [e for e in self.exchanges if e.problem or e.violations]
