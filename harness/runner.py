"""One run: the mock model answers, the agent acts, the steps judge what happened."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness import processes, real_home
from harness.evidence import Evidence, GuardDescription
from harness.judge import judge, skipped
from harness.launch import CannotStart, Launch, start
from harness.readers import read
from harness.recorder import copy_session
from harness.terminal.plain import PlainText
from mock_llm.script import Script, SideRequest
from mock_llm.template import fill as fill_turn
from mock_llm.turn import Text, ToolCall, Turn

if TYPE_CHECKING:
    from harness.plan import Job
    from harness.results import ScenarioResult
    from harness.watchdog import Watchdog
    from mock_llm.journal import Journal
    from mock_llm.script import ScriptTurn

_NO_SWITCH = "agent '{agent}' has no switch for '{rules}', so its control cannot be run"


def run_job(job: Job, run_folder: Path, watchdog: Watchdog, launch: Launch | None = None) -> ScenarioResult:
    """Make one run and judge it. Everything it started has ended when this returns.

    Args:
        job: What to run.
        run_folder: Where the evidence folder is made.
        watchdog: Cleans up if this process dies.
        launch: The agent, when it has been started already.
    """
    if job.guard_arguments is None:
        rules = ", ".join(job.scenario.control.disable) if job.scenario.control else ""
        return skipped(job, _NO_SWITCH.format(agent=job.spec.name, rules=rules))
    if launch is None:
        try:
            launch = start(job, run_folder, watchdog)
        except CannotStart as error:
            return skipped(job, str(error), verdict="error")
    return _play(launch)


def _play(launch: Launch) -> ScenarioResult:
    import asyncio

    run = _Run(launch)
    try:
        asyncio.run(run.until_exit())
    except KeyboardInterrupt:
        run.problem = "interrupted by the user"
        raise
    finally:
        result = run.end()
    return result


class _Run:
    """The shell around one run: what it gathers is judged elsewhere."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.problem = ""
        self.notes: list[str] = []
        self.output = PlainText()
        self.exit_code: int | None = None
        self.journal: Journal | None = None

    async def until_exit(self) -> None:
        """Serve the model until the agent has exited or its time is up."""
        import asyncio

        from mock_llm.server import MockServer

        launch, loop = self.launch, asyncio.get_running_loop()
        server = MockServer(_script(launch))
        self.journal = server.journal
        server.journal.listeners.append(launch.recorder.exchange)
        await server.start(sock=launch.port)
        launch.terminal.attach(loop, self._on_text)
        timeout_s = launch.job.scenario.timeout_s
        try:
            self.exit_code = await asyncio.wait_for(launch.terminal.exited(loop), timeout_s)
        except TimeoutError:
            self.problem = f"the agent was still running after {timeout_s:g} s and was ended"
        finally:
            self._on_text(launch.terminal.detach(loop))
            await server.stop()

    def end(self) -> ScenarioResult:
        """End every process, gather the last evidence, judge, and remove the private folders."""
        launch = self.launch
        launch.terminal.close()
        left = processes.end(launch.box.token, launch.terminal.pid)
        if left and not self.problem:
            self.notes.append(f"{len(left)} processes outlived the agent and were ended")
        self._compare_home()
        try:
            result = self._judge()
            launch.recorder.write("result.json", result)
        finally:
            launch.recorder.close(time.monotonic())
            launch.port.close()
            launch.box.remove()
            launch.watchdog.release(launch.box.token)
        return result

    def _judge(self) -> ScenarioResult:
        launch = self.launch
        evidence = self._evidence()
        launch.recorder.write("output.txt", evidence.output)
        if evidence.transcript is not None:
            launch.recorder.write("transcript.json", asdict(evidence.transcript))
        duration_s = time.monotonic() - launch.started_s
        problems = self.journal.problems if self.journal else []
        result = judge(launch.job, evidence, self.problem, problems)
        for step in result.steps:
            figures = {"step": step.label, "verdict": step.verdict, "observed": step.observed}
            launch.recorder.event(time.monotonic(), "step", step.kind, figures)
        return replace(
            result, duration_s=duration_s, evidence=str(launch.folder), notes=(*result.notes, *self.notes)
        )

    def _evidence(self) -> Evidence:
        launch, guard = self.launch, self.launch.job.spec.guard
        session = self._session_text()
        return Evidence(
            main=self.journal.main if self.journal else (),
            exchanges=self.journal.exchanges if self.journal else (),
            transcript=read(launch.job.spec.reader, session) if session else None,
            output=self.output.text,
            exit_code=self.exit_code,
            finished=True,
            variables=launch.variables,
            guard=GuardDescription(guard.rules, guard.interrupt_marker, guard.truncation_marker),
        )

    def _session_text(self) -> str:
        launch = self.launch
        copy_session(launch.session_glob, launch.folder / "session", launch.masks)
        import glob

        found = sorted(glob.glob(launch.session_glob, recursive=True))
        if len(found) > 1:
            self.notes.append(f"{len(found)} session files; the last one is read")
        return Path(found[-1]).read_text(encoding="utf-8", errors="replace") if found else ""

    def _on_text(self, text: str) -> None:
        self.output.feed(text)
        self.launch.recorder.terminal(time.monotonic(), text)

    def _compare_home(self) -> None:
        launch = self.launch
        touched = real_home.changed(launch.home_before, real_home.fingerprint(launch.home_before))
        own = [folder for folder in touched if folder in launch.job.spec.real_folders]
        if own and not self.problem:
            self.problem = (
                f"the user's own {', '.join(own)} changed during the run; end other programs that use it, "
                "or this agent's description lets it out of its private home"
            )
        others = [folder for folder in touched if folder not in own]
        if others:
            self.notes.append(f"changed meanwhile, by some other program: {', '.join(others)}")
        proof = {folder: "changed" if folder in touched else "untouched" for folder in launch.home_before}
        with suppress(OSError):
            launch.recorder.write("real-home.json", proof)


def _script(launch: Launch) -> Script:
    spec = launch.job.spec
    return Script(
        turns=tuple(_for_agent(turn, launch) for turn in launch.job.turns),
        lane=launch.variables["nonce"],
        sides=tuple(SideRequest(s.name, s.contains, Turn((Text(s.say),))) for s in spec.sides),
        max_requests=launch.job.scenario.max_requests,
    )


def _for_agent(scripted: ScriptTurn, launch: Launch) -> ScriptTurn:
    """The turn with the run's values, and its tool calls under the agent's own names."""
    turn = fill_turn(scripted.turn, launch.variables)
    tools = launch.job.spec.tools
    parts = tuple(
        replace(part, name=tools.get(part.name, part.name)) if isinstance(part, ToolCall) else part
        for part in turn.parts
    )
    return replace(scripted, turn=replace(turn, parts=parts))
