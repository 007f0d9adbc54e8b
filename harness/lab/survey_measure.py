"""From the evidence of one run to the cell of a survey."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from harness.lab.survey import Cell
from harness.lab.survey_words import all_said, shown_chars
from harness.steps.abort_contradiction import contradiction
from harness.steps.replies import chars_before, reply, session_line, turn_text, was_stopped
from harness.steps.wording import chars

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Literal

    from harness.agents.spec import AgentSpec
    from harness.evidence import Evidence
    from harness.lab.survey import Row
    from harness.steps.abort_words import Said
    from harness.steps.arguments import StreamName
    from harness.steps.replies import Reply

_ENOUGH = 40
"""Characters; fewer of a reply on a screen could be there by chance."""


class Seen(NamedTuple):
    """One run of a survey.

    Attributes:
        evidence: Its channels.
        reply: Which reply is the loop.
        calls: How many calls are scripted, for a loop of calls.
        under_way: What had been sent of the reply when a later request came, by that request's number in
            the journal: a guard that asks again need not hang up.
        problem: Why the run did not come to its end, if so.
    """

    evidence: Evidence
    reply: int = 1
    calls: int = 0
    under_way: Mapping[int, int] = {}
    problem: str = ""


def measure(agent: str, spec: AgentSpec, row: Row, seen: Seen) -> Cell:
    """The cell of a run."""
    words = all_said(seen.evidence, spec)
    if row.looks == "calls":
        found = _calls(Cell(agent, row.name, "never", unit="calls"), seen, words)
    else:
        found = _stream(Cell(agent, row.name, "never"), row, seen, words)
    found = found._replace(words=_best(words), sides=(*found.sides, *_others(words)))
    if found.outcome == "never" and seen.problem:
        return found._replace(outcome="error", problem=seen.problem)
    if row.kind == "healthy" and found.outcome != "error":
        return found._replace(outcome="left-alone" if found.outcome == "never" else "interrupted")
    return found


def _stream(cell: Cell, row: Row, seen: Seen, words: Sequence[Said]) -> Cell:
    """A reply that loops: a hang-up tells where, a later request does too, and words alone tell that."""
    evidence, stream = seen.evidence, _stream_name(row.looks)
    views = [reply(evidence, number) for number in range(1, len(evidence.main) + 1)]
    chosen = views[seen.reply - 1 : seen.reply] if row.kind == "loop" else views
    if not chosen:
        return cell._replace(outcome="error", problem=seen.problem or f"reply {seen.reply} never came")
    view = next((v for v in chosen if v.was_cut_on_wire), chosen[0])
    cell = cell._replace(of=_length(view, stream), sides=_sides(view, evidence))
    if view.was_cut_on_wire:
        return _hung_up(cell, view, stream, seen, words)
    at, between = _asked_meanwhile(view, stream, seen, words)
    is_stopped = bool(words) or any(v.message is not None and was_stopped(v.message) for v in chosen)
    if not is_stopped:
        return cell
    return _with_side(cell, between)._replace(outcome="stopped", at=at, problem=contradiction(view, stream))


def _hung_up(cell: Cell, view: Reply, stream: StreamName, seen: Seen, words: Sequence[Said]) -> Cell:
    exchange, code = view.exchange, seen.evidence.exit_code
    assert exchange is not None
    at, between = _asked_meanwhile(view, stream, seen, words)
    at = _within(view, stream, exchange.chars_sent) if at is None else at
    went_on = any(e.number > exchange.number and e.lane != "none" for e in seen.evidence.exchanges)
    if not words and not went_on and not view.is_aborted:
        ended = f"it exited with {code}" if code is not None else seen.problem
        return cell._replace(
            outcome="error", at=at, problem=f"hung up after {chars(at)}; {ended}, without a word of a guard"
        )
    doubt = contradiction(view, stream) if view.records else ""
    return _with_side(cell, between)._replace(outcome="stopped", at=at, problem=doubt)


def _with_side(cell: Cell, side: str) -> Cell:
    return cell._replace(sides=(*cell.sides, side)) if side else cell


def _asked_meanwhile(
    view: Reply, stream: StreamName, seen: Seen, words: Sequence[Said]
) -> tuple[int | None, str]:
    """How far the reply was when the guard made a request while it still ran, and between what that lies.

    Such a guard need not hang up, and its request comes late: the text that is shown ends where it fired, or
    before that in a program that prints with a delay.
    """
    numbers = [word.request for word in words if word.request]
    sent = seen.under_way.get(numbers[0]) if numbers else None
    turn = view.exchange.turn if view.exchange else None
    if sent is None or turn is None:
        return None, ""
    sent = _within(view, stream, sent)
    shown = shown_chars(turn_text(turn.turn, stream), seen.evidence.output)
    asked = f"request {numbers[0]} came when {chars(sent)} had been sent"
    if _ENOUGH <= shown < sent:
        return shown, f"place: {chars(shown)} are shown; {asked}"
    return sent, f"place: {asked}"


def _calls(cell: Cell, seen: Seen, words: Sequence[Said]) -> Cell:
    """A loop of calls: the agent ends before the last one, or tells the model and goes on."""
    evidence, asked = seen.evidence, len(seen.evidence.main)
    first = next((word.request for word in words if word.request), None)
    told = None if first is None else sum(e.number < first for e in evidence.main)
    wire = f"wire: {asked} of {seen.calls + 1} requests, exit code {evidence.exit_code}"
    cell = cell._replace(of=seen.calls, sides=(wire,))
    if asked > seen.calls:
        return cell if told is None else cell._replace(outcome="told", at=told)
    if not words and (evidence.exit_code or seen.problem or not asked):
        ended = seen.problem or f"it exited with {evidence.exit_code} after {asked} of {seen.calls} calls"
        return cell._replace(outcome="error", problem=ended)
    return cell._replace(outcome="stopped", at=asked if told is None else told)


def _best(words: Sequence[Said]) -> str:
    """The words to show: the session's, as the guard itself keeps them; else those of the output."""
    order = {"session": 0, "output": 1, "request": 2}
    ranked = sorted(words, key=lambda word: order[word.channel])
    return ranked[0].line if ranked else ""


def _others(words: Sequence[Said]) -> tuple[str, ...]:
    return tuple(map(str, words))


def _sides(view: Reply, evidence: Evidence) -> tuple[str, ...]:
    exchange = view.exchange
    assert exchange is not None
    sent = f"{exchange.chars_sent:,} of {chars(exchange.chars_total)}"
    wire = f"client hung up after {sent}" if view.was_cut_on_wire else f"{sent} sent, '{exchange.ended}'"
    code = f"exit code {evidence.exit_code}" if evidence.exit_code is not None else "still running"
    return (f"wire: {wire}", session_line(view, evidence), f"program: {code}")


def _length(view: Reply, stream: StreamName) -> int:
    turn = view.exchange.turn if view.exchange else None
    return 0 if turn is None or turn.stream.until_hang_up else len(turn_text(turn.turn, stream))


def _within(view: Reply, stream: StreamName, sent: int) -> int:
    """Characters of the stream among those sent."""
    turn = view.exchange.turn if view.exchange else None
    if turn is None or turn.stream.until_hang_up:
        return sent
    return max(0, min(sent - chars_before(turn.turn, stream), len(turn_text(turn.turn, stream))))


def _stream_name(looks: str) -> Literal["text", "thinking", "tool"]:
    return "thinking" if looks == "thinking" else "tool" if looks == "tool" else "text"
