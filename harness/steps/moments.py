"""What the driving of a terminal sees and what it does, and how both read in reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from harness.steps.verdicts import MAX_LINES
from harness.steps.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.evidence import Evidence
    from harness.steps.driving_arguments import WaitFor
    from harness.terminal.condition import Condition
    from harness.terminal.screen import Screen


class Moment(NamedTuple):
    """All there is to see at one moment.

    ``is_whole`` is false while the screen shows half a frame. ``unread`` is the number of bytes that the
    program has not read yet. ``quiet_s`` is the time since the last output. ``unseen`` says why the last
    output is not on the screen, when it is not.
    """

    now_s: float
    evidence: Evidence
    screen: Screen
    is_whole: bool = True
    unread: int = 0
    quiet_s: float = 0.0
    unseen: str = ""


class Send(NamedTuple):
    """Write this to the program, at once and in one piece."""

    text: str


class SetSize(NamedTuple):
    """Give the terminal another size."""

    columns: int
    rows: int


class SendSignal(NamedTuple):
    """Send a signal to the program."""

    name: str


class Keep(NamedTuple):
    """Keep a picture of the screen as it is now under this name."""

    name: str


Command = Send | SetSize | SendSignal | Keep


class Claim(NamedTuple):
    """What is waited for: in words, and what is missing at a moment (empty when nothing is)."""

    words: str
    problem: Callable[[Moment], str]


def has_ended(moment: Moment) -> bool:
    return moment.evidence.exit_code is not None


def torn(moment: Moment) -> str:
    return "" if moment.is_whole else "the screen shows half a frame"


def looks(condition: Condition, title: str) -> str:
    claims = [f"shows {quoted(text, 60)}" for text in condition.shows]
    claims += [f"lacks {quoted(text, 60)}" for text in condition.lacks]
    claims += [f"matches /{condition.matches}/"] if condition.matches else []
    claims += [f"has the title {quoted(title)}"] if title else []
    return f"the screen {', '.join(claims)}" if claims else ""


def claimed(step: WaitFor) -> str:
    claims = [f"request {step.request} comes"] if step.request else []
    claims += [f"reply {step.reply} is over"] if step.reply else []
    claims += ["the agent has answered and takes input"] if step.answered else []
    claims += ["the agent takes input"] if step.ready else []
    claims += ["the program ends"] if step.exit else []
    screen = looks(step.screen, step.title)
    return ", ".join([*claims, *([screen] if screen else [])])


def picture(moment: Moment) -> list[str]:
    """The screen as evidence lines: what it is, what is not on it, then its last rows."""
    columns, rows = moment.screen.size
    code = moment.evidence.exit_code
    state = "agent running" if code is None else f"agent ended with {code}"
    head = f"screen {columns}x{rows}, {state}, last output {moment.quiet_s:.1f} s ago:"
    above = [head, *([f"not on the screen: {moment.unseen}"] if moment.unseen else [])]
    shown = [f"| {row}" for row in moment.screen.rows if row.strip()]
    return [*above, *shown[len(above) - MAX_LINES :]]
