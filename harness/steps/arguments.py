"""The arguments of every step kind, and how YAML says them. The checks themselves stand beside this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from harness.steps.snapshot_arguments import SNAPSHOT, Snapshot, snapshot
from mock_llm.patterns import checked_pattern
from mock_llm.shape import Bool, Checked, Either, Enum, Field, Int, ListOf, Record, Shape, Str

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

StreamName = Literal["text", "thinking", "tool"]


class Abort(NamedTuple):
    """The agent hung up while a reply was streamed.

    Attributes:
        reply: The reply, from 1.
        rule: The rule that must have fired, such as ``collapse-repetition``.
        mechanism: The detector inside the rule.
        within_chars: The agent must have hung up by this many characters of the reply.
        fired_at: The exact number of characters the guard had read.
        stream: Which stream of the reply was stopped.
    """

    reply: int = 1
    rule: str | None = None
    mechanism: str | None = None
    within_chars: int | None = None
    fired_at: int | None = None
    stream: StreamName = "text"


class Truncation(NamedTuple):
    """The saved message ends where the loop began.

    Attributes:
        reply: The reply, from 1.
        kept_chars: Streamed characters (code points) that were kept; None leaves it open.
        persisted_chars: Characters of the saved message with its marker; None leaves it open.
        marker: Whether the marker block must be there.
        stream: Which stream of the reply was cut.
    """

    reply: int = 1
    kept_chars: int | None = None
    persisted_chars: int | None = None
    marker: bool = True
    stream: StreamName = "text"


class Interrupt(NamedTuple):
    """A user message of a request carries the hidden interrupt of a rule, and in it the text ``contains``."""

    request: int = 2
    rule: str | None = None
    contains: str | None = None


class Recovery(NamedTuple):
    """A later reply was saved in full and contains a text; ``reply`` None means the last one."""

    contains: str
    reply: int | None = None


class Silent(NamedTuple):
    """No rule fired and the whole reply arrived; ``reply`` None means every reply."""

    reply: int | None = None


class Request(NamedTuple):
    """What one request of the conversation must and must not carry; ``matches`` is a regular expression."""

    number: int
    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    matches: str | None = None


class Requests(NamedTuple):
    """How many requests the conversation took in all."""

    number: int


class Output(NamedTuple):
    """What the program printed, escape codes removed."""

    contains: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    matches: str | None = None


class Exit(NamedTuple):
    """The exit code of the program; negative is the signal that ended it."""

    code: int


StepArguments = (
    Abort | Truncation | Interrupt | Recovery | Silent | Request | Requests | Output | Exit | Snapshot
)


def _silent(value: dict[str, Any] | str) -> Silent:
    return Silent(value["reply"] if isinstance(value, dict) else None)


def _output(value: dict[str, Any]) -> Output:
    if not any(value.values()):
        raise ValueError("'output' needs one of 'contains', 'lacks' and 'matches'")
    return Output(**value)


_REPLY = Int("Number of the reply, from 1.", 1)
_CHARS = Int("Characters (code points).", 0)
_RULE = Str("Id of the rule, such as collapse-repetition.")
_STREAM = Field(
    Enum(
        ("text", "thinking", "tool"),
        "The stream of the reply that is looked at; 'tool' is the arguments of its calls.",
    ),
    default="text",
)
_TEXTS = {
    "contains": Field(ListOf(Str(), "Text that must be there.", or_single=True), default=()),
    "lacks": Field(ListOf(Str(), "Text that must not be there.", or_single=True), default=()),
    "matches": Field(Checked(Str("A regular expression that must be found."), checked_pattern)),
}

_ABORT = Record(
    "an 'abort' step",
    {
        "reply": Field(_REPLY, default=1),
        "rule": Field(_RULE),
        "mechanism": Field(Str("Id of the detector that must have fired, such as paragraph-repeat.")),
        "within_chars": Field(Int("Hung up by so many characters of the reply.", 1)),
        "fired_at": Field(Int("Characters the guard had read when it fired.", 1)),
        "stream": _STREAM,
    },
    "The agent stopped the reply: it hung up while it was streamed, and its session says so. Of a reply that "
    "is sent at once only the session can tell; a paced one (`every_ms`) shows the hang-up.",
)
_KEPT = (
    "Characters of the streamed text that were kept. "
    "Without it, what the guard had read must not be kept whole."
)
_TRUNCATION = Record(
    "a 'truncation' step",
    {
        "reply": Field(_REPLY, default=1),
        "kept_chars": Field(Int(_KEPT, 0)),
        "persisted_chars": Field(Int("Characters of the saved message, with its marker.", 0)),
        "marker": Field(Bool("Whether the truncation marker must be there."), default=True),
        "stream": _STREAM,
    },
    "The saved message ends where the loop began.",
)
_INTERRUPT = Record(
    "an 'interrupt' step",
    {
        "request": Field(Int("Number of the request, from 1.", 1), default=2),
        "rule": Field(_RULE),
        "contains": Field(Str("Text that must stand in the interrupt.")),
    },
    "A user message of the request carries the hidden interrupt.",
)
_RECOVERY = Record(
    "a 'recovery' step",
    {"contains": Field(Str("Text of the recovered reply."), required=True), "reply": Field(_REPLY)},
    "A later reply was saved in full.",
)
_SILENT = Record("a 'silent' step", {"reply": Field(_REPLY)}, "No rule fired and the whole reply arrived.")
_REQUEST = Record(
    "a 'request' step",
    {"number": Field(Int("Number of the request, from 1.", 1), required=True), **_TEXTS},
    "What a request carries.",
)
_OUTPUT = Record("an 'output' step", _TEXTS, "What the program printed.")

STEP_SHAPES: Mapping[str, tuple[Shape, Callable[[Any], StepArguments]]] = {
    "abort": (_ABORT, lambda value: Abort(**value)),
    "truncation": (_TRUNCATION, lambda value: Truncation(**value)),
    "interrupt": (_INTERRUPT, lambda value: Interrupt(**value)),
    "recovery": (_RECOVERY, lambda value: Recovery(**value)),
    "silent": (Either((_SILENT, Enum(("all",)))), _silent),
    "request": (_REQUEST, lambda value: Request(**value)),
    "requests": (Int("How many requests the conversation took.", 0), Requests),
    "output": (_OUTPUT, _output),
    "exit": (Int("The exit code; negative is a signal.", -64, 255), Exit),
    "snapshot": (SNAPSHOT, snapshot),
}
"""Each step kind: the shape of its arguments, and what makes them of the value read.

A ``ValueError`` of the second is a mistake at the step.
"""
