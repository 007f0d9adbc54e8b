"""Start an agent for one run: private folders, a listening port, the program on its terminal.

Nothing here needs an event loop: the port listens before the server runs, so the agent can
start while the rest of qa is still being loaded; its first request waits in the backlog.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.containment import processes, real_home, sandbox
from harness.containment.leftover import claim
from harness.containment.namespaces import listen
from harness.containment.watchdog import Job as WatchdogJob
from harness.containment.watchdog import Watchdog
from harness.recorder import Recorder
from harness.terminal.pty import COLUMNS, ROWS, Terminal

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping, Sequence

    from harness.agents.spec import AgentSpec
    from harness.containment.namespaces import Contained
    from harness.plan import Job
    from harness.redact import Masks
    from harness.serving import Serving


_TMPDIR = "set TMPDIR to a folder that can be written"


class CannotStart(Exception):
    """The agent cannot be started; the message says why and what to do."""


@dataclass(slots=True, eq=False)
class Launch:
    """A started agent and everything that belongs to its run."""

    job: Job
    folder: Path
    box: sandbox.Sandbox
    port: socket.socket
    contained: Contained | None
    not_contained: str
    terminal: Terminal
    recorder: Recorder
    masks: Masks
    variables: Mapping[str, str]
    session_glob: str
    home_before: Mapping[str, str]
    started_s: float
    watchdog: Watchdog

    def abandon(self) -> None:
        """End the agent and remove everything, evidence too: the run was never made."""
        self.end_processes()
        self.terminal.close()
        self.recorder.close(time.monotonic())
        self.close_port()
        self.box.remove()
        self.watchdog.release(self.box.token)
        shutil.rmtree(self.folder, ignore_errors=True)

    def end_processes(self) -> set[int]:
        """Kill every process of the run; give those that were found."""
        keeper = self.contained.keeper if self.contained else None
        return processes.end(self.box.token, self.terminal.pid, str(self.box.root), keeper)

    def close_port(self) -> None:
        """Listen no more, and give up the namespaces; the terminal is closed already."""
        self.port.close()
        if self.contained:
            self.contained.close()


def start(job: Job, run_folder: Path, watchdog: Watchdog) -> Launch:
    """Start the agent of a job; its evidence goes into a folder below ``run_folder``.

    Raises:
        CannotStart: If the program cannot be run, a seeded file has a forbidden path, or the evidence or the
            private folders cannot be made.
    """
    started_s = time.monotonic()
    home_before = real_home.fingerprint({*real_home.KNOWN_FOLDERS, *job.spec.real_folders})
    token = os.urandom(8).hex()
    box = _new_sandbox(token)
    port, contained, refusal = listen(os.environ)
    try:
        variables = _variables(job, box, port, token)
        masks = sandbox.masks_of(box)
        session_glob = fill(job.spec.session_glob, {k: glob.escape(v) for k, v in variables.items()})
        folder, recorder = _new_recorder(run_folder, job.key, masks, started_s)
        cleaning = WatchdogJob(token, str(box.root), str(folder), session_glob, dict(masks.values))
        watchdog.watch(cleaning)
        _create(box, cleaning, watchdog.pid)
        terminal = _spawn(job, box, variables, recorder, contained)
    except BaseException:
        port.close()
        processes.end(token, folder=str(box.root), keeper=contained.keeper if contained else None)
        if contained:
            contained.close()
        box.remove()
        watchdog.release(token)
        raise
    return Launch(
        job=job,
        folder=folder,
        box=box,
        port=port,
        contained=contained,
        not_contained=refusal,
        terminal=terminal,
        recorder=recorder,
        masks=masks,
        variables=variables,
        session_glob=session_glob,
        home_before=home_before,
        started_s=started_s,
        watchdog=watchdog,
    )


def serve(job: Job, run_folder: Path, watchdog: Watchdog) -> Serving:
    """Start the agent of a job and begin to answer it.

    Raises:
        CannotStart: If it cannot be started.
    """
    # The agent starts first: it loads while the event loop and the server are loaded here.
    launch = start(job, run_folder, watchdog)
    try:
        from harness.serving import Serving

        kind = _in_terminal() if job.scenario.mode == "terminal" else Serving
        serving = kind(launch)
        serving.begin()
    except BaseException:
        launch.abandon()
        raise
    return serving


def _in_terminal() -> type[Serving]:
    from harness.terminal.ghostty_library import load_types

    load_types()
    from harness.driven import Driven  # loads the terminal emulator

    return Driven


def start_again(launch: Launch, prompt: str) -> None:
    """Start the agent once more in the same private folders, to go on with its session.

    Raises:
        CannotStart: If it cannot be started.
    """
    job, variables = launch.job, launch.variables
    asked = {**variables, "prompt": fill(prompt, {"nonce": variables["nonce"]})}
    argv, env = _command(job, launch.box, asked, job.spec.resume)
    launch.recorder.event(time.monotonic(), "agent", "start", {"argv": argv})
    launch.terminal.close()
    try:
        launch.terminal = _on_terminal(job.spec, argv, env, launch.box, launch.contained)
    except (OSError, ValueError) as error:
        raise CannotStart(f"agent '{job.spec.name}' cannot start: {error}") from error


def fill(template: str, variables: Mapping[str, str]) -> str:
    """Replace ``{name}`` for every known name; all other braces stay as they are.

    >>> fill('{"url": "{base_url}/v1", "n": {}}', {"base_url": "http://x"})
    '{"url": "http://x/v1", "n": {}}'
    """
    return re.sub(r"\{(\w+)\}", lambda m: variables.get(m.group(1), m.group()), template)


def _new_sandbox(token: str) -> sandbox.Sandbox:
    try:
        return sandbox.new_sandbox(token)
    except OSError as error:
        raise CannotStart(f"{error.strerror}\n  {_TMPDIR}") from None


def _create(box: sandbox.Sandbox, cleaning: WatchdogJob, watchdog: int) -> None:
    try:
        box.create()
        claim(box.root, (os.getpid(), watchdog), cleaning.evidence, cleaning.session_glob)
    except OSError as error:
        cause = f"cannot make the private folders of the run in {box.root.parent}: {error.strerror}"
        raise CannotStart(f"{cause}\n  {_TMPDIR}") from None


def _new_recorder(run_folder: Path, key: str, masks: Masks, started_s: float) -> tuple[Path, Recorder]:
    try:
        folder = _new_folder(run_folder, key)
        return folder, Recorder(folder, masks, (COLUMNS, ROWS), started_s)
    except OSError as error:
        raise CannotStart(f"the evidence cannot be kept in {run_folder}: {error.strerror}") from None


def _spawn(
    job: Job,
    box: sandbox.Sandbox,
    variables: Mapping[str, str],
    recorder: Recorder,
    contained: Contained | None,
) -> Terminal:
    spec = job.spec
    settings = spec.dialect(job.dialect)
    if settings is None:
        raise CannotStart(f"agent '{spec.name}' does not speak '{job.dialect}'")
    files = {Path(fill(path, variables)): fill(text, variables) for path, text in spec.files.items()}
    files |= {box.work / path: fill(text, variables) for path, text in job.scenario.files.items()}
    terminal = spec.terminal if job.scenario.mode == "terminal" else None
    argv, env = _command(job, box, variables, terminal.args if terminal else spec.one_shot)
    recorder.write("command.json", {"argv": argv, "cwd": str(box.work), "env": dict(sorted(env.items()))})
    recorder.event(time.monotonic(), "agent", "start", {"argv": argv})
    try:
        sandbox.seed(box, files)
        return _on_terminal(spec, argv, env, box, contained)
    except (OSError, ValueError) as error:
        raise CannotStart(f"agent '{spec.name}' cannot start: {error}") from error


def _on_terminal(
    spec: AgentSpec,
    argv: Sequence[str],
    env: Mapping[str, str],
    box: sandbox.Sandbox,
    contained: Contained | None,
) -> Terminal:
    check_words(argv, env)
    cwd = str(box.work)
    if contained is None:
        return Terminal(argv, env, cwd)
    with contained.starting(cwd, str(box.own_tmp) if spec.own_tmp else "") as before:
        return Terminal(argv, env, cwd, before)


def check_words(argv: Sequence[str], env: Mapping[str, str]) -> None:
    """Refuse here, and not in the new process, what no program can be started with.

    Raises:
        ValueError: If there is such a word.
    """
    for name in env:
        if not name or "=" in name:
            raise ValueError(f"no variable of the environment can be named {name!a}")
    for word in (*argv, *env, *env.values()):
        try:
            is_passable = b"\0" not in os.fsencode(word)
        except UnicodeEncodeError:
            is_passable = False
        if not is_passable:
            raise ValueError(f"no argument or variable can hold the characters of {word[:60]!a}")


def _command(
    job: Job, box: sandbox.Sandbox, variables: Mapping[str, str], arguments: Sequence[str]
) -> tuple[list[str], dict[str, str]]:
    """The command line and the environment of a run with these arguments."""
    program, *fixed = job.argv
    words = (*fixed, *(job.guard_arguments or ()), *arguments)
    own = {name: fill(value, variables) for name, value in job.spec.env.items()}
    return [program, *(fill(word, variables) for word in words)], sandbox.environment(box, os.environ, own)


def _variables(job: Job, box: sandbox.Sandbox, port: socket.socket, token: str) -> dict[str, str]:
    nonce = f"qa{token[:8]}"
    return {
        **values(job.spec, job.dialect, box, str(port.getsockname()[1])),
        "nonce": nonce,
        "prompt": fill(job.scenario.prompt, {"nonce": nonce}),
    }


def values(spec: AgentSpec, dialect: str, box: sandbox.Sandbox, port: str) -> dict[str, str]:
    """What fills the templates of a description, for any run of the agent in these folders."""
    settings = spec.dialect(dialect)
    at = {"port": port, "base_url": f"http://127.0.0.1:{port}"}
    return {
        **at,
        "python": sys.executable,
        "key": box.key,
        "home": str(box.home),
        "work": str(box.work),
        "here": str(Path(spec.path).parent.absolute()),
        "model": spec.model,
        "dialect": dialect,
        **{name: fill(value, at) for name, value in (settings.variables if settings else {}).items()},
    }


def _new_folder(parent: Path, name: str) -> Path:
    """A folder of its own also for a run that is made twice."""
    number = 1
    while True:
        folder = parent / (name if number == 1 else f"{name}~{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            number += 1
        else:
            return folder
