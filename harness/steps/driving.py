"""The steps that drive a terminal, one after the other: moments in, commands out.

A step waits for conditions. Each event of the run (output, a request, a part of a reply, the client's
hang-up, the exit) is a moment at which the condition is looked at again; nothing waits for time but the
deadlines. A step that fails ends the driving: what comes after it is not reached. Only ``screen`` looks and
changes nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from harness.steps import driving_arguments as args
from harness.steps.drawn import look_again_s, undrawn
from harness.steps.moments import (
    Claim,
    Command,
    Keep,
    Moment,
    Send,
    SendSignal,
    SetSize,
    claimed,
    has_ended,
    looks,
    picture,
    torn,
)
from harness.steps.resolve import UnresolvedError, resolve
from harness.steps.screens import Sight, echo_missing, read_so_far
from harness.steps.verdicts import CheckVerdict, Failed, Passed, failed
from harness.steps.wording import chars, count, quoted
from harness.terminal.keys import key, pasted
from mock_llm.patterns import RunsAwayError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from harness.scenario import Step
    from harness.terminal.condition import Condition, Dialog, TerminalSettings
    from mock_llm.journal import Exchange

DRIVING = frozenset(args.DRIVING_SHAPES)
"""The kinds of these steps."""

QUIT_WITHIN_S = 5.0
HURRIED_QUIT_S = 2.0
"""The same after a step has failed: who hangs is not waited for long."""
ECHO_WITHIN_S = 10.0
READ_AGAIN_S = 0.002
"""How soon it is looked again whether the program has read what was sent: no event tells."""
READ_BY_S = 0.05
"""By then what was sent is on its way to the program, or has been read in between two looks."""

_ENDS_NOTHING = frozenset({"screen"})  # it looks; what comes after it does not build on it
_BRACKETED_PASTE, _APPLICATION_KEYS = 2004, 1


class Drive:
    """Drives a terminal through the steps that drive, then asks the program to quit.

    Attributes:
        verdicts: How each step ended, by its label; those that were not reached are absent.
        typed: All texts typed so far.
        wake_s: When :meth:`advance` is to be called again though nothing happens; None for never.
        is_over: Whether there is nothing more to do: the program has quit, would not, or a step has failed.
        note: What is worth telling about the end.
        is_between_keys: Whether a key has been sent that belongs to the next one, as Esc does to Enter.
        awaited: What is missing of what a step waits for, and its deadline; empty when none waits.
    """

    def __init__(self, steps: Sequence[Step], settings: TerminalSettings) -> None:
        self.verdicts: dict[str, CheckVerdict] = {}
        self.typed: list[str] = []
        self.wake_s: float | None = None
        self.is_over = False
        self.note = ""
        self.is_between_keys = False
        self.awaited = ""
        self._settings = settings
        self._commands: list[Command] = []
        self._requests_before = 0
        self._answered_dialogs: set[str] = set()
        self._under_way: str | None = None
        self._claim: Claim | None = None
        self._course = self._drive([step for step in steps if step.kind in DRIVING])
        next(self._course)

    def advance(self, moment: Moment) -> list[Command]:
        """Go on as far as this moment lets; give what is to be done now, in order."""
        self._commands, self.awaited = [], ""
        if not self.is_over:
            try:
                self.wake_s = self._course.send(moment)
            except StopIteration:
                self.is_over, self.wake_s = True, None
        return self._commands

    def break_off(self, moment: Moment) -> None:
        """The run has ended: a step that is under way has failed, by what it still waits for."""
        if self._under_way is None:
            return
        code = moment.evidence.exit_code
        end = "the run was ended" if code is None else f"the program had ended with {code}"
        try:
            problem = self._claim.problem(moment) if self._claim else ""
        except _StepFailed as failure:
            problem = failure.verdict.observed
        observed = f"{end}, and {problem}" if problem else end
        expected = _said(self._claim.words, moment) if self._claim else "the program runs"
        self.verdicts[self._under_way] = failed(observed, expected, picture(moment))
        self._under_way = None

    def _drive(self, steps: Sequence[Step]) -> Generator[float, Moment, None]:
        moment = yield 0.0
        for step in steps:
            self._under_way, self._claim = step.label, None
            try:
                moment, observed = yield from self._take(step, moment)
            except _StepFailed as failure:
                moment = failure.moment
                self.verdicts[step.label] = failure.verdict
                self._under_way = None
                if step.kind in _ENDS_NOTHING:
                    continue
                self._commands.append(Keep(""))
                yield from self._quit(moment, HURRIED_QUIT_S)
                return
            self.verdicts[step.label] = Passed(_said(observed, moment))
            self._under_way = None
        self._commands.append(Keep(""))
        yield from self._quit(moment, QUIT_WITHIN_S)

    def _take(self, step: Step, moment: Moment) -> Generator[float, Moment, tuple[Moment, str]]:
        match step.args:
            case args.Type():
                return (yield from self._type(step.args, moment))
            case args.Press():
                return (yield from self._press(step.args, moment))
            case args.WaitFor():
                return (yield from self._wait_for(step.args, moment))
            case args.Screen():
                return (yield from self._look(step.args, moment, step.label))
            case args.Resize(columns, rows):
                self._commands.append(SetSize(columns, rows))
                return (yield moment.now_s), f"{columns}x{rows}"
            case args.Signal(name):
                self._commands.append(SendSignal(name))
                return (yield moment.now_s), f"SIG{name} sent"
        raise AssertionError(f"no way to take the step '{step.kind}'")

    def _type(self, step: args.Type, moment: Moment) -> Generator[float, Moment, tuple[Moment, str]]:
        if not step.at_once:
            ready = Claim("the agent takes input", self._not_ready)
            moment = yield from self._until(ready, moment, step.within_s)
        try:
            text = resolve(step.text, moment.evidence).removesuffix("\n")
        except UnresolvedError as error:
            raise _StepFailed(moment, str(error), "text to type") from None
        is_paste = "\n" in text
        if is_paste and not moment.screen.mode(_BRACKETED_PASTE):
            problem = "the program takes no paste (DEC mode 2004 is off): each line would be submitted"
            raise _StepFailed(moment, problem, "several lines typed as one paste")
        before = read_so_far(moment.screen)
        self.typed.append(text)
        if self._settings.first_alone and not is_paste:
            self._commands.append(Send(text[:1]))
            shown = Claim("the first character is shown", lambda now: _unchanged(before.rows, now))
            moment = yield moment.now_s + READ_AGAIN_S
            moment = yield from self._until(shown, moment, ECHO_WITHIN_S)
            self._commands.append(Send(text[1:]))
        else:
            self._commands.append(Send(pasted(text) if is_paste else text))
        echoed = Claim("what was typed is echoed", lambda now: echo_missing(text, before, now.screen))
        moment = yield moment.now_s + READ_AGAIN_S
        moment = yield from self._until(echoed, moment, ECHO_WITHIN_S)
        if not step.submit:
            return moment, f"{chars(len(text))} typed and echoed"
        self._requests_before = len(moment.evidence.main)
        moment = yield from self._send_keys(self._settings.submit, moment, step.within_s)
        keys = " and ".join(self._settings.submit)
        return moment, f"{chars(len(text))} typed and echoed, then {keys} pressed"

    def _press(self, step: args.Press, moment: Moment) -> Generator[float, Moment, tuple[Moment, str]]:
        moment = yield from self._send_keys(step.keys, moment, step.within_s)
        return moment, f"{count(len(step.keys), 'key')} pressed and read"

    def _wait_for(self, step: args.WaitFor, moment: Moment) -> Generator[float, Moment, tuple[Moment, str]]:
        claim = Claim(claimed(step), lambda now: self._missing(step, now))
        moment = yield from self._until(claim, moment, step.within_s, ends_well=step.exit)
        return moment, claim.words

    def _look(
        self, step: args.Screen, moment: Moment, label: str
    ) -> Generator[float, Moment, tuple[Moment, str]]:
        whole = Claim("the screen shows whole frames", torn)
        moment = yield from self._until(whole, moment, args.DEFAULT_WITHIN_S, ends_well=True)
        self._commands.append(Keep(label))
        problem = self._unlike(step.condition, step.title, moment)
        if not problem and step.alternate not in (None, moment.screen.is_alternate):
            problem = f"this is the {'main' if step.alternate else 'alternate'} screen"
        if problem:
            raise _StepFailed(moment, problem, _said(looks(step.condition, step.title), moment))
        return moment, looks(step.condition, step.title) or "kept"

    def _quit(self, moment: Moment, within_s: float) -> Generator[float, Moment, None]:
        """Ask the program to end, as its user would: keys that it understands when it is ready."""
        keys = self._settings.quit
        if moment.evidence.exit_code is not None or not keys:
            return
        until_s = moment.now_s + within_s
        try:
            while self._not_ready(moment) and moment.now_s < until_s and not has_ended(moment):
                moment = yield look_again_s(moment, until_s)
            if has_ended(moment):
                return
            for dialog in keys:
                asked = Claim(f"the screen shows {quoted(dialog.shows)}", partial(_not_asked, dialog))
                moment = yield from self._until(asked, moment, within_s)
                moment = yield from self._send_keys(dialog.press, moment, within_s)
            ended = Claim("the program has ended", lambda now: "" if has_ended(now) else "it runs")
            yield from self._until(ended, moment, within_s, ends_well=True)
        except _StepFailed as failure:
            named = ", ".join(name for dialog in keys for name in dialog.press)
            last = [row.strip() for row in failure.moment.screen.rows if row.strip()][-2:]
            self.note = (
                f"the agent did not end within {within_s:g} s of {named} and was killed; "
                f"the screen ends with {quoted(' / '.join(last))}"
            )

    def _send_keys(
        self, names: Sequence[str], moment: Moment, within_s: float
    ) -> Generator[float, Moment, Moment]:
        try:
            for left, name in zip(range(len(names) - 1, -1, -1), names, strict=True):
                self.is_between_keys = left > 0
                moment = yield from self._send(self._key(name, moment), moment, within_s)
        finally:
            self.is_between_keys = False
        return moment

    def _send(self, text: str, moment: Moment, within_s: float) -> Generator[float, Moment, Moment]:
        """Write, and wait until the program has read it: two keys read at once may be another key.

        It has read it when something was there to be read and is not any more, or when it has written
        something since.
        """
        self._commands.append(Send(text))
        self._claim = claim = Claim(f"the program reads {quoted(text)}", _unread)
        sent_s, was_there = moment.now_s, False
        while True:
            moment = yield moment.now_s + READ_AGAIN_S
            waited_s = moment.now_s - sent_s
            is_seen = was_there or moment.quiet_s < waited_s or waited_s >= READ_BY_S
            if has_ended(moment) or (is_seen and not moment.unread):
                return moment
            was_there = was_there or moment.unread > 0
            if waited_s >= within_s:
                raise _StepFailed(moment, _unread(moment), f"{claim.words} within {within_s:g} s")

    def _until(
        self, claim: Claim, moment: Moment, within_s: float, *, ends_well: bool = False
    ) -> Generator[float, Moment, Moment]:
        """Wait until a claim holds. ``ends_well``: the end of the program is no failure of its own."""
        until_s = moment.now_s + within_s
        while problem := claim.problem(moment):
            self._claim = claim
            code = moment.evidence.exit_code
            if code is not None and not ends_well:
                problem = f"the program ended with {code}, and {problem}"
            elif code is None and moment.now_s < until_s:
                yield from self._answer_dialogs(moment)
                self.awaited = f"{problem} ({within_s:g} s at most)"
                moment = yield look_again_s(moment, until_s)
                continue
            claimed_words = f"{_said(claim.words, moment)} within {within_s:g} s"
            raise _StepFailed(moment, problem, claimed_words)
        return moment

    def _answer_dialogs(self, moment: Moment) -> Generator[float, Moment, None]:
        for dialog in self._settings.dialogs if moment.is_whole else ():
            if dialog.shows not in self._answered_dialogs and Sight(moment.screen).holds(dialog.shows):
                self._answered_dialogs.add(dialog.shows)
                moment = yield from self._send_keys(dialog.press, moment, args.DEFAULT_WITHIN_S)

    def _key(self, name: str, moment: Moment) -> str:
        return key(name, application=bool(moment.screen.mode(_APPLICATION_KEYS)))

    def _not_ready(self, moment: Moment) -> str:
        if torn(moment):
            return torn(moment)
        if any(exchange.ended == "open" for exchange in moment.evidence.main):
            return "a reply is under way"
        return _unmet(self._settings.ready, moment) or undrawn(moment)

    def _unlike(self, condition: Condition, title: str, moment: Moment) -> str:
        """What is not on the screen; echoes of what was typed do not count."""
        sight = Sight(moment.screen)
        try:
            resolved = condition._replace(
                shows=tuple(resolve(text, moment.evidence) for text in condition.shows),
                lacks=tuple(resolve(text, moment.evidence) for text in condition.lacks),
            )
        except UnresolvedError as error:
            if error.may_come:
                return str(error)
            raise _StepFailed(moment, str(error), looks(condition, title)) from None
        problem = _unmet(resolved, moment, lambda phrase: sight.shows(phrase, self.typed))
        if not problem and title not in moment.screen.title:
            problem = f"the title is {quoted(moment.screen.title)}"
        return problem

    def _missing(self, step: args.WaitFor, moment: Moment) -> str:
        """What a 'wait_for' still waits for, as a clause."""
        main = moment.evidence.main
        if step.exit and not has_ended(moment):
            return "the program runs"
        if step.request and len(main) < step.request:
            return f"request {step.request} has not come"
        if step.reply and (problem := _not_over(step.reply, main)):
            return problem
        if step.answered and len(main) <= self._requests_before:
            return "no request has come since the last text was submitted"
        if (step.ready or step.answered) and (problem := self._not_ready(moment)):
            return problem
        return torn(moment) or self._unlike(step.screen, step.title, moment)


def _unread(moment: Moment) -> str:
    return f"{count(moment.unread, 'byte')} not read" if moment.unread else ""


def _not_over(number: int, main: Sequence[Exchange]) -> str:
    if len(main) < number:
        return f"reply {number} has not begun: request {number} has not come"
    return f"reply {number} is not over" if main[number - 1].ended == "open" else ""


def _unchanged(rows: Sequence[str], moment: Moment) -> str:
    return "" if moment.screen.rows != rows else "the screen is as before"


def _not_asked(dialog: Dialog, moment: Moment) -> str:
    return "" if Sight(moment.screen).holds(dialog.shows) else f"it does not ask {quoted(dialog.shows)}"


class _StepFailed(Exception):
    def __init__(self, moment: Moment, observed: str, expected: str) -> None:
        super().__init__(observed)
        self.moment = moment
        self.verdict: Failed = failed(observed, expected, picture(moment))


def _unmet(condition: Condition, moment: Moment, is_shown: Callable[[str], bool] | None = None) -> str:
    try:
        return condition.unmet(moment.screen.rows, is_shown)
    except RunsAwayError as error:
        raise _StepFailed(moment, str(error), f"the screen matches /{condition.matches}/") from None


def _said(words: str, moment: Moment) -> str:
    """A claim with its templates filled, for the report."""
    try:
        return resolve(words, moment.evidence)
    except UnresolvedError:
        return words
