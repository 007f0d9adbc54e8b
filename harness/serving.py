"""The event loop of one run: the mock model answers, the terminal is read, the exit is noticed."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from harness.terminal.plain import PlainText
from mock_llm.dialects import by_name
from mock_llm.filling import fill_script
from mock_llm.script import Script, SideRequest
from mock_llm.server import MockServer
from mock_llm.turn import Text, Turn

if TYPE_CHECKING:
    from harness.launch import Launch
    from mock_llm.journal import Journal


class Serving:
    """Serves one started agent. ``begin``, then ``until_exit``, then ``close``.

    Between ``begin`` and ``until_exit`` the agent is answered only while ``work_once`` is called.
    """

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.output = PlainText()
        self.exit_code: int | None = None
        self.timed_out = False
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
        self.launch.terminal.attach(loop, self._on_text)

    def work_once(self) -> None:
        """Handle what is ready now, and return at once."""
        loop = self._runner.get_loop()
        loop.call_soon(loop.stop)
        loop.run_forever()

    def until_exit(self) -> None:
        """Serve until the agent has exited or its time is up.

        Raises:
            KeyboardInterrupt: If the user interrupted.
        """
        self._runner.run(self._until_exit())

    def close(self) -> None:
        """Stop answering and close the loop. May be called twice."""
        if self._runner.get_loop().is_closed():
            return
        self._on_text(self.launch.terminal.detach(self._runner.get_loop()))
        self._runner.run(self._server.stop())
        self._runner.close()

    async def _until_exit(self) -> None:
        launch, loop = self.launch, asyncio.get_running_loop()
        left_s = launch.started_s + launch.job.scenario.timeout_s - time.monotonic()
        try:
            self.exit_code = await asyncio.wait_for(launch.terminal.exited(loop), max(left_s, 0))
        except TimeoutError:
            self.timed_out = True
        launch.recorder.event(time.monotonic(), "agent", "exit", {"code": self.exit_code})

    def _on_text(self, text: str) -> None:
        at_s = time.monotonic()
        self.output.feed(text)
        self.launch.recorder.terminal(at_s, text)
        self.launch.recorder.event(at_s, "terminal", "output", {"chars": len(text)})


def _script(launch: Launch) -> Script:
    """The scenario's script with the run's values, its tool calls under the agent's own names."""
    spec, scenario = launch.job.spec, launch.job.scenario
    script = Script(
        turns=launch.job.turns,
        lane=launch.variables["nonce"],
        sides=tuple(SideRequest(s.name, s.contains, Turn((Text(s.say),))) for s in spec.sides),
        max_requests=scenario.max_requests,
        lanes=scenario.lanes,
        invariants=scenario.invariants,
        when_exhausted=scenario.when_exhausted,
    )
    return fill_script(script, launch.variables, spec.tools)
