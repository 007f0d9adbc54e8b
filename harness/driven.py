"""The event loop of a run in a terminal: the screen is kept, the program is answered, the steps drive it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from harness.evidence import Evidence
from harness.serving import Serving
from harness.steps.driving import Drive
from harness.steps.moments import Keep, Moment, Send, SendSignal, SetSize
from harness.steps.screens import bare, by_panel
from harness.terminal.emulator import Emulator
from harness.terminal.ghostty import GhosttyScreen
from harness.terminal.pty import COLUMNS, ROWS
from harness.terminal.svg import render_svg

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping, Sequence

    from harness.launch import Launch
    from harness.steps.moments import Command
    from harness.steps.verdicts import CheckVerdict
    from mock_llm.journal import JournalEvent


class Driven(Serving):
    """Serves one agent on a terminal that a person could sit at.

    Every event is a moment for the steps: output, what happens on the wire, the exit, a deadline.
    """

    def __init__(self, launch: Launch) -> None:
        super().__init__(launch)
        settings = launch.job.spec.terminal
        assert settings is not None, "a job whose agent has no terminal is not run"
        self._emulator = Emulator(GhosttyScreen(COLUMNS, ROWS))
        self._drive = Drive(launch.job.scenario.steps, settings)
        self._wake: asyncio.TimerHandle | None = None
        self._last_output_s = launch.started_s
        self._shown = self._panels = ""
        self._awaited = ""
        self._is_advancing = False
        self._answers: list[str] = []
        self.journal.listeners.append(self._on_wire)

    @property
    def shown(self) -> str:
        """What the screen showed when the steps were done, with what had scrolled off."""
        return self._shown

    @property
    def panels(self) -> str:
        """The same with panels one behind the other."""
        return self._panels

    @property
    def driven(self) -> Mapping[str, CheckVerdict]:
        """How the steps that drive have ended."""
        return self._drive.verdicts

    @property
    def typed(self) -> Sequence[str]:
        """What was typed."""
        return self._drive.typed

    @property
    def notes(self) -> Sequence[str]:
        """How it ended, and what the program asked the terminal in vain."""
        asked = [f"'{left.query}'" for left in self._emulator.unanswered]
        unanswered = f"terminal queries that were not answered: {', '.join(asked)}" if asked else ""
        return [note for note in (self._drive.note, unanswered) if note]

    def begin(self) -> None:
        """Answer, read, and take the first step."""
        super().begin()
        self._advance()

    def close(self) -> None:
        """Stop, and keep the last picture if the steps did not come to their end."""
        is_first = not self._runner.get_loop().is_closed()
        self._unplan()
        super().close()
        if is_first:
            self._drive.break_off(self._moment())
            self._emulator.finish()
            if not self._drive.is_over and not self._shown:
                self._keep("")
            self._emulator.screen.close()

    @property
    def _is_enough(self) -> bool:
        return super()._is_enough or self._drive.is_over

    async def _last_exit(self, loop: asyncio.AbstractEventLoop) -> int:
        code = await super()._last_exit(loop)
        self._on_text(self.launch.terminal.detach(loop))
        self._emulator.finish()
        self.exit_code = code
        self._advance()
        return code

    def _on_text(self, text: str) -> None:
        super()._on_text(text)
        if not text or self.is_too_much:
            return
        self._last_output_s = time.monotonic()
        self._answers += self._emulator.feed(text)
        self._answer()
        self._advance()

    def _answer(self) -> None:
        """Answer what the program has asked the terminal, but never between keys that belong together."""
        if not self._drive.is_between_keys:
            answers, self._answers = self._answers, []
            for answer in answers:
                self._send(answer)

    def _on_wire(self, _event: JournalEvent) -> None:
        self._advance()

    def _advance(self) -> None:
        """Let the steps see this moment, and do what they say."""
        if self._is_advancing or self._drive.is_over:
            return
        self._is_advancing = True
        try:
            for command in self._drive.advance(self._moment()):
                self._obey(command)
        finally:
            self._is_advancing = False
        self._answer()
        self._plan()
        if self.on_waiting is not None and self._drive.awaited != self._awaited:
            self._awaited = self._drive.awaited
            self.on_waiting(self._awaited)
        if self._drive.is_over:
            self._stop_waiting()

    def _moment(self) -> Moment:
        now_s = time.monotonic()
        evidence = Evidence(
            main=self.journal.main,
            exchanges=self.journal.exchanges,
            exit_code=self.exit_code,
            variables=self.launch.variables,
            typed=self._drive.typed,
        )
        return Moment(
            now_s=now_s,
            evidence=evidence,
            screen=self._emulator.screen,
            # What an ended program has left half drawn will not become whole.
            is_whole=not self._emulator.is_torn or self.exit_code is not None,
            unread=self.launch.terminal.unread if self.exit_code is None else 0,
            quiet_s=now_s - self._last_output_s,
            unseen=self._emulator.unseen,
        )

    def _obey(self, command: Command) -> None:
        terminal, recorder = self.launch.terminal, self.launch.recorder
        match command:
            case Send(text):
                self._send(text)
            case SetSize(columns, rows):
                terminal.resize(columns, rows)
                self._emulator.resize(columns, rows)
                recorder.resized(time.monotonic(), columns, rows)
            case SendSignal(name):
                terminal.signal(name)
                recorder.event(time.monotonic(), "terminal", "signal", {"name": name})
            case Keep(name):
                self._keep(name)

    def _send(self, text: str) -> None:
        at_s = time.monotonic()
        self.launch.terminal.send(self._runner.get_loop(), text)
        self.launch.recorder.typed(at_s, text)
        self.launch.recorder.event(at_s, "terminal", "input", {"chars": len(text)})

    def _keep(self, name: str) -> None:
        """Keep the screen as text and as a picture; the nameless one is the last."""
        screen, recorder = self._emulator.screen, self.launch.recorder
        suffix = f"-{name.replace('#', '-')}" if name else ""
        recorder.write(f"screen{suffix}.txt", "\n".join(screen.rows).rstrip("\n") + "\n")
        recorder.write(f"screen{suffix}.svg", render_svg(screen.picture()))
        if not name:
            self._shown, self._panels = bare(screen.whole_text), bare(by_panel(screen.whole_text))

    def _plan(self) -> None:
        """Come back when the steps want to, if nothing else happens."""
        self._unplan()
        if self._drive.wake_s is not None:
            delay_s = max(self._drive.wake_s - time.monotonic(), 0)
            self._wake = self._runner.get_loop().call_later(delay_s, self._advance)

    def _unplan(self) -> None:
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
