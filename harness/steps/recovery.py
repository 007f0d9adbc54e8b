"""Step ``recovery``: after the interruption the agent gave a whole answer, and the user saw it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.steps.replies import Reply, ended_normally, reply, session_line
from harness.steps.texts import shows, wanted
from harness.steps.verdicts import CheckVerdict, Failed, Passed, Pending, failed
from harness.steps.wording import chars, quoted

if TYPE_CHECKING:
    from harness.evidence import Evidence
    from harness.steps.arguments import Recovery


def check(args: Recovery, evidence: Evidence) -> CheckVerdict:
    """Judge when the answer is in the session; without ``reply`` that is the last message.

    Passes before the run has ended only while no reply is under way.
    """
    want = wanted(evidence, [args.contains])
    if isinstance(want, Failed | Pending):
        return want
    text = want.contains[0]
    view = reply(evidence, args.reply or _last(evidence))
    problems = _problems(view, text, evidence)
    if not problems and (evidence.finished or _is_at_rest(args, evidence)):
        assert view.message is not None
        shown = f"{quoted(text, 60)} in reply {view.number}"
        reason = view.message.stop_reason or "end"
        return Passed(
            f"{shown} ({chars(len(view.message.text))}, ended with '{reason}'), shown in the output"
        )
    if not evidence.finished:
        return Pending(problems[0] if problems else "the end of the reply under way")
    expected = f"the {_which(args)} contains {quoted(text, 60)}, ended normally, is shown in the output"
    return failed(problems[0], expected, [*problems[1:], *_lines(view, evidence)])


def _last(evidence: Evidence) -> int:
    saved = len(evidence.transcript.assistant) if evidence.transcript else 0
    return max(saved, 1)


def _which(args: Recovery) -> str:
    return f"reply {args.reply}" if args.reply else "last reply"


def _is_at_rest(args: Recovery, evidence: Evidence) -> bool:
    """Whether every reply that was asked for is in the session, so that the last one is the last."""
    if args.reply:
        return True
    return len(evidence.main) == _last(evidence) and all(e.ended != "open" for e in evidence.main)


def _problems(view: Reply, text: str, evidence: Evidence) -> list[str]:
    message = view.message
    if message is None:
        return [f"assistant message {view.number} is not in the session"]
    problems = []
    if text not in message.text:
        problems.append(f"reply {view.number} lacks {quoted(text, 60)}")
    if not ended_normally(message):
        reason = message.error or message.stop_reason
        problems.append(f"reply {view.number} did not end normally: '{reason}'")
    if not problems and not shows(evidence, text):
        problems.append(f"the output does not show {quoted(text, 60)}")
    return problems


def _lines(view: Reply, evidence: Evidence) -> list[str]:
    shown = [line for line in evidence.output.splitlines() if line.strip()][-3:]
    said = [f"reply {view.number}: {quoted(view.message.text, 120)}"] if view.message else []
    return [session_line(view, evidence), *said, "last lines of the output:", *(f"| {x}" for x in shown)]
