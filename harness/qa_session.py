"""What one invocation shares: the agent, the options, the evidence folder, the results."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from harness.interrupts import INTERRUPTS
from harness.plan import Cutting, Job, plan
from harness.problems import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harness.agents.spec import AgentSpec
    from harness.containment.watchdog import Watchdog
    from harness.meanwhile import Meanwhile
    from harness.results import RunResult, ScenarioResult
    from harness.scenario import Scenario
    from harness.serving import Serving


class BadOption(UserError):
    """An option that does not fit the agent; the message names the valid values."""


@dataclass(slots=True, eq=False)
class QaSession:
    """One invocation of qa, from the command line or from pytest.

    ``again`` are the options that select the same agent once more. ``on_result`` hears each outcome at
    once. ``is_alone`` says that this process starts nothing else, so that whatever an agent leaves behind can
    be told from other children. ``close`` ends everything that was started and not used.
    """

    spec: AgentSpec
    argv: tuple[str, ...]
    dialects: tuple[str, ...]
    runs: Path
    again: tuple[str, ...] = ()
    controls: bool = False
    is_alone: bool = False
    cutting: Cutting = field(default_factory=Cutting)
    on_start: Callable[[Job], None] = lambda _job: None
    on_result: Callable[[ScenarioResult], None] = lambda _result: None
    results: list[ScenarioResult] = field(default_factory=list)
    loaded: dict[Path, Scenario] = field(default_factory=dict)
    _early: dict[str, Serving] = field(default_factory=dict)
    _meanwhile: Meanwhile | None = None
    _folder: Path | None = None
    _watchdog: Watchdog | None = None
    _started_s: float = field(default_factory=time.monotonic)

    def jobs(self, scenarios: Sequence[Scenario]) -> tuple[Job, ...]:
        """Every run that the scenarios mean in this session."""
        jobs = plan(
            scenarios, self.spec, self.argv, self.dialects, controls=self.controls, cutting=self.cutting
        )
        return tuple(job._replace(again=(_word_for(job.scenario), *self.again)) for job in jobs)

    def scenario(self, path: Path) -> Scenario:
        """The scenario of a file, read once."""
        if path not in self.loaded:
            from harness.scenario_yaml import load_scenario

            self.loaded[path] = load_scenario(path)
        return self.loaded[path]

    def warnings(self) -> Iterator[str]:
        """What is doubtful in the scenarios loaded so far, one line each."""
        from harness.agents.rule_names import name_warnings

        for scenario in self.loaded.values():
            yield from scenario.warnings
            yield from name_warnings(scenario, self.spec)
        bare = [scenario.name for scenario in self.loaded.values() if scenario.control is None]
        if self.controls and bare:
            yield f"no control to run for {', '.join(bare)}"

    def start_early(self, job: Job) -> None:
        """Start the agent of a run already, and answer it while the rest of qa is loaded."""
        from harness.launch import CannotStart, serve
        from harness.meanwhile import Meanwhile

        if job.obstacle or job.mistake:
            return
        try:
            serving = serve(job, self.folder, self.watchdog)
        except CannotStart:
            return  # the run itself starts it again, and reports what is wrong
        self._early[job.key] = serving
        self._meanwhile = Meanwhile(serving.work_once)
        self._meanwhile.start()
        _load_what_the_end_needs(job.spec.reader)

    def run(self, job: Job) -> ScenarioResult:
        """Make one run."""
        from harness.runner import run_job

        self._stop_meanwhile()
        INTERRUPTS.check()
        self.on_start(job)
        result = run_job(job, self.folder, self.watchdog, self._early.pop(job.key, None))
        self.results.append(result)
        self.on_result(result)
        return result

    @property
    def folder(self) -> Path:
        """The evidence folder of this invocation, made when first needed."""
        if self._folder is None:
            from harness.recorder import new_run_folder

            self._folder = new_run_folder(self.runs)
        return self._folder

    @property
    def watchdog(self) -> Watchdog:
        """The second process that cleans up if this one dies."""
        if self._watchdog is None:
            from harness.containment.processes import adopt_orphans
            from harness.containment.watchdog import Watchdog

            self._watchdog = Watchdog(adopt_orphans if self.is_alone else None)
        return self._watchdog

    @property
    def outcome(self) -> RunResult:
        """All results so far."""
        from harness.results import RunResult

        folder = str(self._folder) if self._folder else ""
        return RunResult(tuple(self.results), folder, time.monotonic() - self._started_s)

    def close(self) -> None:
        """End what was started early and never used, and the watchdog; remove what killed ones have left."""
        self._stop_meanwhile()
        while self._early:
            from harness.runner import give_up

            _key, serving = self._early.popitem()
            self.results.append(give_up(serving, "ended before its turn came"))
        if self._watchdog is not None:
            from harness.containment.leftover import sweep

            self._watchdog.close()
            self._watchdog = None
            sweep()

    def _stop_meanwhile(self) -> None:
        if self._meanwhile is not None:
            self._meanwhile.stop()
            self._meanwhile = None


def open_session(
    agent: str,
    *,
    programs: Sequence[str] = (),
    dialect: str | None = None,
    runs: Path | None = None,
    controls: bool = False,
    cutting: Cutting | None = None,
) -> QaSession:
    """A session for an agent by name or by the path of its description.

    Raises:
        BadOption: If the agent does not speak the dialect.
        AgentError: If there is no such agent, its description is wrong, or it is not installed.
    """
    from harness.agents.locate import find_program, load_agent

    spec = load_agent(agent)
    given = ["--agent", agent] if agent != "reference" else []
    given += [word for program in programs for word in ("--agent-bin", program)]
    given += ["--runs", str(runs)] if runs else []
    return QaSession(
        spec=spec,
        argv=find_program(spec, _mapping(programs, spec)).argv,
        again=tuple(given),
        dialects=_dialects(spec, dialect),
        runs=runs or Path.cwd() / ".qa" / "runs",
        controls=controls,
        cutting=cutting or Cutting(),
    )


def _dialects(spec: AgentSpec, wanted: str | None) -> tuple[str, ...]:
    names = tuple(dialect.name for dialect in spec.dialects)
    if wanted is None:
        return names[:1]
    if wanted == "all":
        return names
    if wanted not in names:
        raise BadOption(
            f"agent '{spec.name}' does not speak '{wanted}'; it speaks {', '.join(names)}, or 'all'"
        )
    return (wanted,)


def _load_what_the_end_needs(reader: str) -> None:
    """Load what gathers, judges and reports: the agent is at work meanwhile, and nobody waits for it then."""
    import harness.reporters.console
    import harness.runner  # noqa: F401
    from harness.readers import load_reader

    load_reader(reader)


def _word_for(scenario: Scenario) -> str:
    """The scenario's name where that finds its file, else the file's path."""
    from harness.find_scenarios import find

    try:
        (found,) = find([scenario.name], Path.cwd())
    except UserError:
        return scenario.path
    return scenario.name if found.absolute() == Path(scenario.path).absolute() else scenario.path


def _mapping(programs: Sequence[str], spec: AgentSpec) -> dict[str, str]:
    for program in programs:
        name, _, path = program.partition("=")
        if not name or not path:
            raise BadOption(f"'--agent-bin {program}' is not NAME=PATH, such as pi=/opt/pi/bin/pi")
        if name != spec.name:
            raise BadOption(f"'--agent-bin {program}' names no agent of this run, which is '{spec.name}'")
    return dict(program.split("=", 1) for program in programs)
