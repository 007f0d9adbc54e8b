"""Step ``interrupt``: the next request carries the correction that the agent wrote for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.steps.texts import wanted
from harness.steps.verdicts import CheckVerdict, Failed, Passed, Pending, failed
from harness.steps.wording import count, first_line, quoted

if TYPE_CHECKING:
    from harness.evidence import Evidence
    from harness.steps.arguments import Interrupt
    from mock_llm.request import ModelRequest, RequestMessage


def check(args: Interrupt, evidence: Evidence) -> CheckVerdict:
    """Judge as soon as the request is there.

    The interrupt is in a user message, and the request before does not have it: what the user has
    typed was there already.
    """
    marker = evidence.guard.interrupt_marker
    if not marker:
        return failed(
            "no interrupt to look for: the agent's description has no 'guard.interrupt_marker'",
            _expected(args),
        )
    want = wanted(evidence, [args.contains] if args.contains else [])
    if isinstance(want, Failed | Pending):
        return want
    if len(evidence.main) < args.request:
        if not evidence.finished:
            return Pending(f"request {args.request}")
        made = count(len(evidence.main), "request")
        return failed(f"the agent made {made}, and no request {args.request}", _expected(args))
    request = evidence.main[args.request - 1].request
    before = evidence.main[args.request - 2].request if args.request > 1 else None
    carrying = [m for m in _messages(request) if marker in m.text]
    old = {m.text for m in _messages(before)}
    new = [m for m in carrying if m.text not in old]
    if not new:
        system = request.system if request else ""
        is_old = before is not None and marker in before.system
        is_there = marker in system and not is_old
        return _in_system(args, marker, system) if is_there else _absent(args, carrying, request)
    resolved = args._replace(contains=want.contains[0] if want.contains else None)
    return _judge(resolved, marker, new)


def _messages(request: ModelRequest | None) -> tuple[RequestMessage, ...]:
    return request.messages if request else ()


def _in_system(args: Interrupt, marker: str, system: str) -> Failed:
    text = first_line(system[system.index(marker) :])
    return failed("the interrupt came in a system message", _expected(args), [f"| system: {text}"])


def _absent(args: Interrupt, carrying: list[RequestMessage], request: ModelRequest | None) -> Failed:
    if carrying:
        observed = f"the interrupt in request {args.request} is not new: the request before has it too"
        return failed(observed, _expected(args), [f"| {first_line(m.text)}" for m in carrying])
    roles = [f"| {m.role}: {first_line(m.text)}" for m in _messages(request)[-6:]]
    return failed(f"request {args.request} carries no interrupt", _expected(args), roles)


def _judge(args: Interrupt, marker: str, new: list[RequestMessage]) -> CheckVerdict:
    texts = [(m, m.text[m.text.index(marker) :]) for m in new]
    right = [(m, t) for m, t in texts if _fits(args, t)]
    lines = [f"| {m.role}: {first_line(t)}" for m, t in texts]
    if not right:
        return failed(_why_not(args, texts[-1][1]), _expected(args), lines)
    users = [(m, t) for m, t in right if m.role == "user"]
    if not users:
        observed = f"the interrupt came in a {right[-1][0].role} message"
        return failed(observed, _expected(args), lines)
    message, text = users[-1]
    merged = "" if message.text.lstrip().startswith(marker) else " (in one message with other text)"
    return Passed(f"request {args.request}: {quoted(first_line(text))}{merged}")


def _fits(args: Interrupt, text: str) -> bool:
    return _has_rule(args, text) and (args.contains is None or args.contains in text)


def _has_rule(args: Interrupt, text: str) -> bool:
    tag = text.split(">", 1)[0]
    return args.rule is None or f'rule="{args.rule}"' in tag


def _why_not(args: Interrupt, text: str) -> str:
    if not _has_rule(args, text):
        return f"the interrupt in request {args.request} is for another rule: {quoted(first_line(text))}"
    return f"the interrupt in request {args.request} lacks {quoted(args.contains or '')}"


def _expected(args: Interrupt) -> str:
    rule = f" for rule '{args.rule}'" if args.rule else ""
    text = f" that contains {quoted(args.contains)}" if args.contains else ""
    return f"request {args.request} carries a new interrupt{rule}{text}, in a user message"
