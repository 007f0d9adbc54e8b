"""What a client asked, in terms that every dialect shares."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

Role = Literal["system", "user", "assistant", "tool"]


class RequestMessage(NamedTuple):
    """One message of a request: its text joined, its thinking, its tool calls and results apart.

    A tool call is its name, a space, and its arguments as JSON text.
    """

    role: Role
    text: str = ""
    thinking: str = ""
    tool_calls: tuple[str, ...] = ()


class ModelRequest(NamedTuple):
    """A request to the model.

    ``messages`` leave the system text out; a tool result is a message with role ``tool``.
    ``stream`` is decided by the body (or the path, where the dialect says so) alone. ``retry`` counts the
    client's own repetitions of the same request: 0 is its first attempt. Names of ``headers`` are in lower
    case; they are empty until the server fills them in.
    """

    dialect: str
    model: str
    stream: bool
    system: str
    messages: tuple[RequestMessage, ...]
    tools: tuple[str, ...] = ()
    include_usage: bool = False
    body: Mapping[str, Any] = MappingProxyType({})
    path: str = ""
    retry: int = 0
    headers: Mapping[str, str] = MappingProxyType({})

    @property
    def last_user_text(self) -> str:
        """The text of the last user message, or an empty string."""
        return next((m.text for m in reversed(self.messages) if m.role == "user"), "")


class BadRequest(ValueError):
    """A request body that its dialect does not allow; the message says what and where."""
