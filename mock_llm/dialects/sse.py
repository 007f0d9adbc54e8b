"""Formatting that the event-stream dialects share: JSON text, events, default token counts."""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from mock_llm.turn import Usage

if TYPE_CHECKING:
    from mock_llm.request import ModelRequest
    from mock_llm.turn import Turn

# ASCII only: any cut of the bytes is then harmless, and a lone surrogate stays a valid escape.
quote = encode_basestring_ascii

CHARS_PER_TOKEN = 4


def compact(value: Any) -> str:
    r"""JSON text without spaces, ASCII only.

    >>> compact({"a": ["é"]})
    '{"a":["\\u00e9"]}'
    """
    return json.dumps(value, separators=(",", ":"))


def data_event(payload: str) -> bytes:
    r"""An event without a name.

    >>> data_event("[DONE]")
    b'data: [DONE]\n\n'
    """
    return f"data: {payload}\n\n".encode("ascii")


def named_event(name: str, payload: str) -> bytes:
    r"""An event with a name.

    >>> named_event("ping", "{}")
    b'event: ping\ndata: {}\n\n'
    """
    return f"event: {name}\ndata: {payload}\n\n".encode("ascii")


def usage_of(turn: Turn, request: ModelRequest) -> Usage:
    """The turn's own usage, or a count at four characters a token, rounded up."""
    if turn.usage is not None:
        return turn.usage
    asked = len(request.system) + sum(len(m.text) + len(m.thinking) for m in request.messages)
    return Usage(input_tokens=_tokens(asked), output_tokens=_tokens(turn.chars))


def _tokens(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)
