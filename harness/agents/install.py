"""Put the pinned version of an agent into its private prefix.

npm or pip writes into a hidden sibling folder, which is renamed when the right version is really in it. So a
prefix is whole or it is not there, however the installation ends.
"""

from __future__ import annotations

import fcntl
import json
import os
import shlex
import shutil
import signal
import subprocess  # npm and pip, called with argument lists of the description
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from harness.agents.locate import environment_version, prefix_folder, program_path, runtime_path
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
VENV_OPTIONS: tuple[str, ...] = ()
PIP_OPTIONS = ("--no-input", "--disable-pip-version-check", "--quiet", "--progress-bar=off")


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
        spec: An agent whose install source is npm or PyPI.
        cache: The folder that holds ``agents/``.
        tell: Hears the phase and the seconds since its start, about once a second.
        timeout_s: Each command is stopped after this time.

    Raises:
        InstallError: npm or pip is missing, failed, took too long, or delivered another version; or the
            cache cannot be written.
    """
    if not spec.install.is_ours:
        raise InstallError(spec.name, f"no installer for source '{spec.install.source}'")
    prefix = prefix_folder(spec, cache)
    try:
        prefix.parent.mkdir(parents=True, exist_ok=True)
        with _locked(prefix.parent / f".{prefix.name}.lock", tell) as lock:
            _remove_leftovers(prefix)
            if mistake_in(spec, prefix):
                run = _Installer(spec, lock, tell, timeout_s)
                _replace(spec, prefix, run.npm if spec.install.source == "npm" else run.pip)
    except OSError as error:
        reason = f"cannot write {error.filename or prefix}: {error.strerror}"
        raise InstallError(spec.name, reason, cure="TTSR_QA_CACHE names another folder") from error
    return prefix / program_path(spec)


def mistake_in(spec: AgentSpec, prefix: Path) -> str:
    """What is wrong with a prefix, or an empty text: the pinned version and its program are there."""
    found = installed_version(spec, prefix)
    wanted = spec.install.pinned
    if found != spec.install.version:
        return f"wanted {wanted}, found {'no such package' if found is None else found}"
    if not os.access(prefix / program_path(spec), os.X_OK):
        return f"{wanted} has no program '{spec.command[0]}'"
    runtime = runtime_path(spec)
    if runtime is not None and not os.access(prefix / runtime, os.X_OK):
        return f"{spec.install.runtime} has no program '{runtime.name}'"
    return ""


def installed_version(spec: AgentSpec, prefix: Path) -> str | None:
    """The version of the agent's package below a prefix, or None."""
    if spec.install.source == "pypi":
        return environment_version(prefix, spec.install.package)
    try:
        found = json.loads((prefix / "node_modules" / spec.install.package / "package.json").read_bytes())
    except (OSError, ValueError):
        return None
    return str(found.get("version")) if isinstance(found, dict) else None


@contextmanager
def _locked(path: Path, tell: Callable[[Phase, float], None]) -> Iterator[int]:
    """Hold a lock file. What is started inherits it: if qa is killed, the lock lasts until npm is gone."""
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
            tool = "npm" if spec.install.source == "npm" else "pip"
            raise InstallError(spec.name, f"{tool} delivered something else: {mistake}")
        shutil.rmtree(prefix, ignore_errors=True)
        fresh.rename(prefix)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


class _Installer:
    """Runs the commands of one installation, each in its own process group."""

    def __init__(
        self, spec: AgentSpec, lock: int, tell: Callable[[Phase, float], None], timeout_s: float
    ) -> None:
        self._spec = spec
        self._lock = lock
        self._tell = tell
        self._timeout_s = timeout_s

    def npm(self, folder: Path) -> None:
        """Install with npm; then run the installation scripts that the description allows."""
        npm = shutil.which("npm")
        if npm is None:
            cure = "install Node.js 20 or newer, which brings npm"
            raise InstallError(self._spec.name, "no program 'npm' on PATH", cure=cure)
        install = self._spec.install
        packages = [*filter(None, (install.runtime,)), *install.also, install.pinned]
        by_hand = f"npm install --prefix /tmp/{self._spec.name} {shlex.join(packages)}"
        self._run([npm, "install", "--prefix", str(folder), *NPM_OPTIONS, *packages], folder, by_hand)
        if install.scripts:
            options = [option for option in NPM_OPTIONS if option != "--ignore-scripts"]
            with tempfile.TemporaryDirectory(dir=folder, prefix=".scripts-") as home:
                options.append(f"--script-shell={_shell_at_home(Path(home))}")
                self._run(
                    [npm, "rebuild", "--prefix", str(folder), *options, *install.scripts], folder, by_hand
                )

    def pip(self, folder: Path) -> None:
        """Install with pip into a new virtual environment, whose scripts then name its final place."""
        install = self._spec.install
        packages = [install.pinned, *install.also]
        by_hand = f"python3 -m venv /tmp/{self._spec.name} && /tmp/{self._spec.name}/bin/pip install "
        by_hand += shlex.join(packages)
        self._run([sys.executable, "-m", "venv", *VENV_OPTIONS, str(folder)], folder, by_hand)
        self._run(
            [str(folder / "bin/python"), "-m", "pip", "install", *PIP_OPTIONS, *packages], folder, by_hand
        )
        _move_scripts(folder, folder.parent / f"{self._spec.name}-{install.version}")

    def _run(self, argv: list[str], folder: Path, by_hand: str) -> None:
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(  # noqa: S603 - npm or pip, arguments from the description
                argv,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=(self._lock,),
                start_new_session=True,
            )
            try:
                code = _wait(process, self._tell, self._timeout_s)
            finally:
                _end_group(process)
            if code == 0:
                return
            output.seek(0)
            lines = output.read().decode(errors="replace").strip().splitlines()
            late = f"not finished within {self._timeout_s:.1f} s"
            ending = late if code is None else f"exit code {code}"
            tool = "npm" if self._spec.install.source == "npm" else "pip"
            failed = f"{tool} failed, {ending}"
            raise InstallError(
                self._spec.name, failed, tuple(lines[-SHOWN_LINES:]), f"run it by hand: {by_hand}"
            )


def _shell_at_home(home: Path) -> Path:
    """A shell for the scripts of packages: their home and their temporary files are in a private folder.

    npm itself keeps the user's home, and with it the settings of its registry.
    """
    shell = home / "sh"
    # The Node.js that runs npm is found first: what a version manager has put on PATH looks into the home.
    node = '${npm_node_execpath:+"${npm_node_execpath%/*}:"}'
    lines = (
        "#!/bin/sh",
        f'export HOME={shlex.quote(str(home))} TMPDIR={shlex.quote(str(home))} PATH={node}"$PATH"',
        "unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME",
        'exec /bin/sh "$@"',
    )
    shell.write_text("\n".join(lines) + "\n", encoding="utf-8")
    shell.chmod(0o700)
    return shell


def _move_scripts(folder: Path, place: Path) -> None:
    """Let the scripts of an environment name the folder that it is renamed to."""
    for script in (folder / "bin").iterdir():
        if script.is_symlink() or not script.is_file():
            continue
        content = script.read_bytes()
        if content.startswith(b"#!"):
            script.write_bytes(content.replace(bytes(folder), bytes(place)))


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
    """End a command with everything it started, also after an interrupt."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
