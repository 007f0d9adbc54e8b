"""The event loop of one run: the mock model answers, the terminal is read, the exit is noticed."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from harness.agents.tool_words import in_the_agents_words, tool_names
from harness.containment.resolver import Resolver
from harness.interrupts import INTERRUPTS
from harness.launch import CannotStart, start_again
from harness.steps.abort_words import guards_say
from harness.terminal.plain import PlainText
from mock_llm.dialects import by_name
from mock_llm.filling import fill_script
from mock_llm.script import Script, SideRequest
from mock_llm.server import MockServer
from mock_llm.turn import Text, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.launch import Launch
    from harness.steps.verdicts import CheckVerdict
    from mock_llm.journal import Journal

MOST_OUTPUT_CHARS = 32_000_000
"""What a program may write to its terminal; one that writes more is ended."""


class Serving:
    """Serves one started agent. ``begin``, then ``until_exit``, then ``close``.

    Between ``begin`` and ``until_exit`` the agent is answered only while ``work_once`` is called.
    """

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.output = PlainText()
        self.exit_code: int | None = None
        self.timed_out = False
        self.failure = ""  # why a further run of the agent could not be started
        self.output_chars = 0
        self.on_waiting: Callable[[str], None] | None = None
        """Gets what a step in a terminal waits for, whenever that changes; empty for nothing."""
        self._resolver = Resolver(launch.contained.resolver, self._asked) if launch.contained else None
        self._waiting: asyncio.Task[None] | None = None
        by_name(launch.job.dialect)  # loaded now, not while other things are being loaded
        self._server = MockServer(_script(launch))
        self._server.journal.listeners.append(launch.recorder.exchange)
        self._runner = asyncio.Runner()

    @property
    def journal(self) -> Journal:
        """What was asked and sent so far."""
        return self._server.journal

    @property
    def unused(self) -> tuple[str, ...]:
        """The turns that no request has reached, as reports name them."""
        return self._server.router.responder.unused_names

    def begin(self) -> None:
        """Answer on the launch's port and read its terminal."""
        loop = self._runner.get_loop()
        self._runner.run(self._server.start(sock=self.launch.port))
        if self._resolver:
            self._resolver.start(loop)
        self.launch.terminal.attach(loop, self._on_text)

    def work_once(self) -> None:
        """Handle what is ready now, and return at once."""
        loop = self._runner.get_loop()
        with INTERRUPTS.held():
            loop.call_soon(loop.stop)
            loop.run_forever()
        INTERRUPTS.check()

    @property
    def is_too_much(self) -> bool:
        """Whether the program has written more than it may."""
        return self.output_chars > MOST_OUTPUT_CHARS

    @property
    def shown(self) -> str:
        """What the user has seen, as text."""
        return self.output.text

    @property
    def panels(self) -> str:
        """The same with panels that stand beside each other one behind the other; empty without a screen."""
        return ""

    @property
    def driven(self) -> Mapping[str, CheckVerdict]:
        """How the steps that drive a terminal have ended."""
        return {}

    @property
    def network(self) -> tuple[str, ...]:
        """The names that the agent tried to reach, in the order of their first time."""
        return self._resolver.names if self._resolver else ()

    @property
    def typed(self) -> Sequence[str]:
        """What was typed."""
        return ()

    @property
    def notes(self) -> Sequence[str]:
        """What is worth telling of how it ended."""
        return ()

    @property
    def _is_enough(self) -> bool:
        return self.is_too_much or INTERRUPTS.seen

    def until_exit(self) -> None:
        """Serve until the agent has exited, its time is up, or it has written too much.

        Raises:
            KeyboardInterrupt: If the user interrupted.
        """
        loop = self._runner.get_loop()
        with INTERRUPTS.calling(lambda: loop.call_soon_threadsafe(self._stop_waiting)):
            self._runner.run(self._until_exit())
        INTERRUPTS.check()

    def close(self) -> None:
        """Stop answering and close the loop. May be called twice."""
        if self._runner.get_loop().is_closed():
            return
        self._on_text(self.launch.terminal.detach(self._runner.get_loop()))
        if self._resolver:
            self._resolver.stop(self._runner.get_loop())
        self._runner.run(self._server.stop())
        self._runner.close()

    async def _until_exit(self) -> None:
        launch, loop = self.launch, asyncio.get_running_loop()
        left_s = launch.started_s + launch.job.scenario.timeout_s - time.monotonic()
        self._waiting = asyncio.current_task()
        if self._is_enough:
            self._stop_waiting()
        try:
            self.exit_code = await asyncio.wait_for(self._last_exit(loop), max(left_s, 0))
        except TimeoutError:
            self.timed_out = True
        except asyncio.CancelledError:
            if not self._is_enough:
                raise
        finally:
            self._waiting = None
        self._exited(self.exit_code)

    async def _last_exit(self, loop: asyncio.AbstractEventLoop) -> int:
        """Run the agent for each prompt, as long as it ends well; the exit code of the last one."""
        launch = self.launch
        code = await launch.terminal.exited(loop)
        for prompt in launch.job.scenario.then:
            if code:
                break
            self._exited(code)
            self._on_text(launch.terminal.detach(loop))
            try:
                start_again(launch, prompt)
            except CannotStart as error:
                self.failure = str(error)
                break
            launch.terminal.attach(loop, self._on_text)
            code = await launch.terminal.exited(loop)
        return code

    def _asked(self, name: str, record: str) -> None:
        self.launch.recorder.event(time.monotonic(), "network", "name", {"name": name, "record": record})

    def _exited(self, code: int | None) -> None:
        self.launch.recorder.event(time.monotonic(), "agent", "exit", {"code": code})

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()

    def _on_text(self, text: str) -> None:
        if not text:
            return
        at_s = time.monotonic()
        self.output_chars += len(text)
        if self.is_too_much:
            self._stop_waiting()
            return
        self.output.feed(text)
        self.launch.recorder.terminal(at_s, text)
        self.launch.recorder.event(at_s, "terminal", "output", {"chars": len(text)})


def _script(launch: Launch) -> Script:
    """The scenario's script with the run's values, its tool calls under the agent's own names."""
    spec, scenario = launch.job.spec, launch.job.scenario
    script = Script(
        turns=launch.job.turns,
        lane=launch.variables["nonce"],
        # A guard may ask on without the user's words: what it says then is of the conversation.
        lane_too=tuple(says.phrase for says in guards_say(spec) if says.channel == "request"),
        sides=tuple(SideRequest(s.name, s.contains, Turn((Text(s.say),))) for s in spec.sides),
        max_requests=scenario.max_requests,
        lanes=scenario.lanes,
        invariants=scenario.invariants,
        when_exhausted=scenario.when_exhausted,
    )
    spoken = in_the_agents_words(script, spec, terminal=scenario.mode == "terminal")
    return fill_script(spoken, launch.variables, tool_names(spec, launch.variables))
