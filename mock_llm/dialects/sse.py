"""Formatting that the event-stream dialects share: JSON text, events, default token counts."""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Any

from mock_llm.dialects.dialect import EPOCH_S
from mock_llm.turn import Usage

if TYPE_CHECKING:
    from mock_llm.request import ModelRequest
    from mock_llm.turn import Turn

# ASCII only: any cut of the bytes is then harmless, and a lone surrogate stays a valid escape.
quote = encode_basestring_ascii

CHARS_PER_TOKEN = 4
EVENT_STREAM = "text/event-stream; charset=utf-8"


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
    return Usage(input_tokens=input_tokens(request), output_tokens=_tokens(turn.chars))


def input_tokens(request: ModelRequest) -> int:
    """What a request counts, at four characters a token."""
    return _tokens(len(request.system) + sum(len(m.text) + len(m.thinking) for m in request.messages))


def json_value(text: str) -> Any:
    """Tool arguments as a value, for dialects that do not send them as text.

    What is not JSON stays the text that it is: the script wants it broken. No text at all is an object.

    >>> json_value('{"a": 1}'), json_value("")
    ({'a': 1}, {})
    >>> json_value('{"a": NaN}'), json_value("[1e999]")
    ('{"a": NaN}', '[1e999]')
    """
    try:
        value = json.loads(text or "{}")
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return text
    return value


def _tokens(chars: int) -> int:
    return -(-chars // CHARS_PER_TOKEN)


def openai_model(model: str) -> dict[str, Any]:
    """What both of OpenAI's dialects say of a model."""
    return {"id": model, "object": "model", "created": EPOCH_S, "owned_by": "mock-llm"}
