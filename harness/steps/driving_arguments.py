"""The arguments of the steps that drive a terminal, and how YAML says them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from harness.terminal.condition import Condition
from harness.terminal.shapes import CONDITION_FIELDS, KEYS, condition
from mock_llm.shape import Bool, Either, Enum, Field, Int, Num, Record, Str

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mock_llm.shape import Shape

SIGNALS = ("HUP", "INT", "QUIT", "TERM", "KILL", "TSTP", "CONT", "USR1", "USR2", "WINCH")
LONGEST_S = 3600
DEFAULT_WITHIN_S = 30.0


class Type(NamedTuple):
    """Text is typed when the agent takes input, then submitted once it is echoed.

    Several lines go in as one paste. ``submit`` false leaves the text where it was typed. With
    ``at_once`` the step does not wait until the agent is ready, as for words typed into a running reply.
    """

    text: str
    submit: bool = True
    at_once: bool = False
    within_s: float = DEFAULT_WITHIN_S


class Press(NamedTuple):
    """Keys, one write each; the next one is sent when the program has read the one before."""

    keys: tuple[str, ...]
    within_s: float = DEFAULT_WITHIN_S


class WaitFor(NamedTuple):
    """Wait until all of it holds at one moment.

    Attributes:
        screen: What the visible screen shows; what the user has typed does not count as shown.
        title: A part of the window's title.
        request: This request of the conversation has come.
        reply: This reply is over, whole or cut.
        ready: The agent takes input and no reply is under way.
        answered: The same, and a request has come since the last text was submitted.
        exit: The program has ended.
        within_s: Seconds after which the step fails.
    """

    screen: Condition = Condition()
    title: str = ""
    request: int | None = None
    reply: int | None = None
    ready: bool = False
    answered: bool = False
    exit: bool = False
    within_s: float = DEFAULT_WITHIN_S


class Screen(NamedTuple):
    """What the screen shows at this moment, and on which screen; the moment is kept as a picture."""

    condition: Condition
    title: str = ""
    alternate: bool | None = None


class Resize(NamedTuple):
    """Another size of the terminal."""

    columns: int
    rows: int


class Signal(NamedTuple):
    """A signal to the program, by its name without SIG."""

    name: str


DrivingArguments = Type | Press | WaitFor | Screen | Resize | Signal


def _type(value: dict[str, Any] | str) -> Type:
    step = Type(**value) if isinstance(value, dict) else Type(value)
    if any(c < " " and c != "\n" for c in step.text):
        raise ValueError("text is typed without control characters: press keys with 'press'")
    return step


def _press(value: dict[str, Any] | tuple[str, ...]) -> Press:
    if isinstance(value, dict):
        return Press(value["keys"] * value["times"], value["within_s"])
    return Press(value)


def _wait_for(value: dict[str, Any] | str) -> WaitFor:
    if not isinstance(value, dict):
        return WaitFor(Condition((value,)))
    rest = {name: found for name, found in value.items() if name not in CONDITION_FIELDS}
    wait = WaitFor(condition(value), **rest)
    if wait._replace(within_s=DEFAULT_WITHIN_S) == WaitFor():
        raise ValueError(f"'wait_for' needs something to wait for: {', '.join(_WAITS)}")
    return wait


def _screen(value: dict[str, Any] | str) -> Screen:
    if not isinstance(value, dict):
        return Screen(Condition((value,)))
    return Screen(condition(value), value["title"], value["alternate"])


def _resize(value: dict[str, Any]) -> Resize:
    return Resize(**value)


_WITHIN = Field(Num("Seconds after which the step fails.", 0.1, LONGEST_S), default=DEFAULT_WITHIN_S)
_TYPE = Record(
    "a 'type' step",
    {
        "text": Field(Str("The text; `{prompt}` is the scenario's."), required=True),
        "submit": Field(Bool("Whether it is submitted once it is echoed."), default=True),
        "at_once": Field(Bool("Whether it is typed although the agent is not ready."), default=False),
        "within_s": _WITHIN,
    },
    "Text is typed and submitted.",
)
_PRESS = Record(
    "a 'press' step",
    {
        "keys": Field(KEYS, required=True),
        "times": Field(Int("How often all of them.", 1, 1000), default=1),
        "within_s": _WITHIN,
    },
    "Keys are pressed one after the other.",
)
_WAIT_FOR = Record(
    "a 'wait_for' step",
    {
        **CONDITION_FIELDS,
        "title": Field(Str("A part of the window's title."), default=""),
        "request": Field(Int("This request of the conversation has come.", 1)),
        "reply": Field(Int("This reply is over, whole or cut.", 1)),
        "ready": Field(Bool("The agent takes input and no reply is under way."), default=False),
        "answered": Field(
            Bool("The same, and a request has come since the last text was submitted."), default=False
        ),
        "exit": Field(Bool("The program has ended."), default=False),
        "within_s": _WITHIN,
    },
    "Everything named holds at one moment.",
)
_WAITS = tuple(name for name in _WAIT_FOR.fields if name != "within_s")
_SCREEN = Record(
    "a 'screen' step",
    {
        **CONDITION_FIELDS,
        "title": Field(Str("A part of the window's title."), default=""),
        "alternate": Field(Bool("Whether it is the alternate screen.")),
    },
    "What the screen shows now.",
)
_RESIZE = Record(
    "a 'resize' step",
    {
        "columns": Field(Int("Columns.", 2, 500, usual=80), required=True),
        "rows": Field(Int("Rows.", 2, 200, usual=24), required=True),
    },
    "The terminal gets another size.",
)

DRIVING_SHAPES: Mapping[str, tuple[Shape, Callable[[Any], DrivingArguments]]] = {
    "type": (Either((_TYPE, Str("The text, which is submitted; `{prompt}` is the scenario's."))), _type),
    "press": (Either((_PRESS, KEYS)), _press),
    "wait_for": (Either((_WAIT_FOR, Str("Text that the screen shows."))), _wait_for),
    "screen": (Either((_SCREEN, Str("Text that the screen shows."))), _screen),
    "resize": (_RESIZE, _resize),
    "signal": (Enum(SIGNALS, "The signal's name without SIG, for the program."), Signal),
}
"""As ``STEP_SHAPES`` of :mod:`harness.steps.arguments`, for the steps that only a terminal has."""
