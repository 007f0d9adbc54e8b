"""Steps ``request`` (what a request says) and ``requests`` (how many there are)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.steps.texts import (
    contains_words,
    lines_with,
    missing,
    nearest_lines,
    satisfied,
    unwanted,
    wanted,
)
from harness.steps.verdicts import CheckVerdict, Failed, Passed, Pending, failed
from harness.steps.wording import chars, count, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.evidence import Evidence
    from harness.steps.arguments import Request, Requests
    from mock_llm.journal import Exchange
    from mock_llm.request import ModelRequest


def check_request(args: Request, evidence: Evidence) -> CheckVerdict:
    """Judge as soon as the request and the values of its templates are known.

    The text of a request is its system text, its messages and every string of its body, so a text
    that was split into several content blocks is found, and so is one that no parser looked at.
    """
    want = wanted(evidence, args.contains, args.lacks, args.matches)
    if isinstance(want, Failed | Pending):
        return want
    claim = f"request {args.number} {want.expected or 'is made'}"
    if len(evidence.main) < args.number:
        if not evidence.finished:
            return Pending(f"request {args.number}")
        made = count(len(evidence.main), "request")
        return failed(f"the agent made {made}, and no request {args.number}", claim)
    text = request_text(evidence.main[args.number - 1].request)
    present = unwanted(want, text.__contains__)
    absent = missing(want, text.__contains__, text)
    if not present and not absent:
        return Passed(f"request {args.number}: {satisfied(want, text) or chars(len(text))}")
    near = [line for needle in present for line in lines_with(needle, text)]
    near += [line for needle in want.contains if needle not in text for line in nearest_lines(needle, text)]
    return failed(f"request {args.number} {' and '.join(contains_words(present) + absent)}", claim, near)


def request_text(request: ModelRequest | None) -> str:
    """Everything a request says, one part a line group."""
    if request is None:
        return ""
    parts = [request.system]
    for message in request.messages:
        parts += [message.text, message.thinking, *message.tool_calls]
    known = set(parts)
    parts += [text for text in _strings(request.body) if text not in known]
    return "\n".join(part for part in parts if part)


def _strings(value: Any) -> Iterator[str]:
    """Every string value of a JSON document, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)


def check_requests(args: Requests, evidence: Evidence) -> CheckVerdict:
    """Fail as soon as there is one too many; pass when the run has ended.

    A refused request counts: the agent made it. A request that the client repeated by itself, after
    a broken connection for example, counts once.
    """
    refused = [e for e in evidence.exchanges if e.reply is None and e.lane != "side"]
    made = len(evidence.main) + len(refused)
    observed = count(made, "request") + (f", {len(refused):,} of them refused" if refused else "")
    repeated = sum(e.reply is not None for e in evidence.exchanges) - len(evidence.main)
    observed += f", and {repeated:,} repeated by the client" if repeated > 0 else ""
    if made == args.number and evidence.finished:
        return Passed(observed)
    if made <= args.number and not evidence.finished:
        return Pending(f"the end of the run, {observed} so far")
    lines = [*map(_refused_line, refused), *map(_made_line, evidence.main)]
    return failed(observed, count(args.number, "request"), lines)


def _made_line(exchange: Exchange) -> str:
    asked = exchange.request.last_user_text if exchange.request else ""
    return f"request {exchange.reply}: last user text '{shortened(asked, 100)}'"


def _refused_line(exchange: Exchange) -> str:
    reason = exchange.problem.split("\n", 1)[0]
    return f"refused: {exchange.method} {exchange.path}: {reason}"
