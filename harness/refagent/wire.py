"""What every wire dialect can do. The dialects themselves do not know one another."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.refagent.conversation import Message
    from harness.refagent.events import StreamEvent
    from harness.refagent.tool_specs import ToolSpec

# Modules are imported when asked for: a run speaks one dialect.
_MODULES = {
    "anthropic-messages": "harness.refagent.wire_anthropic",
    "gemini": "harness.refagent.wire_gemini",
    "openai-chat": "harness.refagent.wire_openai",
    "openai-responses": "harness.refagent.wire_openai_responses",
}
DIALECTS = tuple(_MODULES)


@dataclass(frozen=True, slots=True)
class Ask:
    """Everything a request is made from, before any wire format."""

    model: str
    system: str
    messages: Sequence[Message]
    tools: Sequence[ToolSpec] = ()
    stream: bool = True


class Decoder(Protocol):
    """Reads one streamed reply.

    Exactly one of ``Done`` and ``StreamError`` is the last event; whatever the server sends after it is
    ignored.
    """

    def feed(self, data: str) -> Sequence[StreamEvent]:
        """Read the data of one server-sent event."""

    def finish(self) -> Sequence[StreamEvent]:
        """Say that the server has ended the stream."""


class Wire(Protocol):
    """One dialect; the dialect modules themselves have this shape."""

    def path(self, model: str, *, stream: bool) -> str:
        """What is added to the base URL for a request to this model."""

    def headers(self, api_key: str) -> dict[str, str]:
        """Authentication and version headers; an empty key sends no authentication."""

    def request_body(self, ask: Ask) -> dict[str, Any]:
        """The request as a JSON object."""

    def decoder(self) -> Decoder:
        """A fresh decoder for one reply."""

    def decode_whole(self, body: Mapping[str, Any]) -> Sequence[StreamEvent]:
        """The events of a reply that came as one JSON object."""


def wire(dialect: str) -> Wire:
    """The dialect of that name.

    Raises:
        KeyError: If there is none; :data:`DIALECTS` has the names.
    """
    return cast("Wire", importlib.import_module(_MODULES[dialect]))


def error_text(body: str, limit: int = 500) -> str:
    """What an error body says: its message where it has the usual shape, else its text, shortened.

    >>> error_text('{"error": {"type": "invalid_request_error", "message": "no such model"}}')
    'no such model'
    >>> error_text("Bad Gateway")
    'Bad Gateway'
    """
    text = " ".join(_message_in(body).split())
    return text if len(text) <= limit else text[:limit] + "..."


def _message_in(body: str) -> str:
    value = parse_object(body) or {}
    error = value.get("error", value)
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return cast("str", error["message"])
    return error if isinstance(error, str) else body


def parse_object(text: str) -> dict[str, Any] | None:
    """A JSON object, or None when the text is not one."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def child(value: Any, key: str) -> dict[str, Any]:
    """The object under ``key``, or an empty one: servers leave fields out or send null."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; empty when it is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """A string as it is, anything else as an empty one."""
    return value if isinstance(value, str) else ""


def count_of(value: Any) -> int | None:
    """A token count, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
