"""The shortest script: one text for every request."""

from __future__ import annotations

from mock_llm.script import Script, ScriptTurn, Stream
from mock_llm.template import literal
from mock_llm.turn import Text, Turn

MOST_REQUESTS = 100_000


def one_text(text: str, stream: Stream | None = None) -> Script:
    """A script that answers every request with the text, which is no template."""
    turn = ScriptTurn(Turn((Text(literal(text)),)), stream or Stream())
    return Script((turn,), max_requests=MOST_REQUESTS, when_exhausted="repeat-last")
