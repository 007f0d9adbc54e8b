"""What the user sees: one final answer for a script, or a running conversation on a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from typing import TextIO

    from harness.refagent.conversation import ToolCallBlock

_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_CALL_WIDTH = 100


class Display(Protocol):
    """Where the loop's words go."""

    def show(self, kind: Literal["text", "thinking"], text: str) -> None:
        """Text of the reply, as it comes."""

    def show_call(self, call: ToolCallBlock) -> None:
        """A tool is about to run."""

    def notify(self, text: str) -> None:
        """A line that the model did not say."""

    def end_reply(self) -> None:
        """No more text of this reply comes."""


def printable(text: str) -> str:
    r"""Text without control characters other than tab and newline: a model must not steer the terminal.

    >>> printable("a\tb\x1b[2Jc\x9b")
    'a\tb\u241b[2Jc\ufffd'
    """
    if text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    code = ord(character)
    if character in "\t\n" or code > 0x9F or 0x20 <= code < 0x7F:
        return character
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


class OneShotDisplay:
    """Notices go to standard error; the answer is printed by whoever asked."""

    def __init__(self, errors: TextIO) -> None:
        self._errors = errors

    def show(self, kind: Literal["text", "thinking"], text: str) -> None:
        """Text may still be taken back, so it is not printed."""

    def show_call(self, call: ToolCallBlock) -> None:
        """Tools run silently."""

    def notify(self, text: str) -> None:
        """A line on standard error."""
        self._errors.write(text + "\n")
        self._errors.flush()

    def end_reply(self) -> None:
        """Nothing was shown."""


class TerminalDisplay:
    """Everything on the terminal as it comes: thinking dimmed where colours are wanted."""

    def __init__(self, out: TextIO, *, colours: bool) -> None:
        self._out = out
        self._dim, self._plain = (_DIM, _PLAIN) if colours else ("", "")
        self._kind: Literal["text", "thinking"] | None = None
        self._at_line_start = True

    def show(self, kind: Literal["text", "thinking"], text: str) -> None:
        """Write at once; a change of kind starts a new line."""
        if self._kind not in (None, kind):
            self.end_reply()
        self._kind = kind
        text = printable(text)
        self._write(f"{self._dim}{text}{self._plain}" if kind == "thinking" else text, text)

    def show_call(self, call: ToolCallBlock) -> None:
        """One line with the call's name and the beginning of its arguments."""
        arguments = printable(call.arguments).replace("\n", " ")
        shown = arguments if len(arguments) <= _CALL_WIDTH else arguments[:_CALL_WIDTH] + "..."
        self._line(f"{self._dim}* {printable(call.name)} {shown}{self._plain}")

    def notify(self, text: str) -> None:
        """A line with a mark before it."""
        self._line(f"! {text}")

    def end_reply(self) -> None:
        """Go to a new line."""
        if not self._at_line_start:
            self._write("\n", "\n")
        self._kind = None

    def _line(self, line: str) -> None:
        self.end_reply()
        self._write(line + "\n", "\n")

    def _write(self, text: str, plain: str) -> None:
        if plain:
            self._out.write(text)
            self._out.flush()
            self._at_line_start = plain.endswith("\n")


def standard_streams() -> None:
    """Never die of printing what the encoding lacks, such as half a surrogate pair."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
