"""What a terminal answers when a program asks it something."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from harness.terminal.screen import CELL_PIXELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.terminal.screen import Screen
    from harness.terminal.sequences import Sequence

NAME = "ttsr-qa"
"""What XTVERSION tells: no program knows it, so none turns on what it knows of a terminal by its name."""

_MOST_LISTED = 20
_MOST_CHARS = 60
_ST = "\x1b\\"
_DARK = 1
_COLOURS = {"10": "foreground", "11": "background", "12": "cursor"}


class Unanswered(NamedTuple):
    """A query that got no answer, printable, and how often it came."""

    query: str
    times: int


class Answers:
    """Answers queries about a screen. One query has one answer, to be sent in one write.

    Answered are DA1, DA2, DA3 and DECID, DSR, the cursor's position (CPR and DECXCPR), the kitty keyboard's
    flags (none), XTVERSION, the colours of OSC 4, 10, 11 and 12, DECRQM, the sizes of CSI 14, 16, 18 and
    19 t, the colour scheme (dark), DECRQSS and XTGETTCAP (whatever they ask for is not known).
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._top = 0
        self._unanswered: dict[str, int] = {}

    @property
    def unanswered(self) -> tuple[Unanswered, ...]:
        """What is known as a query and was not answered, in order; at most 20 different ones."""
        return tuple(Unanswered(query, times) for query, times in self._unanswered.items())

    def handle(self, sequence: Sequence) -> str:
        """The answer to a sequence; empty when it asks nothing, or nothing that can be answered.

        Every sequence of the program must come here, and the screen must have read up to its end.
        """
        for pattern, give in _ANSWERS.get(sequence.kind, ()):
            if found := pattern.fullmatch(sequence.body):
                answer = give(self, found, sequence.terminator)
                if answer is not None:
                    return answer
                break
        else:
            self._watch_margins(sequence)
        if is_query(sequence):
            self._note(sequence)
        return ""

    def _note(self, sequence: Sequence) -> None:
        query = printable(sequence)
        if query in self._unanswered or len(self._unanswered) < _MOST_LISTED:
            self._unanswered[query] = self._unanswered.get(query, 0) + 1

    def _watch_margins(self, sequence: Sequence) -> None:
        """In origin mode rows are counted from the top of the scroll region."""
        if sequence.kind == "csi" and (found := _MARGINS.fullmatch(sequence.body)):
            rows = self._screen.size[1]
            top, bottom = int(found[1] or 0) or 1, int(found[2] or 0) or rows
            if top < min(bottom, rows):
                self._top = top - 1
        elif (sequence.kind, sequence.body) == ("esc", "c"):
            self._top = 0

    def resized(self) -> None:
        """The screen has another size: the scroll region is all of it again."""
        self._top = 0

    def position(self) -> str:
        """Row and column of the cursor as reports give them, from 1."""
        cursor = self._screen.cursor
        top = self._top if self._screen.mode(6) else 0
        return f"{cursor.row - top + 1};{cursor.column + 1}"

    def mode(self, number: str, *, is_ansi: bool) -> int:
        """Whether a mode is known and set, as DECRPM gives it: 0 unknown, 1 set, 2 reset."""
        state = self._screen.mode(int(number), is_ansi=is_ansi)
        return 0 if state is None else 2 - state

    def size(self, what: str) -> str:
        """The size that ``CSI what t`` asks for."""
        (columns, rows), (width, height) = self._screen.size, CELL_PIXELS
        return {
            "14": f"4;{rows * height};{columns * width}",
            "16": f"6;{height};{width}",
            "18": f"8;{rows};{columns}",
            "19": f"9;{rows};{columns}",
        }[what]

    def colours(self, body: str, end: str) -> str | None:
        """Each colour that an OSC 4 or 10 to 12 asks for; those after the first are the next ones."""
        first, *parts = body.split(";")
        if first == "4":
            pairs = list(zip(parts[::2], parts[1::2], strict=False))
        else:
            pairs = [(str(int(first) + i), part) for i, part in enumerate(parts)]
        asked = [name for name, part in pairs if part == "?"]
        known = [name for name in asked if self._is_colour(name, in_palette=first == "4")]
        if not known or len(known) < len(asked):
            return None
        before = "4;" if first == "4" else ""
        return "".join(
            f"\x1b]{before}{name};{self._rgb(name, in_palette=first == '4')}{end}" for name in known
        )

    def _is_colour(self, name: str, *, in_palette: bool) -> bool:
        return (_is_number(name) and int(name) < 256) if in_palette else name in _COLOURS

    def _rgb(self, name: str, *, in_palette: bool) -> str:
        colour = self._screen.colour(int(name) if in_palette else _COLOURS[name])
        return "rgb:" + "/".join(f"{part:02x}{part:02x}" for part in colour)


def is_query(sequence: Sequence) -> bool:
    """Whether a program that sends this expects an answer."""
    pattern = _QUERIES.get(sequence.kind)
    return bool(pattern and pattern.fullmatch(sequence.body))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 6


def printable(sequence: Sequence) -> str:
    """A sequence as people write it.

    >>> from harness.terminal.sequences import Sequence
    >>> printable(Sequence("osc", "52;c;?", 0)), printable(Sequence("csi", "?15n", 0))
    ('OSC 52;c;?', 'CSI ?15n')
    """
    body = sequence.body if len(sequence.body) <= _MOST_CHARS else sequence.body[:_MOST_CHARS] + "..."
    return f"{sequence.kind.upper()} {body.encode('unicode_escape').decode('ascii')}"


_MARGINS = re.compile(r"(\d{0,5})(?:;(\d{0,5}))?r")
_DA1 = "\x1b[?62;22c"  # a VT220 with colours: no sixel, no printer, nothing that would be drawn otherwise

_ANSWERS: dict[str, list[tuple[re.Pattern[str], Callable[[Answers, re.Match[str], str], str | None]]]] = {
    kind: [(re.compile(pattern, re.DOTALL), give) for pattern, give in rows]
    for kind, rows in {
        "esc": [("Z", lambda _a, _m, _end: _DA1)],
        "csi": [
            ("0*c", lambda _a, _m, _end: _DA1),
            (">0*c", lambda _a, _m, _end: "\x1b[>1;0;0c"),
            ("=0*c", lambda _a, _m, _end: f"\x1bP!|00000000{_ST}"),
            ("5n", lambda _a, _m, _end: "\x1b[0n"),
            ("6n", lambda a, _m, _end: f"\x1b[{a.position()}R"),
            (r"\?6n", lambda a, _m, _end: f"\x1b[?{a.position()}R"),
            (r"\?996n", lambda _a, _m, _end: f"\x1b[?997;{_DARK}n"),
            (r"\?u", lambda _a, _m, _end: "\x1b[?0u"),
            (">0*q", lambda _a, _m, _end: f"\x1bP>|{NAME}{_ST}"),
            (r"\?(\d{1,5})\$p", lambda a, m, _end: f"\x1b[?{m[1]};{a.mode(m[1], is_ansi=False)}$y"),
            (r"(\d{1,5})\$p", lambda a, m, _end: f"\x1b[{m[1]};{a.mode(m[1], is_ansi=True)}$y"),
            ("(14|16|18|19)t", lambda a, m, _end: f"\x1b[{a.size(m[1])}t"),
        ],
        "osc": [(r"(?:4|1[0-2]);.*", lambda a, m, end: a.colours(m[0], end))],
        "dcs": [
            (r"\$q.*", lambda _a, _m, _end: f"\x1bP0$r{_ST}"),
            (r"\+q(.*)", lambda _a, m, _end: f"\x1bP0+r{m[1]}{_ST}"),
        ],
    }.items()
}
_QUERIES = {
    kind: re.compile(pattern, re.DOTALL)
    for kind, pattern in {
        "esc": "Z",
        "csi": r"[>=]?[\d;]*c|\??[\d;]+n|\?u|>[\d;]*q|\??[\d;]+\$p|1[1-9]t|2[01]t|[01]?x|\?[\d;]*[Sm]"
        r"|[\d;]*(?:\*y|\$[uw]|#[|R])",
        "osc": r"(?:[45]|1\d|2[12]|52);(?:.*[;=])?\?.*|99;.*p=\?.*|1337;(?:Report|Request|Capabilities).*",
        "dcs": r"[$+][qQ].*",
        "apc": r"G(?:.*,)?a=q.*",
    }.items()
}
