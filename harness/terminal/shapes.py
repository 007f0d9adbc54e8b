"""How YAML says what a screen shows, which keys are pressed, and how an agent is used in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.terminal.condition import Condition, Dialog, TerminalSettings
from harness.terminal.keys import key
from mock_llm.patterns import checked_pattern
from mock_llm.shape import Bool, Checked, Either, Field, ListOf, Record, Str

if TYPE_CHECKING:
    from collections.abc import Mapping


def _key(name: str) -> str:
    key(name)
    return name


_KEY = Checked(Str("A key: `enter`, `esc`, `ctrl-c`, `shift-tab`, `up`, `f1`, or one character."), _key)


def _says_something(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A condition that asks for nothing would hold before the program has started."""
    if not any(value.values()):
        raise ValueError("the condition is empty: say what the screen 'shows', 'lacks' or 'matches'")
    return value


def _keys(doc: str) -> ListOf:
    return ListOf(_KEY, doc, at_least=1, or_single=True)


KEYS = _keys("Keys.")

CONDITION_FIELDS = {
    "shows": Field(ListOf(Str(), "Text that the screen shows.", or_single=True), default=()),
    "lacks": Field(ListOf(Str(), "Text that it does not show.", or_single=True), default=()),
    "matches": Field(Checked(Str("A regular expression over its rows."), checked_pattern)),
}


def condition(value: Mapping[str, Any]) -> Condition:
    """The condition that the keys of :data:`CONDITION_FIELDS` say."""
    return Condition(value["shows"], value["lacks"], value["matches"])


_DIALOG = Record(
    "a dialog",
    {
        "shows": Field(Str("Text that gives it away."), required=True),
        "press": Field(KEYS, required=True),
    },
    "A question that may come up, and the keys that answer it.",
)

TERMINAL = Record(
    "a terminal",
    {
        "args": Field(ListOf(Str(), "Arguments that start it; without a prompt."), default=()),
        "ready": Field(
            Checked(
                Record("a condition", CONDITION_FIELDS, "What the screen shows when the agent takes input."),
                _says_something,
            ),
            required=True,
        ),
        "first_alone": Field(
            Bool(
                "Whether the first character is typed alone, and the rest when it is shown: for a program to "
                "which a key means something else as long as its composer is empty."
            ),
            default=False,
        ),
        "submit": Field(
            _keys("Keys that send what was typed, each read before the next."), default=("enter",)
        ),
        "quit": Field(
            ListOf(
                Either((_KEY, _DIALOG)),
                "Keys that end it, each read before the next; `{shows, press}` waits for a text.",
                at_least=1,
                or_single=True,
            ),
            default=(),
        ),
        "dialogs": Field(
            ListOf(_DIALOG, "Questions that are answered when they are shown, each once."),
            default=(),
        ),
        "final_call": Field(
            Bool(
                "Whether the agent's `final_call` is made here too; `false`: a reply ends the turn by itself."
            ),
            default=True,
        ),
    },
    "How it is used in a terminal; without it, only one-shot runs are possible.",
)


def terminal_settings(value: Mapping[str, Any]) -> TerminalSettings:
    """The settings that a value of the shape :data:`TERMINAL` says."""
    return TerminalSettings(
        value["args"],
        condition(value["ready"]),
        value["submit"],
        tuple(Dialog("", (each,)) if isinstance(each, str) else Dialog(**each) for each in value["quit"]),
        tuple(Dialog(**dialog) for dialog in value["dialogs"]),
        value["final_call"],
        value["first_alone"],
    )
