"""A recorded exchange read back: the turn that the model took, its pace, and how it ended.

A recording is a file of JSON lines, one for each thing as it happened, so that it can be read however early
the recorder was killed: a last line that is torn is left out. :mod:`mock_llm.record_lines` writes them.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from mock_llm.pace import Beat
from mock_llm.script import Stream
from mock_llm.template import literal
from mock_llm.turn import Refusal, Text, Thinking, ToolCall, Turn, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mock_llm.faults import Fault
    from mock_llm.turn import Part

_SAID: Mapping[str, Callable[[str], Part]] = {"say": Text, "think": Thinking, "refuse": Refusal}
_MOST_SKIPPED = 1000
_REPLAYED_HEADERS = ("content-type", "retry-after", "retry-after-ms", "x-should-retry")


class Recorded(NamedTuple):
    """A turn as it was recorded. Its texts are templates that fill to themselves."""

    turn: Turn
    stream: Stream


def read_recorded(texts: Sequence[str]) -> Recorded:
    """The turn of one or more attempts: the last one's content, the failure of those before it.

    Args:
        texts: The recordings of the attempts, in order; at least one.

    Raises:
        ValueError: If one of them holds no recording; the message says which line is wrong.
    """
    try:
        attempts = [_Attempt(_lines(text)) for text in texts]
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"a line is not as the recorder writes it: {error!r}") from None
    last = attempts[-1]
    fault = last.fault(0) if len(attempts) == 1 else attempts[0].fault(len(attempts) - 1)
    return Recorded(last.turn(), last.stream()._replace(fault=fault))


def _lines(text: str) -> list[dict[str, Any]]:
    """The lines, each a JSON object; a torn last one is left out."""
    rows = text.split("\n")
    lines: list[dict[str, Any]] = []
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        try:
            lines.append(json.loads(row))
        except ValueError:
            if number == len(rows):
                break
            raise ValueError(f"line {number} is no JSON: the file is no recording") from None
    if not lines or "recorded" not in dict(lines[0]):
        raise ValueError("the file does not begin with a recorded request")
    return lines


class _Attempt:
    """One recorded exchange."""

    def __init__(self, lines: list[dict[str, Any]]) -> None:
        self._parts: list[tuple[Part, list[str]]] = []
        self._beats: list[Beat] = []
        self._usage: dict[str, int] = {}
        self._stop = "stop"
        self._status = 0
        self._headers: dict[str, str] = {}
        self._body: str | None = None
        self._failed: str | None = None
        self._ended = ""
        self._end_ms = 0.0
        for line in lines[1:]:
            self._take(line)

    def turn(self) -> Turn:
        """What the model said, with the token counts where both are known."""
        usage = self._usage
        counted = Usage(usage["input_tokens"], usage["output_tokens"]) if len(usage) == 2 else None
        said = ((part, texts) for part, texts in self._parts if texts or isinstance(part, ToolCall))
        return Turn(tuple(_whole(part, "".join(texts)) for part, texts in said), counted, self._stop)

    def stream(self) -> Stream:
        """The pace; an answer without content comes when it ended."""
        if self._beats:
            return Stream(recorded=tuple(self._beats))
        return Stream(first_after_ms=self._end_ms)

    def fault(self, attempts: int) -> Fault | None:
        """What went wrong upstream. A client that hung up is no fault of the reply."""
        from mock_llm.faults import Fault  # few recordings have one

        chars = sum(beat.chars for beat in self._beats)
        if self._status >= 400:
            headers = tuple((k, v) for k, v in self._headers.items() if k in _REPLAYED_HEADERS)
            body = self._body if self._body is not None else ""
            return Fault("status", attempts=attempts, status=self._status, body=body, headers=headers)
        if self._failed is not None:
            return Fault("error-event", at=chars, attempts=attempts, message=self._failed)
        if self._ended == "early-end":
            return Fault("early-end", at=chars, attempts=attempts)
        if self._ended == "upstream-closed":
            kind = "close" if self._status else "close-before-headers"
            return Fault(kind, at=chars if self._status else 0, attempts=attempts)
        return None

    def _take(self, line: Mapping[str, Any]) -> None:
        at_ms = float(line.get("at_ms", 0))
        if "status" in line:
            self._status, self._headers = int(line["status"]), dict(line.get("headers", {}))
        elif "body" in line:
            self._body = str(line["body"])
        elif "part" in line:
            self._piece(line, at_ms)
        elif "usage" in line:
            self._usage |= {name: count for name, count in line["usage"].items() if count is not None}
        elif "stop" in line:
            self._stop = str(line["stop"])
        elif "failed" in line:
            self._failed = str(line["failed"])
        else:
            self._ended, self._end_ms = str(line["ended"]), at_ms

    def _piece(self, line: Mapping[str, Any], at_ms: float) -> None:
        index = int(line["part"])
        if "call" in line:
            self._at(index, ToolCall(str(line["call"]["id"]), str(line["call"]["name"]), ""))
            return
        kind = next(kind for kind in (*_SAID, "args") if kind in line or kind == "args")
        text = str(line[kind])
        if kind in _SAID:
            self._at(index, _SAID[kind](""))
        if text:
            self._parts[index][1].append(text)
            self._beats.append(Beat(at_ms, len(text)))

    def _at(self, index: int, part: Part) -> None:
        """Begin a part; parts that were skipped in between hold nothing."""
        if not 0 <= index <= len(self._parts) + _MOST_SKIPPED:
            raise ValueError(f"part {index} cannot begin behind {len(self._parts)} parts")
        while len(self._parts) < index:
            self._parts.append((Text(""), []))
        if len(self._parts) == index:
            self._parts.append((part, []))


def _whole(part: Part, text: str) -> Part:
    """The part with its text, which the template language leaves as it is."""
    if isinstance(part, ToolCall):
        return part._replace(arguments=literal(text or "{}"))
    return replace(part, text=literal(text))
