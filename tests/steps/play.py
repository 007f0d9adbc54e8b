"""A drive of the steps in a terminal, played by hand: output, requests and a clock that only moves when told to."""

from __future__ import annotations

from harness.evidence import Evidence
from harness.scenario import Step
from harness.scenario_yaml import parse_scenario
from harness.steps.driving import READ_BY_S, Drive
from harness.steps.moments import Command, Moment, Send
from harness.steps.verdicts import Failed
from harness.terminal.condition import Condition, Dialog, TerminalSettings
from harness.terminal.emulator import Emulator
from harness.terminal.ghostty import GhosttyScreen
from mock_llm.journal import Exchange

READY = Condition(matches=r"^>\n*\Z")
SETTINGS = TerminalSettings(ready=READY, quit=(Dialog("", ("ctrl-d",)),))
VARIABLES = {"nonce": "qa17", "prompt": "Answer DONE qa17 now."}


def steps(*written: str) -> tuple[Step, ...]:
    lines = [
        "scenario: driven",
        "summary: s",
        "mode: terminal",
        'model: [{say: "DONE {nonce}"}, {say: two}]',
        'prompt: "Answer DONE {nonce} now."',
        "steps:",
        *(f"  - {step}" for step in (*written, 'type: "end"')),
    ]
    return parse_scenario("\n".join(lines), "driven.yaml").steps[:-1]


class Play:
    """A drive, the screen that it sees, and a clock that only moves when it is told to."""

    def __init__(self, *written: str, settings: TerminalSettings = SETTINGS) -> None:
        self.drive = Drive(steps(*written), settings)
        self.emulator = Emulator(GhosttyScreen(40, 8))
        self.main: list[Exchange] = []
        self.now_s = 100.0
        self.unread = 0
        self._last_output_s = self.now_s
        self.exit_code: int | None = None

    def see(self, text: str = "") -> list[Command]:
        """Something happens: output, or whatever was set before."""
        list(self.emulator.feed(text))
        if text:
            self.now_s += 0.001
            self._last_output_s = self.now_s
        return self.drive.advance(self.moment())

    def moment(self) -> Moment:
        """All there is to see now."""
        typed = self.drive.typed
        evidence = Evidence(main=self.main, exit_code=self.exit_code, variables=VARIABLES, typed=typed)
        screen, is_whole = self.emulator.screen, not self.emulator.is_torn
        quiet_s = self.now_s - self._last_output_s
        return Moment(self.now_s, evidence, screen, is_whole, self.unread, quiet_s, self.emulator.unseen)

    def later(self, seconds: float) -> list[Command]:
        """Time passes until then, and nothing else happens."""
        self.now_s += seconds
        return self.see()

    def read(self) -> list[Command]:
        """So much time passes that what was sent has been read."""
        return self.later(READ_BY_S + 0.001)

    def ask(self) -> Exchange:
        """A request comes."""
        self.main.append(Exchange(len(self.main) + 1, "POST", "/v1", {}, self.now_s, lane="main"))
        return self.main[-1]

    @property
    def failed(self) -> Failed:
        (verdict,) = [v for v in self.drive.verdicts.values() if isinstance(v, Failed)]
        return verdict


def sent(commands: list[Command]) -> list[str]:
    return [command.text for command in commands if isinstance(command, Send)]
