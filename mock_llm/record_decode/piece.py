"""What a decoder gives: the pieces of a reply in the order they arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

TextKind = Literal["say", "think", "refuse"]


class Said(NamedTuple):
    """Text of a part, or (``args``) arguments of a tool call; ``part`` is its index in the turn."""

    part: int
    kind: TextKind | Literal["args"]
    text: str


class Called(NamedTuple):
    """A tool call begins; its arguments follow."""

    part: int
    id: str
    name: str


class Counted(NamedTuple):
    """Token counts; a later one replaces an earlier one, None leaves that count as it was."""

    input_tokens: int | None
    output_tokens: int | None


class Stopped(NamedTuple):
    """Why the model stopped: ``stop``, ``tool``, ``length``, ``refusal``, or the provider's own word."""

    stop: str


class Finished(NamedTuple):
    """The provider's last event: the reply is complete."""


class Failed(NamedTuple):
    """An error in place of the rest of the reply."""

    message: str


Piece = Said | Called | Counted | Stopped | Finished | Failed


class Decoder(Protocol):
    """Reads one reply. Whatever does not look as expected is passed over, never an error."""

    def event(self, value: Any) -> Iterator[Piece]:
        """The pieces of one event of a stream, its data as JSON value (``[DONE]`` as text)."""

    def whole(self, value: Any) -> Iterator[Piece]:
        """The pieces of a reply that is not streamed."""


class Parts:
    """Gives every part its index in the order in which parts begin."""

    def __init__(self) -> None:
        self._count = 0
        self._kind = ""
        self._places: dict[object, int] = {}

    def text(self, kind: str) -> int:
        """The part that text of this kind goes on with: a new one where the kind changes."""
        if kind != self._kind:
            self._kind = kind
            self._count += 1
        return self._count - 1

    def new(self, key: object) -> int:
        """A new part, to be found again by its key."""
        self._kind = ""
        self._count += 1
        self._places[key] = self._count - 1
        return self._count - 1

    def find(self, key: object) -> int | None:
        """The part of that key, if it has begun."""
        return self._places.get(key)


def at(value: Any, *keys: str | int) -> Any:
    """What stands at a path of keys and indexes, or None where it leads nowhere."""
    for key in keys:
        if isinstance(key, str):
            value = value.get(key) if isinstance(value, dict) else None
        else:
            value = value[key] if isinstance(value, list) and key < len(value) else None
    return value


def text_at(value: Any, *keys: str | int) -> str:
    """The text at a path, or an empty one."""
    found = at(value, *keys)
    return found if isinstance(found, str) else ""


def count_at(value: Any, *keys: str | int) -> int | None:
    """The whole number at a path, or None."""
    found = at(value, *keys)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def rows_at(value: Any, *keys: str | int) -> list[Any]:
    """The list at a path, or an empty one."""
    found = at(value, *keys)
    return found if isinstance(found, list) else []


def said(part: int, kind: TextKind | Literal["args"], text: str) -> Iterator[Said]:
    """The piece, unless it is empty."""
    if text:
        yield Said(part, kind, text)


def error_message(value: Any) -> str:
    """The message of an error in any provider's shape; empty when the value holds no error."""
    error = at(value, "error")
    if isinstance(error, dict):
        return text_at(error, "message") or "an error without a message"
    return error if isinstance(error, str) else ""
