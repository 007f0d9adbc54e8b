"""One run: the mock model answers, the agent acts, the steps judge what happened."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from harness.containment import real_home
from harness.containment.names import told
from harness.evidence import Evidence, GuardDescription
from harness.interrupts import INTERRUPTS
from harness.judge import judge, skipped
from harness.launch import CannotStart, serve
from harness.readers import BESIDE, SessionError, read
from harness.steps.abort_words import guards_say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from harness.containment.watchdog import Watchdog
    from harness.evidence import SessionSource
    from harness.plan import Job
    from harness.results import ScenarioResult
    from harness.serving import Serving
    from harness.transcript import Transcript


def run_job(
    job: Job,
    run_folder: Path,
    watchdog: Watchdog,
    serving: Serving | None = None,
    look: Callable[[Evidence], None] | None = None,
    waiting: Callable[[str], None] | None = None,
) -> ScenarioResult:
    """Make one run and judge it. Everything it started has ended when this returns.

    Args:
        job: What to run.
        run_folder: Where the evidence folder is made.
        watchdog: Cleans up if this process dies.
        serving: The started agent, when it is served already.
        look: Gets the evidence before it is judged.
        waiting: Gets what a run in a terminal waits for, whenever that changes.
    """
    if job.obstacle:
        return skipped(job, job.obstacle)
    if job.mistake:
        return skipped(job, job.mistake, verdict="error")
    if serving is None:
        try:
            serving = serve(job, run_folder, watchdog)
        except CannotStart as error:
            return skipped(job, str(error), verdict="error")
    serving.on_waiting = waiting
    run = _Run(serving, look)
    try:
        serving.until_exit()
    except KeyboardInterrupt:
        run.problem = "interrupted by the user"
        raise
    finally:
        with INTERRUPTS.held():
            result = run.end()
    return result


def give_up(serving: Serving, problem: str) -> ScenarioResult:
    """End a run that is under way; what it has seen stays in its evidence."""
    run = _Run(serving)
    run.problem = problem
    with INTERRUPTS.held():
        return run.end()


class _Run:
    """The shell around one run: what it gathers is judged elsewhere."""

    def __init__(self, serving: Serving, look: Callable[[Evidence], None] | None = None) -> None:
        self.serving = serving
        self.launch = serving.launch
        self.look = look
        self.problem = ""
        self.notes: list[str] = []

    def end(self) -> ScenarioResult:
        """End every process, gather the last evidence, judge, and remove the private folders."""
        launch = self.launch
        # First the processes: one that still writes would keep the terminal from running dry.
        left = launch.end_processes()
        self.serving.close()
        launch.terminal.close()
        self._blame(self._stopped())
        if left and not self.problem and self.serving.exit_code is not None:
            outlived = "1 process" if len(left) == 1 else f"{len(left)} processes"
            self.notes.append(f"{outlived} outlived the agent and had to be ended")
        self._compare_home()
        try:
            result = self._judge()
            launch.recorder.write("result.json", result)
        finally:
            launch.recorder.close(time.monotonic())
            launch.close_port()
            launch.box.remove()
            launch.watchdog.release(launch.box.token)
        if launch.recorder.problem and result.verdict != "error":
            return replace(result, verdict="error", problem=launch.recorder.problem)
        return result

    def _blame(self, problem: str) -> None:
        """Why the run cannot be judged; the first cause counts."""
        self.problem = self.problem or problem

    def _stopped(self) -> str:
        """Why the agent did not come to its end by itself."""
        if self.serving.failure:
            return self.serving.failure
        if self.serving.timed_out:
            timeout_s = self.launch.job.scenario.timeout_s
            return f"the agent was still running after {timeout_s:g} s and was ended"
        if self.serving.is_too_much:
            return f"the agent had written {self.serving.output_chars:,} characters when it was ended"
        return ""

    def _judge(self) -> ScenarioResult:
        launch = self.launch
        evidence = self._with_snapshots(self._evidence())
        if self.look is not None:
            self.look(evidence)
        self._blame(launch.recorder.problem)
        launch.recorder.write("output.txt", evidence.output)
        if evidence.transcript is not None:
            launch.recorder.write("transcript.json", asdict(evidence.transcript))
        duration_s = time.monotonic() - launch.started_s
        result = judge(launch.job, evidence, self.problem, self.serving.journal.problems, self.serving.unused)
        for step in result.steps:
            figures = {"step": step.label, "verdict": step.verdict, "observed": step.observed}
            launch.recorder.event(time.monotonic(), "step", step.kind, figures)
        return replace(
            result,
            duration_s=duration_s,
            evidence=str(launch.folder),
            notes=(*result.notes, *self.serving.notes, *self.notes, *self._containment()),
            network=self.serving.network,
        )

    def _containment(self) -> list[str]:
        """The names that were asked for; in the first run of an invocation, why there are no namespaces."""
        launch, found = self.launch, [told(self.serving.network)]
        if launch.not_contained:
            text = f"{launch.not_contained}: agents can reach the network; their processes are ended as found"
            with suppress(OSError), (launch.folder.parent / "not-contained.txt").open("x") as first:
                first.write(f"{text}\n")
                found.append(text)
        return [note for note in found if note]

    def _with_snapshots(self, evidence: Evidence) -> Evidence:
        if not any(step.kind == "snapshot" for step in self.launch.job.scenario.steps):
            return evidence
        from harness.snapshots.taking import taken

        return evidence._replace(snapshots=taken(self.launch, evidence, is_whole=not self.problem))

    def _evidence(self) -> Evidence:
        launch, guard = self.launch, self.launch.job.spec.guard
        session, source = self._session()
        return Evidence(
            main=self.serving.journal.main,
            exchanges=self.serving.journal.exchanges,
            transcript=self._transcript(session),
            output=self.serving.shown,
            panels=self.serving.panels,
            exit_code=self.serving.exit_code,
            finished=True,
            variables=launch.variables,
            guard=GuardDescription(
                guard.rules,
                guard.interrupt_marker,
                guard.truncation_marker,
                guard.unrecorded,
                output_marker=guard.output_marker,
                says=guards_say(self.launch.job.spec),
            ),
            session=source,
            driven=self.serving.driven,
            typed=self.serving.typed,
        )

    def _transcript(self, session: Mapping[str, bytes] | None) -> Transcript | None:
        if session is None:
            return None
        try:
            return read(self.launch.job.spec.reader, session)
        except SessionError as error:
            self._blame(f"{error}\n  the reader is {self.launch.job.spec.reader}")
            return None

    def _session(self) -> tuple[Mapping[str, bytes] | None, SessionSource]:
        """The session file and those beside it, and where they are from; None when there is no file."""
        from harness.session_files import UnreadableSessionError, files_of, session_files, source_of

        launch = self.launch
        kept = launch.recorder.sessions(launch.session_glob)
        copies = [session.copy.name for session in kept if session.copy]
        launch.recorder.event(time.monotonic(), "session", "kept", {"files": copies})
        found = session_files(launch.session_glob)
        if len(found) > 1:
            self.notes.append(f"{len(found)} session files; the last one is read")
        self.notes += [session.problem for session in kept if session.problem and session.path != found[-1]]
        source = source_of(launch.job.spec, launch.session_glob, found, launch.variables)
        try:
            beside = BESIDE.get(launch.job.spec.reader, ())
            return files_of(found[-1], beside) if found else None, source
        except UnreadableSessionError as error:
            self._blame(str(error))
            return None, source

    def _compare_home(self) -> None:
        launch = self.launch
        touched = real_home.changed(launch.home_before, real_home.fingerprint(launch.home_before))
        own = [folder for folder in touched if folder in launch.job.spec.real_folders]
        if own:
            self._blame(
                f"the user's own {', '.join(own)} changed during the run; end other programs that use it, "
                "or this agent's description lets it out of its private home"
            )
        others = [folder for folder in touched if folder not in own]
        if others:
            self.notes.append(f"changed meanwhile, by some other program: {', '.join(others)}")
        proof = {
            folder: "changed" if folder in touched else "untouched" for folder in sorted(launch.home_before)
        }
        launch.recorder.write("real-home.json", proof)
