"""Put the pinned version of an agent into its private prefix.

npm writes into a hidden sibling folder, which is renamed when the right version is really in it. So a
prefix is whole or it is not there, however the installation ends.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess  # npm is a program of the user's, called with a fixed argument list
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from harness.agents.locate import prefix_folder, program_path
from harness.problems import CannotRun

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness.agents.spec import AgentSpec

Phase = Literal["waiting", "installing"]

TIMEOUT_S = 900.0
SHOWN_LINES = 15

# Scripts of packages do not run: an agent that is under test gets no say at installation time.
NPM_OPTIONS = (
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--no-progress",
    "--loglevel=error",
)


class InstallError(CannotRun):
    """An agent could not be installed; the text says why and what to do."""

    def __init__(self, agent: str, reason: str, evidence: tuple[str, ...] = (), cure: str = "") -> None:
        super().__init__(agent, reason, evidence, cure)
        self.agent = agent
        self.reason = reason
        self.evidence = evidence
        self.cure = cure

    def __str__(self) -> str:
        lines = [f"agent '{self.agent}' cannot be installed: {self.reason}"]
        lines += [f"  | {line}" for line in self.evidence]
        return "\n".join([*lines, *([f"  {self.cure}"] if self.cure else [])])


def install_agent(
    spec: AgentSpec, cache: Path, tell: Callable[[Phase, float], None], timeout_s: float = TIMEOUT_S
) -> Path:
    """Install the pinned version and return its program; at once when it is already there.

    Safe against other installations at the same time: the second one waits for the first.

    Args:
        spec: An agent whose install source is npm.
        cache: The folder that holds ``agents/``.
        tell: Hears the phase and the seconds since its start, about once a second.
        timeout_s: npm is stopped after this time.

    Raises:
        InstallError: npm is missing, failed, took too long, or delivered another version.
    """
    if spec.install.source != "npm":
        raise InstallError(spec.name, f"no installer for source '{spec.install.source}'")
    prefix = prefix_folder(spec, cache)
    prefix.parent.mkdir(parents=True, exist_ok=True)
    with _locked(prefix.parent / f".{prefix.name}.lock", tell) as lock:
        _remove_leftovers(prefix)
        if mistake_in(spec, prefix):
            _replace(spec, prefix, lambda fresh: _run_npm(spec, fresh, lock, tell, timeout_s))
    return prefix / program_path(spec)


def mistake_in(spec: AgentSpec, prefix: Path) -> str:
    """What is wrong with a prefix, or an empty text: the pinned version and its program are there."""
    found = installed_version(spec, prefix)
    wanted = f"{spec.install.package}@{spec.install.version}"
    if found != spec.install.version:
        return f"wanted {wanted}, found {'no such package' if found is None else found}"
    if not os.access(prefix / program_path(spec), os.X_OK):
        return f"{wanted} has no program '{spec.command[0]}'"
    return ""


def installed_version(spec: AgentSpec, prefix: Path) -> str | None:
    """The version of the agent's package below a prefix, or None."""
    try:
        found = json.loads((prefix / "node_modules" / spec.install.package / "package.json").read_bytes())
    except (OSError, ValueError):
        return None
    return str(found.get("version")) if isinstance(found, dict) else None


@contextmanager
def _locked(path: Path, tell: Callable[[Phase, float], None]) -> Iterator[int]:
    """Hold a lock file. npm inherits its descriptor: if qa is killed, the lock lasts until npm is gone."""
    with path.open("w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell("waiting", 0.0)
            fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield lock.fileno()
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)


def _remove_leftovers(prefix: Path) -> None:
    """Remove what killed installations left; nobody else works there while the lock is held."""
    for folder in prefix.parent.glob(f".{prefix.name}.*.part"):
        shutil.rmtree(folder, ignore_errors=True)


def _replace(spec: AgentSpec, prefix: Path, fill: Callable[[Path], None]) -> None:
    """Fill a fresh sibling, check it, and let it take the place of the prefix."""
    fresh = Path(tempfile.mkdtemp(prefix=f".{prefix.name}.", suffix=".part", dir=prefix.parent))
    try:
        fill(fresh)
        if mistake := mistake_in(spec, fresh):
            raise InstallError(spec.name, f"npm delivered something else: {mistake}")
        shutil.rmtree(prefix, ignore_errors=True)
        fresh.rename(prefix)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _run_npm(
    spec: AgentSpec, folder: Path, lock: int, tell: Callable[[Phase, float], None], timeout_s: float
) -> None:
    """Run npm in its own process group and wait, telling how long it takes."""
    npm = shutil.which("npm")
    if npm is None:
        raise InstallError(
            spec.name, "no program 'npm' on PATH", cure="install Node.js 20 or newer, which brings npm"
        )
    package = f"{spec.install.package}@{spec.install.version}"
    argv = [npm, "install", "--prefix", str(folder), *NPM_OPTIONS, package]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(  # noqa: S603 - the user's npm, arguments from the description
            argv,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=(lock,),
            start_new_session=True,
        )
        try:
            code = _wait(process, tell, timeout_s)
        finally:
            _end_group(process)
        if code != 0:
            output.seek(0)
            lines = output.read().decode(errors="replace").strip().splitlines()
            ending = f"exit code {code}" if code is not None else f"not finished within {timeout_s:.1f} s"
            cure = f"run it by hand: npm install --prefix /tmp/{spec.name} {package}"
            raise InstallError(spec.name, f"npm failed, {ending}", tuple(lines[-SHOWN_LINES:]), cure)


def _wait(
    process: subprocess.Popen[bytes], tell: Callable[[Phase, float], None], timeout_s: float
) -> int | None:
    """The exit code, or None when the time is over."""
    started_s = time.monotonic()
    while (elapsed_s := time.monotonic() - started_s) < timeout_s:
        tell("installing", elapsed_s)
        try:
            return process.wait(timeout=min(1.0, timeout_s - elapsed_s))
        except subprocess.TimeoutExpired:
            continue
    return None


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End npm with everything it started, also after an interrupt."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
