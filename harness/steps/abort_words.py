"""What an agent's own guards say, whose stops are no stream rules: a question, an error, a redirection."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.agents.spec import AgentSpec
    from harness.evidence import Evidence
    from harness.steps.replies import Reply

_SHOWN_CHARS = 200
FRAME = " \t│┃|╭╮╰╯─"
"""What a terminal program draws around a text."""


class Says(NamedTuple):
    """Words that give a guard away. ``channel`` is ``request``, ``session`` or ``output`` (also a screen)."""

    guard: str
    channel: str
    phrase: str


class Said(NamedTuple):
    """Words of a guard: where they were found, their line, and which of all requests carried them."""

    guard: str
    channel: str
    line: str
    request: int | None = None

    def __str__(self) -> str:
        """``session: 'Thinking loop detected: ...'``."""
        number = f" {self.request}" if self.request else ""
        return f"{self.channel}{number}: '{self.line}'"


def guards_say(spec: AgentSpec) -> tuple[Says, ...]:
    """The words of all guards that a description names in ``guards``."""
    return tuple(
        Says(guard.name, "output" if channel == "screen" else channel, phrase)
        for guard in spec.guards
        for channel, phrase in guard.shows.items()
        if phrase
    )


def said(evidence: Evidence, says: Sequence[Says]) -> tuple[Said, ...]:
    """The first words on each channel: in a request, in the session, in the output."""
    places = (_requests(evidence), _session(evidence), [("output", evidence.output, None)])
    return tuple(found for channel in places if (found := _first(channel, says)))


def said_of(view: Reply, evidence: Evidence) -> tuple[Said, ...]:
    """What the guards have said of one reply: words that a request before it carried are of another.

    Words in the session count when they are this message's error, or when this is the last reply; so do
    those in the output.
    """
    exchange = view.exchange
    if exchange is None:
        return ()
    found = said(evidence, evidence.guard.says)
    is_last = not any(e.reply is not None and e.number > exchange.number for e in evidence.main)
    first = next((word.request for word in found if word.request), None)
    if first is not None and first <= exchange.number:
        return ()
    error = view.message.error if view.message else ""
    is_next = first is not None and not any(exchange.number < e.number < first for e in evidence.main)
    return tuple(word for word in found if is_last or is_next or word.line in error)


def _requests(evidence: Evidence) -> Iterator[tuple[str, str, int | None]]:
    for exchange in evidence.exchanges:
        for message in exchange.request.messages if exchange.request else ():
            if message.role != "assistant":
                yield "request", message.text, exchange.number


def _session(evidence: Evidence) -> Iterator[tuple[str, str, int | None]]:
    for message in evidence.transcript.messages if evidence.transcript else ():
        yield "session", message.error, None
        if message.role != "assistant":
            yield from (("session", part.text, None) for part in message.parts)


def _first(
    places: Iterator[tuple[str, str, int | None]] | Sequence[tuple[str, str, int | None]],
    says: Sequence[Says],
) -> Said | None:
    for channel, text, request in places:
        for guard, where, phrase in says:
            if where == channel and phrase in text:
                return Said(guard, channel, line_of(text, phrase), request)
    return None


def line_of(text: str, phrase: str) -> str:
    r"""The line of ``text`` that has ``phrase``, without a frame around it; a long one from the phrase on.

    >>> line_of("one\n│ a loop was found │", "loop")
    'a loop was found'
    """
    line = next((line for line in text.splitlines() if phrase in line), phrase).strip(FRAME)
    return line if len(line) <= _SHOWN_CHARS else line[line.find(phrase) :][:_SHOWN_CHARS]
