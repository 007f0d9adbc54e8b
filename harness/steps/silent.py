"""Step ``silent``: no guard fired, and everything the model said arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.steps.abort_crash import ended_badly, ended_with_hang_up
from harness.steps.replies import (
    NO_SESSION,
    Reply,
    not_saved,
    record_name,
    reply,
    session_line,
    turn_text,
    was_stopped,
    wire_line,
)
from harness.steps.verdicts import CheckVerdict, Passed, Pending, failed
from harness.steps.wording import chars, count, first_line, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.evidence import Evidence
    from harness.steps.arguments import Silent, StreamName
    from mock_llm.journal import Exchange
    from mock_llm.turn import Turn


def check(args: Silent, evidence: Evidence) -> CheckVerdict:
    """Fail at the first sign of a guard; pass when nothing can follow any more.

    Of an agent that keeps no session, the wire and the output are all there is to look at.
    """
    numbers = [args.reply] if args.reply else list(range(1, len(evidence.main) + 1))
    signs = _signs(args, numbers, evidence)
    if signs:
        return failed(signs[0], _expected(args), [*signs[1:], *_sides(numbers, evidence)])
    if not evidence.finished:
        return Pending("the end of the run")
    return _judge_whole(args, numbers, evidence)


def _signs(args: Silent, numbers: Sequence[int], evidence: Evidence) -> list[str]:
    """Signs of a guard that fired, the clearest first."""
    views = [reply(evidence, number) for number in numbers]
    signs = [f"{record_name(r)} fired on reply {view.number}" for view in views for r in view.records]
    if not args.reply and not signs and evidence.transcript:
        signs += [f"{record_name(r)} fired" for r in evidence.transcript.rules]
    for view in views:
        if view.was_cut_on_wire and view.exchange:
            sent = f"{view.exchange.chars_sent:,} of {chars(view.exchange.chars_total)}"
            crash = ended_with_hang_up(view, evidence)
            signs.append(crash or f"the client hung up on reply {view.number} after {sent}")
        if view.message and was_stopped(view.message):
            reason = view.message.error or view.message.stop_reason
            signs.append(f"the session says that reply {view.number} ended with '{reason}'")
    marker = evidence.guard.output_marker
    if not args.reply and marker and marker in evidence.output:
        signs.append(f"the output says {quoted(marker)}")
    return signs + _interrupts(_to_scan(args, evidence), evidence.guard.interrupt_marker)


def _to_scan(args: Silent, evidence: Evidence) -> Sequence[Exchange]:
    """Requests to look at: the newest while the run goes on, since each was the newest once."""
    if args.reply:
        return evidence.main[args.reply : args.reply + 1]
    return evidence.main if evidence.finished else evidence.main[-1:]


def _interrupts(exchanges: Sequence[Exchange], marker: str) -> list[str]:
    if not marker:
        return []
    return [
        f"request {exchange.reply} carries an interrupt: {quoted(first_line(m.text[m.text.index(marker) :]))}"
        for exchange in exchanges
        for m in (exchange.request.messages if exchange.request else ())
        if m.role != "assistant" and marker in m.text
    ]


def _judge_whole(args: Silent, numbers: Sequence[int], evidence: Evidence) -> CheckVerdict:
    if not evidence.main:
        return failed("the agent made no request", _expected(args))
    notes: list[str] = []
    problems: list[str] = []
    for number in numbers:
        problem, note = _arrival(reply(evidence, number), evidence)
        problems += [problem] if problem else []
        notes += [note] if note and note not in notes else []
    if problems:
        return failed(problems[0], _expected(args), [*problems[1:], *_sides(numbers, evidence)])
    total = sum(evidence.main[number - 1].chars_sent for number in numbers)
    aside = f" ({'; '.join(notes)})" if notes else ""
    is_proven = evidence.session.is_kept or all(evidence.main[number - 1].exact for number in numbers)
    whole = "all arrived" if is_proven else "all sent"
    return Passed(f"{count(len(numbers), 'reply')}, {chars(total)}, {whole}{aside}")


def _arrival(view: Reply, evidence: Evidence) -> tuple[str, str]:
    """What is missing of a reply, and what is worth a note though nothing is."""
    exchange = view.exchange
    if exchange is None or exchange.turn is None:
        return f"reply {view.number} was never sent", ""
    if not view.arrived_whole:
        sent = f"{exchange.chars_sent:,} of {chars(exchange.chars_total)}"
        return f"reply {view.number} ended '{exchange.ended}' after {sent}", ""
    if not evidence.session.is_kept:
        ended = ended_badly(view, evidence)
        unseen = f"{ended} after reply {view.number} was sent, and no session shows how much of it was read"
        return (unseen, "") if ended else ("", NO_SESSION)
    return _saving(view, exchange.turn.turn, evidence)


def _saving(view: Reply, turn: Turn, evidence: Evidence) -> tuple[str, str]:
    """The same for what the session kept of it."""
    if view.message is None:
        return not_saved(view, evidence), ""
    problem, note = _difference(view.number, "text", turn_text(turn, "text"), view.message.text)
    thinking = turn_text(turn, "thinking")
    if problem or not thinking:
        return problem, note
    if not view.message.thinking:
        return "", "the session does not keep the thinking"
    return _difference(view.number, "thinking", thinking, view.message.thinking)


def _difference(number: int, stream: StreamName, sent: str, saved: str) -> tuple[str, str]:
    if saved == sent:
        return "", ""
    if saved == sent.rstrip():
        return "", "the agent trims white space at the end"
    pairs = zip(sent, saved, strict=False)
    at = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(sent), len(saved)))
    lengths = f"{len(saved):,} of {chars(len(sent))} saved"
    return f"the {stream} of reply {number} was changed at character {at:,}: {lengths}", ""


def _sides(numbers: Sequence[int], evidence: Evidence) -> list[str]:
    views = [reply(evidence, number) for number in numbers]
    return [line for view in views for line in (wire_line(view), session_line(view, evidence))]


def _expected(args: Silent) -> str:
    which = f"reply {args.reply} arrives" if args.reply else "every reply arrives"
    return f"no guard fires, and {which} whole"
