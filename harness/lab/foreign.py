"""The JSON-lines protocol between qa and a detector in any language; docs/replay.md tells its author.

One JSON object a line, UTF-8. qa writes to the program's standard input and reads its standard output::

    qa:      {"type": "hello", "version": 1}
    program: {"type": "hello", "version": 1, "name": "my guard", "offsets": "utf-16"}
    qa:      {"type": "reset", "scope": "conversation"}
    qa:      {"type": "feed", "block": 0, "stream": "text", "delta": "Let me"}
    qa:      {"type": "finish", "id": 1}
    program: {"type": "finding", "block": 0, "mechanism": "paragraph-repeat", "garbage_start": 98, ...}
    program: {"type": "done", "id": 1}
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from mock_llm.problems import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from harness.lab.capture import Message

VERSION = 1
UTF16, CODE_POINTS = "utf-16", "code-points"
OFFSETS = ("anomaly_start", "garbage_start", "fired_at")
_MOST_SHOWN = 60  # characters of a value


class ProtocolError(ValueError):
    """A line of the program that qa cannot use; the text quotes it."""


class Hello(NamedTuple):
    """What the program says of itself. With ``is_utf16`` it counts as JavaScript does."""

    name: str
    is_utf16: bool


class Claim(NamedTuple):
    """A finding of the program. What it does not say is None and is not compared; offsets are code points."""

    mechanism: str | None = None
    anomaly_start: int | None = None
    garbage_start: int | None = None
    fired_at: int | None = None
    block: int | None = None
    rule: str | None = None
    reason: str | None = None


def encode(message: Mapping[str, Any]) -> bytes:
    """A message as its line; halves of surrogate pairs survive, for all else than ASCII is escaped."""
    return json.dumps(message).encode("ascii") + b"\n"


def opening() -> bytes:
    """The first line that qa writes."""
    return encode({"type": "hello", "version": VERSION})


def lines_of(message: Message, number: int, chars_per_delta: int, *, is_first: bool) -> Iterator[bytes]:
    """What qa writes for one message of a conversation: the reset, its deltas, and that it has ended.

    ``number`` comes back with the answer, so that none is taken for that to another message.
    """
    yield encode({"type": "reset", "scope": "conversation" if is_first else "message"})
    for block, part in enumerate(message.parts):
        head = f'{{"type": "feed", "block": {block}, "stream": "{part.stream}", "delta": '
        for at in range(0, len(part.text), chars_per_delta):
            delta = json.dumps(part.text[at : at + chars_per_delta])
            yield f"{head}{delta}}}\n".encode("ascii")
    yield encode({"type": "finish", "id": number})


def parse_line(line: bytes) -> dict[str, Any]:
    """A line of the program as an object with a ``type``.

    Raises:
        ProtocolError: If it is none, or an ``error`` of the program.
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        shown = quoted(line.decode("utf-8", "replace").rstrip("\r\n"), 80)
        raise ProtocolError(
            f"it wrote {shown} to its standard output, which is no message (a JSON object with 'type')\n"
            "  the standard output is for messages; print anything else to the standard error"
        )
    if value["type"] == "error":
        raise ProtocolError(f"it gave up: {quoted(str(value.get('message', 'no message')), 200)}")
    return value


def parse_hello(value: Mapping[str, Any]) -> Hello:
    """The program's answer to the opening.

    Raises:
        ProtocolError: If it is another message, another version, or counts in unknown units.
    """
    if value["type"] != "hello":
        raise ProtocolError(f"its first message has the type {quoted(value['type'])}, not 'hello'")
    if value.get("version") != VERSION:
        raise ProtocolError(
            f"it speaks version {_written(value.get('version'))} of the protocol; qa speaks {VERSION}"
        )
    offsets = value.get("offsets", CODE_POINTS)
    if offsets not in (UTF16, CODE_POINTS):
        raise ProtocolError(f"its 'offsets' are {quoted(str(offsets))}; valid: '{CODE_POINTS}', '{UTF16}'")
    name = value.get("name")
    return Hello(name if isinstance(name, str) and name else "the detector", offsets == UTF16)


def parse_claim(value: Mapping[str, Any], message: Message, hello: Hello) -> Claim:
    """A finding about ``message``, its offsets as code points.

    Raises:
        ProtocolError: If the block does not exist, or an offset is no integer within it.
    """
    block = value.get("block", 0 if len(message.parts) == 1 else None)
    if block is not None and not (_is_count(block) and block < len(message.parts)):
        raise ProtocolError(
            f"its finding has the block {_written(block)}, but the message has {len(message.parts)}"
        )
    text = message.parts[block].text if block is not None else None
    offsets = {name: _offset(name, value.get(name), text, hello) for name in OFFSETS}
    words = {name: _word(value.get(name)) for name in ("mechanism", "rule", "reason")}
    return Claim(block=block, **offsets, **words)  # type: ignore[arg-type]


def check_done(value: Mapping[str, Any], number: int) -> None:
    """See that the program is done with the message that was asked about.

    Raises:
        ProtocolError: If its ``id`` is not that of the message's ``finish``.
    """
    if value.get("id") != number:
        raise ProtocolError(
            f"its 'done' has the id {_written(value.get('id'))}, but the 'finish' had {number}"
        )


def _written(value: object) -> str:
    """A value as it stands in a message, for one line."""
    text = json.dumps(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _word(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _offset(name: str, value: Any, text: str | None, hello: Hello) -> int | None:
    if value is None:
        return None
    if not _is_count(value):
        raise ProtocolError(f"its finding has the {name} {_written(value)}, which is no offset")
    if text is None:
        raise ProtocolError("its finding names no 'block', but the message has several")
    size = units_in(text) if hello.is_utf16 else len(text)
    if value > size:
        unit = "UTF-16 units" if hello.is_utf16 else "code points"
        raise ProtocolError(f"its finding has the {name} {value:,}, but the block has {size:,} {unit}")
    return code_points(text, value) if hello.is_utf16 else int(value)


def units_in(text: str) -> int:
    r"""UTF-16 units of a text.

    >>> units_in("a\U0001f642")
    3
    """
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def code_points(text: str, units: int) -> int:
    r"""How many code points the first UTF-16 units of a text are; a pair that is cut counts as one.

    >>> [code_points("a\U0001f642b", units) for units in range(5)]
    [0, 1, 2, 2, 3]
    """
    if text.isascii():
        return units
    read = 0
    for index, char in enumerate(text):
        if read >= units:
            return index
        read += 2 if char > "\uffff" else 1
    return len(text)
