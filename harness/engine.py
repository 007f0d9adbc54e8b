"""pytest as the engine of ``qa run``: the same items, our own report."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.pytest_plugin import SESSION, ScenarioFailed, ScenarioFile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.qa_session import QaSession

_UNUSED = (
    "terminal",
    "cacheprovider",
    "doctest",
    "unittest",
    "pastebin",
    "stepwise",
    "legacypath",
    "logging",
    "junitxml",
)

_VARIABLES = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")


@dataclass(slots=True)
class _Hooks:
    """Gives pytest our session, and keeps what went wrong inside qa itself."""

    session: QaSession
    paths: Sequence[Path]
    bugs: list[str] = field(default_factory=list)

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[SESSION] = self.session

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Collect just these files, whatever their names hold that pytest's own arguments cannot."""
        files = [ScenarioFile.from_parent(session, path=path) for path in self.paths]
        session.items = [item for file in files for item in file.collect()]
        session.testscollected = len(session.items)
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> object:
        report = yield
        if call.excinfo and not call.excinfo.errisinstance((ScenarioFailed, pytest.skip.Exception)):
            self.bugs.append(str(call.excinfo.getrepr(style="short")))
        return report

    def pytest_internalerror(self, excrepr: object) -> bool:
        self.bugs.append(str(excrepr))
        return True


@dataclass(frozen=True, slots=True)
class EngineResult:
    """How pytest ended: ``bugs`` are tracebacks of qa itself."""

    interrupted: bool
    bugs: tuple[str, ...]


def run_paths(session: QaSession, paths: Sequence[Path], *, exit_first: bool) -> EngineResult:
    """Run scenario files as pytest items in this process.

    The settings and plugins of the folder qa is called in do not apply: a scenario run
    is the same everywhere.
    """
    settings = Path(__file__).with_name("engine.ini")
    arguments = ["-c", str(settings), "--rootdir", str(Path.cwd()), "--noconftest", "--capture=no"]
    arguments += [word for name in _UNUSED for word in ("-p", f"no:{name}")]
    arguments += ["-p", "harness.pytest_plugin"]
    arguments += ["-x"] * exit_first
    hooks = _Hooks(session, paths)
    with _no_settings_of_the_user():
        code = pytest.main(arguments, plugins=[hooks])
    return EngineResult(code == pytest.ExitCode.INTERRUPTED, tuple(hooks.bugs))


@contextmanager
def _no_settings_of_the_user() -> Iterator[None]:
    """Without the variables by which a user's own pytest would be told to leave something out."""
    kept = {name: os.environ.pop(name) for name in _VARIABLES if name in os.environ}
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        os.environ.update(kept)
