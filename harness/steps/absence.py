"""What a text must not hold: whole phrases, and any piece of what an agent had dropped.

An agent that replays a dropped tail can replay only what it had read of it. So ``{reply_N.dropped}`` is
not looked for as one text, which such a replay would never hold, but piece by piece: the paragraphs it
had read that the kept text does not hold, and the seam where the kept text went on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from harness.steps.replies import chars_before, reply
from harness.steps.resolve import UnresolvedError, kept_and_said, paragraphs, reply_fields, resolve
from harness.steps.wording import count, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.evidence import Evidence
    from harness.steps.resolve import ReplyField

SEAM_CHARS = 60
MIN_PIECE_CHARS = 24  # a shorter paragraph may stand in a request by chance


class Absent(NamedTuple):
    """Something that must not be there: it is there when any of its pieces is."""

    words: str
    pieces: tuple[str, ...]

    def found(self, has: Callable[[str], bool]) -> str:
        """The first piece that is there, or an empty string."""
        return next((piece for piece in self.pieces if has(piece)), "")


def absent(text: str, evidence: Evidence) -> Absent:
    """Resolve a text that must be lacking.

    Raises:
        UnresolvedError: As :func:`resolve`, and when nothing of a dropped text had been read.
    """
    fields = reply_fields(text, evidence)
    if len(fields) == 1 and fields[0].field == "dropped" and text.strip() == f"{{{fields[0].name}}}":
        return _dropped(fields[0], evidence)
    resolved = resolve(text, evidence)
    sent = "".join(e.text_sent for e in evidence.main) if fields else resolved
    note = "" if resolved in sent else " (which was never sent)"
    return Absent(f"{quoted(resolved, 60)}{note}", (resolved,))


def _dropped(field: ReplyField, evidence: Evidence) -> Absent:
    kept, said = kept_and_said(field.name, field.number, field.stream, evidence)
    read = said[: _chars_read(field, evidence)]
    tail = read[len(kept) :]
    if not tail.strip():
        raise UnresolvedError(
            field.name, f"the session keeps all of reply {field.number} that the agent had read"
        )
    seam = kept[-SEAM_CHARS:] + tail[:SEAM_CHARS]
    if seam in kept:
        seam = kept + tail[:SEAM_CHARS]
    new = [p for p in paragraphs(tail) if len(p) >= MIN_PIECE_CHARS and p not in kept]
    pieces = tuple(dict.fromkeys([*new, seam]))
    which = "the dropped piece" if len(pieces) == 1 else f"each of {count(len(pieces), 'dropped piece')}"
    return Absent(f"{which} of reply {field.number}", pieces)


def _chars_read(field: ReplyField, evidence: Evidence) -> int:
    """How much of the stream the agent had surely read, or may have read where nothing says it."""
    view = reply(evidence, field.number)
    assert view.exchange is not None
    assert view.exchange.turn is not None
    stated = [r.fired_at for r in view.records if r.fired_at is not None]
    if stated:
        return min(stated)
    return max(0, view.exchange.chars_sent - chars_before(view.exchange.turn.turn, field.stream))
