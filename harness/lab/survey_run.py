"""Make the runs of a survey: one cell after the other, or several at a time in processes of their own."""

from __future__ import annotations

import subprocess  # how it says that a program did not end
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from harness.interrupts import INTERRUPTS
from harness.lab.survey import Cell, Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from harness.containment.watchdog import Watchdog
    from harness.evidence import Evidence
    from harness.lab.survey import Column
    from harness.plan import Job
    from mock_llm.journal import JournalEvent


class Task(NamedTuple):
    """One cell to measure, in plain words that another process understands."""

    agent: str
    scenario: str
    row: Row
    runs: str
    timeout_s: float
    programs: tuple[str, ...] = ()


class _UnderWay:
    """Notes what had been sent of each open reply when a request came."""

    def __init__(self) -> None:
        self.sent: dict[int, int] = {}
        self._open: dict[int, int] = {}

    def __call__(self, event: JournalEvent) -> None:
        exchange = event.exchange
        if event.kind == "request" and self._open:
            self.sent[exchange.number] = max(self._open.values())
        elif event.kind == "delta" and exchange.reply is not None:
            self._open[exchange.number] = exchange.chars_sent
        elif event.kind == "ended":
            self._open.pop(exchange.number, None)


def run_all(tasks: Sequence[Task], jobs: int, hear: Callable[[Cell], None]) -> None:
    """Measure every task and tell of each at once. At most ``jobs`` agents run at a time."""
    if jobs < 2 or len(tasks) < 2:
        for task in tasks:
            INTERRUPTS.check()
            hear(run_cell(task))
        return
    for cell in _in_processes(tasks, jobs):
        hear(cell)


def _in_processes(tasks: Sequence[Task], jobs: int) -> Iterator[Cell]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed

    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=context) as pool:
        try:
            for future in as_completed([pool.submit(run_cell, task) for task in tasks]):
                yield future.result()
        except BaseException:
            # Ctrl-C reaches the other processes too: what has not begun must not begin any more.
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def run_cell(task: Task) -> Cell:
    """Measure one cell. Whatever goes wrong stands in the cell; only the user's Ctrl-C comes through."""
    started_s = time.monotonic()
    try:
        cell = _measured(task)
    except Exception as error:  # noqa: BLE001  the other cells of the survey are still to be measured
        why = str(error) or type(error).__name__
        cell = Cell(task.agent, task.row.name, "error", problem=f"{type(error).__name__}: {why}")
    return cell._replace(seconds=round(time.monotonic() - started_s, 1))


def _measured(task: Task) -> Cell:
    from harness.agents.locate import find_program, load_agent
    from harness.lab.survey_agents import aimed, parse_agent
    from harness.lab.survey_measure import Seen, measure
    from harness.lab.survey_scenario import calls_in, looked_at, surveyed
    from harness.lab.survey_words import phrases
    from harness.plan import Job
    from harness.qa_session import open_session
    from harness.scenario_yaml import load_scenario

    wanted = parse_agent(task.agent)
    scenario = load_scenario(Path(task.scenario))
    spec = aimed(load_agent(wanted.name), wanted)
    words = [says.phrase for says in phrases(spec) if says.channel == "request"]
    played = surveyed(scenario, timeout_s=task.timeout_s, terminal=wanted.terminal, guards_say=words)
    with closing(open_session(wanted.name, programs=task.programs, runs=Path(task.runs))) as session:
        argv = find_program(spec, dict(word.split("=", 1) for word in task.programs)).argv
        job = Job(played, spec, argv, wanted.dialect or spec.dialects[0].name)
        if job.obstacle:
            return Cell(task.agent, task.row.name, "error", problem=job.obstacle)
        evidence, under_way, problem = _run(job, session.folder, session.watchdog)
    if evidence is None:
        return Cell(task.agent, task.row.name, "error", problem=problem)
    seen = Seen(evidence, looked_at(scenario), calls_in(scenario), under_way.sent, problem)
    return measure(task.agent, spec, task.row, seen)


def _run(job: Job, folder: Path, watchdog: Watchdog) -> tuple[Evidence | None, _UnderWay, str]:
    from harness.launch import CannotStart, serve
    from harness.runner import run_job

    under_way = _UnderWay()
    seen: list[Evidence] = []
    try:
        serving = serve(job, folder, watchdog)
    except CannotStart as error:
        return None, under_way, str(error)
    serving.journal.listeners.append(under_way)
    result = run_job(job, folder, watchdog, serving, look=seen.append)
    problem = result.problem if result.verdict == "error" else ""
    return (seen[0] if seen else None), under_way, problem


def column(word: str, programs: Sequence[str] = ()) -> Column:
    """The agent of a word, with the version that is installed here.

    Raises:
        UserError: If there is no such agent or setting, or it is not installed.
    """
    from harness.agents.locate import find_program, load_agent, package_version
    from harness.lab.survey import Column
    from harness.lab.survey_agents import aimed, parse_agent

    wanted = parse_agent(word)
    spec = aimed(load_agent(wanted.name), wanted)
    found = find_program(spec, dict(each.split("=", 1) for each in programs))
    version = ""
    if spec.install.is_ours:
        version = package_version(Path(found.file or found.argv[0]), spec.install.package) or ""
    if not version and spec.install.is_ours and found.source == "installed":
        version = spec.install.version
    if not version:
        is_part_of_qa = spec.install.source == "embedded" and found.source == "embedded"
        version = "embedded" if is_part_of_qa else _printed(wanted.name, programs)
    dialect = wanted.dialect or spec.dialects[0].name
    return Column(word, version, dialect, "terminal" if wanted.terminal else "one-shot")


def _printed(agent: str, programs: Sequence[str]) -> str:
    """The version that the program says it has, so that '--resume' does not mix two builds."""
    from harness.agents.version_probe import printed_version
    from harness.qa_session import open_session

    with closing(open_session(agent, programs=programs)) as session:
        try:
            number = printed_version(session).number if session.spec.version_probe else ""
        except (OSError, subprocess.TimeoutExpired):
            number = ""
    return number or "unknown version"


def everything_installed() -> list[str]:
    """A word for each agent that is here, as it comes and with its guards switched on."""
    from harness.agents.locate import AgentMissingError, agent_names, find_program, load_agent
    from harness.lab.survey_agents import usual

    words: list[str] = []
    for name in agent_names():
        spec = load_agent(name)
        try:
            find_program(spec)
        except AgentMissingError:
            continue
        words += usual(spec)
    return words
