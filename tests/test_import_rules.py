"""The import rules of the tree, read from the source: who may know whom, and who may touch the world.

The files of ``SHELL`` do input and output and decide little. Every other file is pure: no clock, files,
sockets, processes, unseeded randomness or printing, and no import of a shell file.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

SHELL = frozenset(
    """
    harness/agents/install.py harness/agents/locate.py harness/agents/version_probe.py harness/cli.py
    harness/commands/agents.py harness/commands/calibrate.py harness/commands/doctor.py harness/commands/gate.py
    harness/commands/gate_report.py harness/commands/gate_sessions.py harness/commands/listing.py
    harness/commands/live_line.py harness/commands/many_runs.py harness/commands/merge.py
    harness/commands/mutate.py harness/commands/mutate_agent.py harness/commands/one_agent.py harness/commands/replay.py
    harness/commands/review.py harness/commands/run.py harness/commands/saying.py harness/commands/schema.py
    harness/commands/screenshot.py harness/commands/selection.py harness/commands/show.py
    harness/commands/survey.py harness/commands/watch.py harness/containment/keeper.py
    harness/containment/leftover.py harness/containment/namespaces.py harness/containment/processes.py
    harness/containment/real_home.py harness/containment/sandbox.py harness/containment/watchdog.py
    harness/driven.py harness/engine.py harness/entry.py harness/files.py harness/find_scenarios.py
    harness/gate/baseline_write.py harness/gate/git.py harness/guard_profile_file.py harness/interrupts.py
    harness/lab/calibrate_files.py harness/lab/calibrate_pool.py harness/lab/foreign_process.py
    harness/lab/guard_options.py harness/lab/mutation_copy.py harness/lab/mutation_cost.py
    harness/lab/mutation_files.py harness/lab/mutation_reach.py harness/lab/mutation_worker.py
    harness/lab/survey_run.py harness/launch.py harness/meanwhile.py harness/pool.py harness/pytest_plugin.py
    harness/qa_session.py harness/recorder.py harness/refagent/__main__.py harness/refagent/client.py
    harness/refagent/display.py harness/refagent/interrupts.py harness/refagent/options.py
    harness/refagent/session.py harness/refagent/terminal.py harness/refagent/tools.py harness/report_files.py
    harness/runner.py harness/scenario_files.py harness/scenario_yaml.py harness/serving.py
    harness/session_files.py harness/snapshots/review.py harness/snapshots/store.py harness/snapshots/taking.py
    harness/snapshots/unused.py harness/terminal/ghostty_library.py harness/terminal/pty.py mock_llm/api.py
    mock_llm/cli.py mock_llm/commands/check.py mock_llm/commands/generators.py mock_llm/commands/loading.py
    mock_llm/commands/record.py mock_llm/commands/say.py mock_llm/commands/schema.py mock_llm/commands/serve.py
    mock_llm/commands/serving.py mock_llm/commands/text.py mock_llm/connection.py mock_llm/early_interrupt.py
    mock_llm/entry.py mock_llm/gates.py mock_llm/listening.py mock_llm/playing.py mock_llm/pytest_fixture.py
    mock_llm/record_files.py mock_llm/record_proxy.py mock_llm/record_upstream.py mock_llm/server.py
    mock_llm/standalone.py
    """.split()  # noqa: SIM905  a column of names reads better as text
)

IO_MODULES = frozenset(
    """
    asyncio atexit click ctypes datetime fcntl getpass glob http httpx httpx_sse io logging mmap
    multiprocessing os pathlib pexpect platform psutil pty pytest random resource secrets select selectors
    shutil signal socket ssl subprocess sys tempfile termios threading time tty urllib uuid
    """.split()  # noqa: SIM905  a column of names reads better as text
)
HARMLESS = frozenset(
    {"io.BytesIO", "pathlib.PurePath", "pathlib.PurePosixPath", "random.Random", "urllib.parse"}
)
IO_CALLS = frozenset({"breakpoint", "input", "open", "print"})
# Dates can be reckoned with anywhere; what day it is, a pure file is told.
DATES = ("datetime.UTC", "datetime.date", "datetime.datetime", "datetime.timedelta")
CLOCK_READS = frozenset({"now", "today", "utcnow"})

# The front of 'qa run' starts pytest with the plugin that it belongs to; a program begins before its command.
MAY_IMPORT_ENTRY_POINTS = frozenset(
    {
        ("harness/engine.py", "harness.pytest_plugin"),
        ("harness/entry.py", "harness.cli"),
        ("mock_llm/entry.py", "mock_llm.cli"),
    }
)
# A guard profile is the user's own file; reading it is no knowledge of any wire format.
AGENT_MAY_KNOW = ("harness.guard_profile_file", "harness.problems")
ENTRY_POINTS = ("harness.cli", "harness.entry", "harness.pytest_plugin", "mock_llm.cli", "mock_llm.entry")

Sources = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name. ``is_for_types`` tells that it stands under ``if TYPE_CHECKING``."""

    file: str
    line: int
    name: str
    is_for_types: bool

    def within(self, *packages: str) -> bool:
        return any(self.name == p or self.name.startswith(f"{p}.") for p in packages)

    def offence(self, rule: str) -> str:
        return f"{self.file}:{self.line}: imports '{self.name}', but {rule}"


@cache
def imports(file: str, source: str) -> tuple[Import, ...]:
    """Every import of a file, wherever it stands. ``from a import b`` gives ``a.b``, since b may be a module."""
    nodes = list(ast.walk(ast.parse(source)))
    typing = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    }
    package = file.removesuffix(".py").split("/")[:-1]
    found: list[Import] = []
    for node in nodes:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, node.module] if node.module else above)
            names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        found += [Import(file, node.lineno, name, id(node) in typing) for name in names]
    return tuple(found)


def _all(sources: Sources, folder: str) -> Iterator[Import]:
    for file, source in sources.items():
        if file.startswith(folder):
            yield from imports(file, source)


def the_mock_knows_no_harness(sources: Sources) -> Iterator[str]:
    for found in _all(sources, "mock_llm/"):
        if found.within("harness"):
            yield found.offence("mock_llm never imports harness")


def detectors_stand_alone(sources: Sources) -> Iterator[str]:
    for found in _all(sources, "harness/detectors/"):
        own = found.within("harness.detectors")
        if not own and found.name.split(".")[0] not in sys.stdlib_module_names:
            yield found.offence("detectors import only the standard library")


def the_agent_knows_no_mock(sources: Sources) -> Iterator[str]:
    for found in _all(sources, "harness/refagent/"):
        if found.within("mock_llm"):
            yield found.offence("refagent never imports mock_llm")
        elif found.within("harness") and not found.within(
            "harness.refagent", "harness.detectors", *AGENT_MAY_KNOW
        ):
            yield found.offence("refagent knows nothing of the harness but the detectors")


def dialects_do_not_know_each_other(sources: Sources) -> Iterator[str]:
    folder = "mock_llm/dialects/"
    formats = {f for f, s in sources.items() if f.startswith(folder) and "\nDIALECT" in s}
    modules = [f.removesuffix(".py").replace("/", ".") for f in formats]
    for file in formats:
        for found in imports(file, sources[file]):
            if found.within(*modules):
                yield found.offence("dialects do not import each other")


def reporters_see_results_only(sources: Sources) -> Iterator[str]:
    for found in _all(sources, "harness/reporters/"):
        ours = found.within("harness", "mock_llm")
        if ours and not found.within("harness.results", "harness.place", "harness.reporters"):
            yield found.offence("reporters see results only")


def nothing_imports_an_entry_point(sources: Sources) -> Iterator[str]:
    for found in _all(sources, ""):
        for entry in ENTRY_POINTS:
            if found.within(entry) and (found.file, entry) not in MAY_IMPORT_ENTRY_POINTS:
                yield found.offence("nothing imports cli or pytest_plugin")


def pure_files_do_no_io(sources: Sources) -> Iterator[str]:
    shell = [f.removesuffix(".py").replace("/", ".") for f in SHELL]
    for file, source in sources.items():
        if file in SHELL:
            continue
        for found in imports(file, source):
            if found.is_for_types:
                continue
            if found.name.split(".")[0] in IO_MODULES and not found.within(*HARMLESS, *DATES):
                yield found.offence("this file is pure")
            if found.within(*shell):
                yield found.offence("that is a shell file and this one is pure")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IO_CALLS:
                yield f"{file}:{node.lineno}: calls '{node.func.id}', but this file is pure"
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in CLOCK_READS
            ):
                yield f"{file}:{node.lineno}: '{node.func.attr}' reads the clock, but this file is pure"


RULES: tuple[Callable[[Sources], Iterator[str]], ...] = (
    the_mock_knows_no_harness,
    detectors_stand_alone,
    the_agent_knows_no_mock,
    dialects_do_not_know_each_other,
    reporters_see_results_only,
    nothing_imports_an_entry_point,
    pure_files_do_no_io,
)


@pytest.fixture(scope="module")
def tree() -> Sources:
    files = sorted(file for package in ("harness", "mock_llm") for file in (ROOT / package).rglob("*.py"))
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule.__name__))
def test_the_tree_keeps_the_rule(rule: Callable[[Sources], Iterator[str]], tree: Sources) -> None:
    assert list(rule(tree)) == []


def test_every_exception_is_still_needed(tree: Sources, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in SHELL:
        with monkeypatch.context() as patch:
            patch.setitem(globals(), "SHELL", SHELL - {file})
            assert list(pure_files_do_no_io({file: tree[file]})), f"{file} is pure by now"
    for file, entry in MAY_IMPORT_ENTRY_POINTS:
        assert any(found.within(entry) for found in imports(file, tree[file]))


OFFENDERS = [
    (the_mock_knows_no_harness, "mock_llm/a.py", "from harness.results import Place"),
    (the_mock_knows_no_harness, "mock_llm/a.py", "def late():\n    import harness"),
    (detectors_stand_alone, "harness/detectors/a.py", "import click"),
    (detectors_stand_alone, "harness/detectors/a.py", "from harness import results"),
    (detectors_stand_alone, "harness/detectors/a.py", "from .. import results"),
    (the_agent_knows_no_mock, "harness/refagent/a.py", "from mock_llm import turn"),
    (the_agent_knows_no_mock, "harness/refagent/a.py", "from harness.evidence import Evidence"),
    (reporters_see_results_only, "harness/reporters/a.py", "from harness.steps import checks"),
    (reporters_see_results_only, "harness/reporters/a.py", "from mock_llm.turn import Turn"),
    (nothing_imports_an_entry_point, "harness/judge.py", "from harness import cli"),
    (nothing_imports_an_entry_point, "harness/judge.py", "import harness.pytest_plugin"),
    (pure_files_do_no_io, "harness/judge.py", "import os.path"),
    (pure_files_do_no_io, "harness/judge.py", "def late():\n    from time import monotonic"),
    (pure_files_do_no_io, "harness/judge.py", "from random import random"),
    (pure_files_do_no_io, "harness/judge.py", "from harness.runner import run_job"),
    (pure_files_do_no_io, "harness/judge.py", "print('here')"),
    (pure_files_do_no_io, "harness/judge.py", "import datetime"),
    (pure_files_do_no_io, "harness/judge.py", "from datetime import date\ndate.today()"),
    (pure_files_do_no_io, "harness/judge.py", "from datetime import UTC, datetime\ndatetime.now(UTC)"),
]


@pytest.mark.parametrize(("rule", "file", "source"), OFFENDERS)
def test_a_made_up_offender_is_caught(
    rule: Callable[[Sources], Iterator[str]], file: str, source: str
) -> None:
    offences = list(rule({file: source}))
    assert len(offences) == 1
    assert offences[0].startswith(f"{file}:{source.count(chr(10)) + 1}: ")


def test_a_dialect_that_imports_another_is_caught_and_shared_parts_are_not() -> None:
    sources = {
        "mock_llm/dialects/one.py": "from mock_llm.dialects.two import encode\nDIALECT = 1",
        "mock_llm/dialects/two.py": "from mock_llm.dialects import fields\nDIALECT = 2",
        "mock_llm/dialects/fields.py": "import json",
    }
    (offence,) = dialects_do_not_know_each_other(sources)
    assert offence.startswith("mock_llm/dialects/one.py:1: imports 'mock_llm.dialects.two.encode'")


@pytest.mark.parametrize(
    ("rule", "file", "source"),
    [
        (pure_files_do_no_io, "harness/judge.py", "if TYPE_CHECKING:\n    from pathlib import Path"),
        (pure_files_do_no_io, "harness/judge.py", "from random import Random"),
        (pure_files_do_no_io, "harness/judge.py", "from datetime import date\ndate(2026, 1, 1)"),
        (pure_files_do_no_io, "harness/runner.py", "import os"),
        (detectors_stand_alone, "harness/detectors/a.py", "from harness.detectors.finding import Finding"),
        (reporters_see_results_only, "harness/reporters/a.py", "from harness.results import Place"),
        (nothing_imports_an_entry_point, "harness/cli.py", "import click"),
    ],
)
def test_what_is_allowed_is_not_caught(
    rule: Callable[[Sources], Iterator[str]], file: str, source: str
) -> None:
    assert list(rule({file: source})) == []
