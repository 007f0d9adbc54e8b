"""Whether the screen shows that a reply has ended: programs draw a moment after they have read.

A program may look ready in between, with the screen of before or with half of the reply on it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.steps.echo import is_shown
from harness.steps.screens import by_panel
from mock_llm.turn import Text

if TYPE_CHECKING:
    from harness.steps.moments import Moment
    from mock_llm.journal import Exchange

DRAWN_BY_S = 1.0
"""What a program has not drawn of a reply by then, it does not draw, or in another form."""

_END_CHARS = 60
_NO_LETTERS = re.compile(r"[\W_]+")


def undrawn(moment: Moment) -> str:
    """What is not on the screen of the last reply that is over, as a clause; empty if nothing."""
    over = _last_over(moment)
    if over is None or not _over_s(over) <= moment.now_s < _over_s(over) + DRAWN_BY_S:
        return ""
    if moment.now_s - moment.quiet_s < _over_s(over):
        return "nothing was drawn since the reply ended"
    typed = [_letters(text) for text in moment.evidence.typed]
    end = _end(over)
    if end and not is_shown(_letters(by_panel(moment.screen.whole_text)), end, typed):
        return "the end of the reply is not on the screen"
    return ""


def look_again_s(moment: Moment, until_s: float) -> float:
    """When to look again though nothing happens."""
    over = _last_over(moment)
    drawn_by_s = _over_s(over) + DRAWN_BY_S if over else until_s
    return min(until_s, drawn_by_s) if moment.now_s < drawn_by_s else until_s


def _last_over(moment: Moment) -> Exchange | None:
    """The last reply, if the program has been told that it is over; who hangs up itself is not told."""
    last = moment.evidence.main[-1] if moment.evidence.main else None
    is_over = last is not None and last.ended_s is not None and last.ended != "client-hung-up"
    return last if is_over else None


def _over_s(exchange: Exchange) -> float:
    return exchange.ended_s or 0.0


def _end(exchange: Exchange) -> str:
    """The last letters of a reply that ends with text; how they are marked up does not matter."""
    parts = exchange.turn.turn.parts if exchange.turn and exchange.ended == "complete" else ()
    if not parts or not isinstance(parts[-1], Text):
        return ""
    return _letters(exchange.text_sent[-4 * _END_CHARS :])[-_END_CHARS:]


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text)
