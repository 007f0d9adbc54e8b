"""Scenario files as pytest items: ``pytest scenarios/ --agent pi``.

A YAML file is a scenario when it lies in a folder named ``scenarios`` or is named on the command
line, and has a top-level ``scenario:`` key.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.plan import Job
    from harness.qa_session import QaSession
    from harness.results import ScenarioResult

SESSION: pytest.StashKey[QaSession] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of scenario runs."""
    group = parser.getgroup("ttsr-qa", "scenarios against an agent CLI")
    group.addoption("--agent", default="reference", help="the agent: a name or a description file")
    group.addoption("--agent-bin", action="append", default=[], metavar="NAME=PATH", help="its program")
    group.addoption("--dialect", default=None, help="a wire dialect of the agent, or 'all'")
    group.addoption("--controls", action="store_true", help="run the negative controls too")
    group.addoption("--qa-runs", type=Path, default=None, help="where evidence goes (default .qa/runs)")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> ScenarioFile | None:
    """Collect a scenario file."""
    if file_path.suffix not in {".yaml", ".yml"}:
        return None
    if file_path.parent.name != "scenarios" and not parent.session.isinitpath(file_path):
        return None
    from harness.find_scenarios import is_scenario

    if not is_scenario(file_path):
        return None
    return ScenarioFile.from_parent(parent, path=file_path)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what is doubtful in the scenarios, and where the evidence is, also when all passed."""
    session = config.stash.get(SESSION, None)
    for warning in session.warnings() if session is not None else ():
        terminalreporter.write_line(f"warning: {warning}")
    if session is not None and session.results:
        terminalreporter.write_line(f"ttsr-qa evidence: {session.folder}")


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what the session started, if pytest opened it itself."""
    session = config.stash.get(SESSION, None)
    if session is not None:
        session.close()


class ScenarioFailed(Exception):
    """A scenario that did not pass; ``result`` says how."""

    def __init__(self, result: ScenarioResult) -> None:
        failing = [step.label for step in result.steps if step.verdict == "failed"]
        super().__init__(f"{', '.join(failing) or result.problem or 'the run'} {result.verdict}")
        self.result = result


class ScenarioFile(pytest.File):
    """A scenario file: one item for each dialect, and one for each negative control."""

    def collect(self) -> Iterable[pytest.Item]:
        from harness.problems import UserError

        try:
            session = _session(self.config)
            jobs = session.jobs([session.scenario(self.path)])
        except UserError as error:
            raise self.CollectError(str(error)) from error
        for job in jobs:
            item: ScenarioItem = ScenarioItem.from_parent(self, name=_item_name(job), job=job)
            for tag in job.scenario.tags:
                item.keywords[tag] = tag
            yield item


class ScenarioItem(pytest.Item):
    """One run of a scenario."""

    def __init__(self, *, job: Job, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.job = job

    def runtest(self) -> None:
        result = _session(self.config).run(self.job)
        self.user_properties += [("verdict", result.verdict), ("evidence", result.evidence)]
        if result.verdict == "skipped":
            pytest.skip(result.problem)
        if result.verdict != "passed":
            raise ScenarioFailed(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, ScenarioFailed):
            from harness.reporters.console import render_scenario

            text = render_scenario(excinfo.value.result, color=False, width=120)
            return f"{excinfo.value}\n{text}"
        from harness.problems import UserError

        if isinstance(excinfo.value, UserError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name


def _item_name(job: Job) -> str:
    return f"{job.spec.name}-{job.dialect}{'-control' if job.control else ''}"


def _session(config: pytest.Config) -> QaSession:
    if SESSION not in config.stash:
        from harness.qa_session import open_session

        option = config.option
        config.stash[SESSION] = open_session(
            option.agent,
            programs=option.agent_bin,
            dialect=option.dialect,
            runs=option.qa_runs,
            controls=option.controls,
        )
    return config.stash[SESSION]
