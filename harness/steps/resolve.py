"""Templates in a step's texts: ``{nonce}``, ``{reply_1.last_paragraph}``, ``{reply_1.dropped}``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from harness.steps.replies import kept_text, main_stream, reply, turn_text

if TYPE_CHECKING:
    from harness.evidence import Evidence
    from harness.steps.arguments import StreamName
    from mock_llm.turn import Turn

FIELDS = ("text", "first_paragraph", "last_paragraph", "dropped")

_NAME = re.compile(r"\{([a-z_][a-z0-9_]*(?:\.[a-z_]+)*)\}")
_REPLY = re.compile(r"reply_([1-9][0-9]*)\.(?:(text|thinking)\.)?([a-z_]+)")
_BLANK_LINES = re.compile(r"\n[ \t\r]*\n")


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
    text; ``{reply_N.thinking.FIELD}`` says so itself. ``dropped`` is what the model said after the
    part that the session kept. Only names in lower case between braces count, so JSON passes unchanged.

    Raises:
        UnresolvedError: For an unknown name, a value that is not known (yet), and an empty value: text
            that is empty is contained everywhere.
    """
    return _NAME.sub(lambda found: _value(found[1], evidence), text)


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
    number, field = int(found[1]), found[3]
    turn = _turn(name, number, evidence)
    stream = cast("StreamName", found[2]) if found[2] else main_stream(turn)
    text = turn_text(turn, stream)
    if field == "text":
        return text
    if field == "dropped":
        return _dropped(name, number, stream, evidence)
    paragraphs = [p.strip("\r\n") for p in _BLANK_LINES.split(text) if p.strip()]
    if not paragraphs:
        return ""
    return paragraphs[0] if field == "first_paragraph" else paragraphs[-1]


def _turn(name: str, number: int, evidence: Evidence) -> Turn:
    exchange = reply(evidence, number).exchange
    if exchange is None:
        raise UnresolvedError(name, f"reply {number} was never asked for", may_come=True)
    if exchange.turn is None:
        raise UnresolvedError(name, f"no turn answered reply {number}")
    return exchange.turn.turn


def _dropped(name: str, number: int, stream: StreamName, evidence: Evidence) -> str:
    view = reply(evidence, number)
    assert view.exchange is not None
    assert view.exchange.turn is not None
    if view.message is None:
        raise UnresolvedError(name, f"the session has no assistant message {number}", may_come=True)
    if view.exchange.turn.stream.until_hang_up:
        raise UnresolvedError(name, f"reply {number} has no end")
    kept, _ = kept_text(view.message, stream, evidence.guard.truncation_marker)
    text = turn_text(view.exchange.turn.turn, stream)
    if not text.startswith(kept):
        raise UnresolvedError(name, "the session does not keep the beginning of what was sent")
    if not text[len(kept) :].strip():
        raise UnresolvedError(name, f"nothing of reply {number} was dropped")
    return text[len(kept) :]
