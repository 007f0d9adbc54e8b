"""Step ``recovery``: after the interruption the agent gave a whole answer, and the user saw it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.steps.replies import (
    NO_SESSION,
    Reply,
    ended_normally,
    last_saved,
    not_saved,
    reply,
    session_line,
    turn_text,
    wire_line,
)
from harness.steps.texts import unseen_answer, wanted
from harness.steps.verdicts import CheckVerdict, Failed, Passed, Pending, failed
from harness.steps.wording import chars, last_lines, quoted
from mock_llm.turn import ToolCall

if TYPE_CHECKING:
    from harness.evidence import Evidence
    from harness.steps.arguments import Recovery

_GOES_ON = ("tool", "length", "refusal")  # a turn that stops so is no finished answer


def check(args: Recovery, evidence: Evidence) -> CheckVerdict:
    """Judge when the answer is in the session; without ``reply`` that is the last message.

    Of an agent that keeps no session, the answer must have been sent whole and stand in the output.
    Passes before the run has ended only while no reply is under way.
    """
    want = wanted(evidence, [args.contains])
    if isinstance(want, Failed | Pending):
        return want
    text = want.contains[0]
    view = reply(evidence, args.reply or _last(evidence))
    problems = _problems(view, text, evidence)
    if not problems and (evidence.finished or _is_at_rest(args, evidence)):
        return Passed(f"{quoted(text, 60)} in reply {view.number} ({_figures(view)}), shown in the output")
    if not evidence.finished:
        return Pending(problems[0] if problems else "the end of the reply under way")
    expected = f"the {_which(args)} contains {quoted(text, 60)}, ended normally, is shown in the output"
    return failed(problems[0], expected, [*problems[1:], *_lines(view, evidence)])


def _figures(view: Reply) -> str:
    if view.message is None:
        sent = chars(view.exchange.chars_sent) if view.exchange else ""
        return f"{sent} sent; {NO_SESSION}"
    reason = view.message.stop_reason or "end"
    return f"{chars(len(view.message.text))}, ended with '{reason}'"


def _last(evidence: Evidence) -> int:
    if not evidence.session.is_kept:
        return max(len(evidence.main), 1)
    return max(last_saved(evidence), 1)


def _which(args: Recovery) -> str:
    return f"reply {args.reply}" if args.reply else "last reply"


def _is_at_rest(args: Recovery, evidence: Evidence) -> bool:
    """Whether every reply that was asked for is in the session, so that the last one is the last."""
    if args.reply:
        return True
    return len(evidence.main) == _last(evidence) and all(e.ended != "open" for e in evidence.main)


def _problems(view: Reply, text: str, evidence: Evidence) -> list[str]:
    if not evidence.session.is_kept:
        return _problems_on_wire(view, text, evidence)
    message = view.message
    if message is None:
        return [not_saved(view, evidence)]
    problems = []
    if text not in message.text:
        problems.append(f"reply {view.number} lacks {quoted(text, 60)}")
    elif evidence.finished and not _was_sent(text, evidence):
        problems.append(f"the session has {quoted(text, 60)}, and no reply that arrived holds it")
    if not ended_normally(message):
        reason = message.error or message.stop_reason
        problems.append(f"reply {view.number} did not end normally: '{reason}'")
    if not problems and (unseen := unseen_answer(evidence, text)):
        problems.append(unseen)
    return problems


def _was_sent(text: str, evidence: Evidence) -> bool:
    """Whether the model has said it, in a reply of any conversation that arrived whole."""
    replies = [e for e in evidence.exchanges if e.turn is not None and (e.reply is not None or e.of_lane)]
    return any(
        text in turn_text(e.turn.turn, "text") and Reply(0, e, None, ()).arrived_whole
        for e in replies
        if e.turn is not None
    )


def _problems_on_wire(view: Reply, text: str, evidence: Evidence) -> list[str]:
    turn = view.exchange.turn.turn if view.exchange and view.exchange.turn else None
    if turn is None:
        return [f"reply {view.number} was never sent"]
    if text not in turn_text(turn, "text"):
        return [f"reply {view.number} lacks {quoted(text, 60)}"]
    if not view.arrived_whole:
        return [f"reply {view.number} did not arrive whole"]
    if turn.stop in _GOES_ON or any(isinstance(part, ToolCall) for part in turn.parts):
        return [f"reply {view.number} is no finished answer"]
    unseen = unseen_answer(evidence, text)
    return [unseen] if unseen else []


def _lines(view: Reply, evidence: Evidence) -> list[str]:
    said = [f"reply {view.number}: {quoted(view.message.text, 120)}"] if view.message else []
    wire = [] if evidence.session.is_kept else [wire_line(view)]
    return [session_line(view, evidence), *wire, *said, *last_lines(evidence.output, 3)]
