"""Step ``abort``: the agent's own guard stopped a reply, seen on the wire and in the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.steps.abort_contradiction import contradiction
from harness.steps.abort_crash import ended_with_hang_up, went_on
from harness.steps.abort_sides import conflict, sides
from harness.steps.abort_words import said_of
from harness.steps.not_stopped import is_told, not_stopped, why_not_stopped
from harness.steps.replies import (
    NO_SESSION,
    STOPPED_BY_GUARD,
    chars_before,
    record_name,
    reply,
    rules_lines,
    session_line,
    turn_text,
    wire_line,
)
from harness.steps.verdicts import CheckVerdict, Failed, Passed, Pending, failed
from harness.steps.wording import chars, count, look_in, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.evidence import Evidence
    from harness.steps.abort_words import Said
    from harness.steps.arguments import Abort, StreamName
    from harness.steps.replies import Reply
    from harness.transcript import RuleRecord


STREAMS: tuple[StreamName, ...] = ("text", "thinking", "tool")
STOP_SIGNS = "a stop is told by a rule in the session, another request, or 'output_marker' and exit 0"


def check(args: Abort, evidence: Evidence) -> CheckVerdict:
    """Judge as soon as the reply has ended on the wire and is in the session.

    Where a stream is too fast for the client to hang up in time, there is the word of the session alone,
    and the step says so: only a paced reply could show on the wire that the agent stopped reading.
    A hang-up alone proves it only when the agent then went on: a crash hangs up too. So an agent that
    keeps no session is judged by the wire; which rule it was remains unseen.
    A figure that the session leaves out fails the step, unless the agent's description says that
    its sessions never state it.
    """
    view = reply(evidence, args.reply)
    waiting = "" if evidence.finished else _waiting_for(view, evidence)
    if waiting:
        return Pending(waiting)
    observed, reasons = _judge(args, evidence, view)
    if not reasons:
        return Passed(observed)
    return _failure(args, evidence, view, observed, reasons)


def _waiting_for(view: Reply, evidence: Evidence) -> str:
    if view.exchange is None:
        return f"reply {view.number}"
    if view.exchange.ended == "open":
        return f"the end of reply {view.number}"
    if not evidence.session.is_kept:
        is_known = went_on(view, evidence) or not view.was_cut_on_wire
        return "" if is_known else "what the agent does after the hang-up"
    return "" if view.message else f"assistant message {view.number} in the session"


def _judge(args: Abort, evidence: Evidence, view: Reply) -> tuple[str, list[str]]:
    """What was seen, and why that is not what the step asks for."""
    if view.exchange is None:
        seen = count(len(evidence.main), "reply")
        return f"the agent asked for {seen}, so reply {args.reply} never came", ["nothing to stop"]
    said = () if view.records else said_of(view, evidence)
    if said:
        return _by_its_words(args, evidence, view, said)
    is_stopped = view.is_aborted or bool(view.records) or view.was_cut_on_wire
    if not is_stopped and not is_told(evidence, view):
        return not_stopped(evidence, view), [why_not_stopped(evidence, view)]
    crash = ended_with_hang_up(view, evidence)
    if crash:
        return crash, [STOP_SIGNS]
    record = _record(args, view)
    # A rule that the session says fired in another stream fails below, with that as the reason.
    conflict = contradiction(view, args.stream) if _stream(args, record) == args.stream else ""
    if conflict:
        words = ", ".join(quoted(word) for word in sorted(STOPPED_BY_GUARD))
        is_unknown = view.message is not None and not view.is_aborted
        hint = [f"stop reasons of a stopped message: {words}"] if is_unknown else []
        return conflict, ["the evidence contradicts itself", *hint, *_other_stream(args, view, record)]
    return _stopped(args, evidence, view, record), _differences(args, evidence, view, record)


def _by_its_words(
    args: Abort, evidence: Evidence, view: Reply, words: Sequence[Said]
) -> tuple[str, list[str]]:
    """A guard that is no stream rule gives itself away by words; the other sides must not contradict them."""
    contradicted = conflict(view, words)
    if contradicted:
        return contradicted, ["the evidence contradicts itself", *sides(view, evidence, words)]
    names = list(dict.fromkeys(word.guard for word in words))
    reasons = []
    if args.rule is not None and args.rule not in names:
        reasons.append(f"rule: {quoted(', '.join(names))} fired, not '{args.rule}'")
    for figure in ("mechanism", "fired_at"):
        reasons += _figure(figure, getattr(args, figure), None, evidence)
    reasons += _too_late(args, view, None)
    return f"{' and '.join(names)} stopped it ({'; '.join(sides(view, evidence, words))})", reasons


def _record(args: Abort, view: Reply) -> RuleRecord | None:
    """The record that the step is about: the one with its rule and mechanism, or else the first."""
    wanted = [r for r in view.records if r.rule == args.rule or args.rule is None]
    exact = [r for r in wanted if r.mechanism == args.mechanism or args.mechanism is None]
    return next(iter(exact or wanted or view.records), None)


def _stream(args: Abort, record: RuleRecord | None) -> StreamName:
    """The stream in which the rule fired, by the session; else the one that the step names."""
    recorded = record.data.get("stream") if record else None
    return next((name for name in STREAMS if name == recorded), args.stream)


def _other_stream(args: Abort, view: Reply, record: RuleRecord | None) -> list[str]:
    """Where the offset would fit, for a step that names no stream or the wrong one."""
    turn = view.exchange.turn if view.exchange else None
    if turn is None or record is None or record.fired_at is None:
        return []
    lengths = {name: len(turn_text(turn.turn, name)) for name in STREAMS}
    if lengths[args.stream] >= record.fired_at:
        return []
    return [
        f"the {name} stream has {chars(length)}: {look_in(name)}"
        for name, length in lengths.items()
        if length >= record.fired_at
    ]


def _stopped(args: Abort, evidence: Evidence, view: Reply, record: RuleRecord | None) -> str:
    session = "session" if view.message else "no session names the rule"
    had = [session if evidence.session.is_kept else NO_SESSION, _wire_side(view)]
    if record is None:
        who = f"reply {view.number} was stopped, by no named rule"
        return f"{who} ({'; '.join(had)})"
    is_wanted = record.rule == args.rule and record.mechanism
    name = record.mechanism if is_wanted else record_name(record).split(" at ")[0]
    return f"{name} fired{_at(args, view, record)} ({'; '.join(had)})"


def _at(args: Abort, view: Reply, record: RuleRecord) -> str:
    if record.fired_at is None:
        return ""
    total = _total(_stream(args, record), view)
    return f" at {record.fired_at:,} of {chars(total)}" if total else f" at {chars(record.fired_at)}"


def _total(stream: StreamName, view: Reply) -> int:
    """Characters of the stream; 0 where it has no end."""
    turn = view.exchange.turn if view.exchange else None
    if turn is None or turn.stream.until_hang_up:
        return 0
    return len(turn_text(turn.turn, stream))


def _wire_side(view: Reply) -> str:
    exchange = view.exchange
    assert exchange is not None
    if view.was_cut_on_wire:
        most = "" if exchange.exact else "at most "
        return f"client hung up after {most}{chars(exchange.chars_sent)}"
    if view.arrived_whole and not exchange.exact:
        sent = f"all {chars(exchange.chars_sent)} were sent at once"
        return f"the wire cannot tell, as {sent}: 'every_ms' paces them"
    if view.arrived_whole:
        return f"all {chars(exchange.chars_sent)} were sent before a hang-up could show"
    return f"{chars(exchange.chars_sent)} sent, '{exchange.ended}'"


def _differences(args: Abort, evidence: Evidence, view: Reply, record: RuleRecord | None) -> list[str]:
    if not evidence.session.is_kept:
        return [*_too_early(args, view), *_too_late(args, view, None)]
    if record is None:
        asked = [name for name in ("rule", "mechanism", "fired_at") if getattr(args, name) is not None]
        unnamed = ["no record in the session names the rule", _without(asked)] if asked else []
        return [*unnamed, *_too_late(args, view, None)]
    reasons = []
    if args.rule is not None and record.rule != args.rule:
        reasons.append(f"rule: '{record.rule}' fired, not '{args.rule}'")
    stream = record.data.get("stream", args.stream)
    if stream != args.stream:
        reasons += [f"stream: it fired in '{stream}', not in '{args.stream}'", look_in(stream)]
    reasons += _figure("mechanism", args.mechanism, record.mechanism, evidence)
    reasons += _figure("fired_at", args.fired_at, record.fired_at, evidence)
    return reasons + _too_late(args, view, record)


def _without(asked: Sequence[str]) -> str:
    """What to do when a step asks for what no session of the agent says."""
    named = " and ".join(map(quoted, asked))
    return f"let the session record it (docs/agents.md, 'What a step needs'), or leave {named} out here"


def _figure(name: str, wanted: object, found: object, evidence: Evidence) -> list[str]:
    if wanted is None or found == wanted:
        return []
    if found is None:
        known = name in evidence.guard.unrecorded
        cure = f"leave {quoted(name)} out, or list it in 'guard: unrecorded' of the description"
        return [] if known else [f"{name}: the session does not state it", cure]
    return [f"{name}: {_shown(found)}, not {_shown(wanted)}"]


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else f"'{value}'"


def _too_early(args: Abort, view: Reply) -> list[str]:
    """A guard that no session speaks of cannot have fired behind what was sent."""
    exchange = view.exchange
    if args.fired_at is None or exchange is None or exchange.turn is None:
        return []
    read = exchange.chars_sent - chars_before(exchange.turn.turn, args.stream)
    return [f"fired_at: only {chars(max(0, read))} were sent"] if read < args.fired_at else []


def _too_late(args: Abort, view: Reply, record: RuleRecord | None) -> list[str]:
    if args.within_chars is None:
        return []
    assert view.exchange is not None
    offset = record.fired_at if record else None
    if offset is None and view.was_cut_on_wire:
        offset = view.exchange.chars_sent
    if offset is None:
        return ["within_chars: neither side says where it fired"]
    late = offset - args.within_chars
    return [f"within_chars: {chars(late)} too late"] if late > 0 else []


def _failure(args: Abort, evidence: Evidence, view: Reply, observed: str, reasons: list[str]) -> Failed:
    rules = ", ".join(evidence.guard.rules) or "none"
    lines = [
        *reasons,
        wire_line(view),
        session_line(view, evidence),
        *rules_lines(evidence),
        f"rules this agent can report: {rules}",
    ]
    return failed(observed, _expected(args), lines)


def _expected(args: Abort) -> str:
    names = [name for name in (args.rule, args.mechanism) if name]
    who = " / ".join(names) or "the agent's guard"
    where = "" if args.fired_at is None else f" at exactly {chars(args.fired_at)}"
    bound = "" if args.within_chars is None else f", within {chars(args.within_chars)}"
    stream = "" if args.stream == "text" else f" in the {args.stream} stream"
    return f"reply {args.reply} stopped by {who}{where}{bound}{stream}"
