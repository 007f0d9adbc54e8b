"""Templates in a step's texts: ``{nonce}``, ``{reply_1.last_paragraph}``, ``{reply_1.dropped}``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, cast

from harness.steps.replies import UNSEEN, kept_text, main_stream, not_saved, reply, turn_text
from mock_llm.template import names, substitute

if TYPE_CHECKING:
    from harness.evidence import Evidence
    from harness.steps.arguments import StreamName
    from mock_llm.turn import Turn

FIELDS = ("text", "first_paragraph", "last_paragraph", "dropped")

_REPLY = re.compile(r"reply_([1-9][0-9]*)\.(?:(text|thinking|tool)\.)?([a-z_]+)")
_BLANK_LINES = re.compile(r"\n[ \t\r]*\n")


class ReplyField(NamedTuple):
    """``{reply_N.STREAM.FIELD}`` in its parts."""

    name: str
    number: int
    stream: StreamName
    field: str


class UnresolvedError(Exception):
    """A template has no value that a check could use.

    Args:
        name: What stands between the braces.
        reason: Why, as a clause.
        may_come: True when the value may still become known in this run.
    """

    def __init__(self, name: str, reason: str, *, may_come: bool = False) -> None:
        super().__init__(f"'{{{name}}}' has no value: {reason}")
        self.name = name
        self.reason = reason
        self.may_come = may_come


def resolve(text: str, evidence: Evidence) -> str:
    """Put the values into the text.

    ``{reply_N.FIELD}`` is about the text of turn N, or about its thinking when the turn has no
    text; ``{reply_N.thinking.FIELD}`` and ``{reply_N.tool.FIELD}`` say so themselves. ``dropped`` is
    what the model said after the part that the session kept. What is a name is what it is in a script:
    JSON and ``${NAME}`` pass unchanged, and ``{{name}}`` stands for the braces themselves.

    Raises:
        UnresolvedError: For an unknown name, a value that is not known (yet), and an empty value: text
            that is empty is contained everywhere.
    """
    return substitute(text, lambda name: _value(name, evidence))


def _value(name: str, evidence: Evidence) -> str:
    known = evidence.variables
    value = known[name] if name in known else _reply_value(name, evidence)
    if not value.strip():
        raise UnresolvedError(name, "it is empty, and empty text is found everywhere")
    return value


def _reply_value(name: str, evidence: Evidence) -> str:
    found = _REPLY.fullmatch(name)
    if found is None or found[3] not in FIELDS:
        known = ", ".join([*sorted(evidence.variables), *(f"reply_N.{f}" for f in FIELDS)])
        raise UnresolvedError(name, f"no such name; known: {known}")
    wanted = _field(found, evidence)
    text = turn_text(_turn(name, wanted.number, evidence), wanted.stream)
    if wanted.field == "text":
        return text
    if wanted.field == "dropped":
        kept, _ = kept_and_said(name, wanted.number, wanted.stream, evidence)
        return text[len(kept) :]
    found_paragraphs = paragraphs(text)
    if not found_paragraphs:
        return ""
    return found_paragraphs[0] if wanted.field == "first_paragraph" else found_paragraphs[-1]


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text: what stands between blank lines."""
    return [p.strip("\r\n") for p in _BLANK_LINES.split(text) if p.strip()]


def _turn(name: str, number: int, evidence: Evidence) -> Turn:
    exchange = reply(evidence, number).exchange
    if exchange is None:
        raise UnresolvedError(name, f"reply {number} was never asked for", may_come=True)
    if exchange.turn is None:
        raise UnresolvedError(name, f"no turn answered reply {number}")
    return exchange.turn.turn


def kept_and_said(name: str, number: int, stream: StreamName, evidence: Evidence) -> tuple[str, str]:
    """What the session kept of a stream, and the longer text of the turn that it is the beginning of.

    Raises:
        UnresolvedError: When nothing was cut off, or it cannot be said where.
    """
    turn, view = _turn(name, number, evidence), reply(evidence, number)
    if not evidence.session.is_kept:
        raise UnresolvedError(name, UNSEEN)
    if view.message is None:
        raise UnresolvedError(name, not_saved(view, evidence), may_come=True)
    if view.exchange and view.exchange.turn and view.exchange.turn.stream.until_hang_up:
        raise UnresolvedError(name, f"reply {number} has no end")
    kept, _ = kept_text(view.message, stream, evidence.guard.truncation_marker)
    said = turn_text(turn, stream)
    if not said.startswith(kept):
        raise UnresolvedError(name, "the session does not keep the beginning of what was sent")
    if not said[len(kept) :].strip():
        raise UnresolvedError(name, f"nothing of reply {number} was dropped")
    return kept, said


def reply_fields(text: str, evidence: Evidence) -> list[ReplyField]:
    """The fields of replies that a text names."""
    found = [_REPLY.fullmatch(name) for name in names(text)]
    return [_field(match, evidence) for match in found if match]


def _field(match: re.Match[str], evidence: Evidence) -> ReplyField:
    number, name = int(match[1]), match[0]
    stream = cast("StreamName", match[2]) if match[2] else main_stream(_turn(name, number, evidence))
    return ReplyField(name, number, stream, match[3])
