"""``qa watch``: run again what a change touches."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.problems import CannotRun, UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.gate.baseline_file import GateFile
    from harness.gate.touched import Touched

_IGNORED = frozenset({".git", ".qa", "__pycache__", ".venv", "node_modules", ".mypy_cache", ".pytest_cache"})
_DEBOUNCE_MS = 400
_IDLE_MS = 500


@click.command()
@click.argument("names", nargs=-1)
@click.option(
    "--baseline", type=click.Path(path_type=Path), default=Path("gate.yaml"), show_default=True,
    help="It says which files are the detector, and the agents.",
)  # fmt: skip
@click.option("--detector", multiple=True, metavar="GLOB", help="Files that are the detector.")
@click.option("--tag", "tags", multiple=True, help="Only scenarios with this tag.")
@click.option("--agent", "agents", multiple=True, help="Agents.  [default: gate.yaml's, or reference]")
@click.option("--agent-bin", "programs", multiple=True, metavar="NAME=PATH", help="The agent's program.")
@click.option("--controls", is_flag=True, help="Run the negative controls too.")
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="So many runs at a time.",
)
@click.option("--now", is_flag=True, help="Run everything once at the start.")
def watch(
    names: tuple[str, ...],
    baseline: Path,
    detector: tuple[str, ...],
    tags: tuple[str, ...],
    agents: tuple[str, ...],
    programs: tuple[str, ...],
    jobs: int,
    *,
    controls: bool,
    now: bool,
) -> None:
    """Wait for changes below this folder, and run what they touch with 'qa run' each time.

    A scenario's own file, or one that it reads, touches that scenario; a file of the detector touches all,
    and so does the description of an agent. Which files are the detector is said by gate.yaml or --detector,
    the agents and the dialect by gate.yaml. Ends with Ctrl-C.
    """
    settings = _settings(baseline)
    settings = settings._replace(agents=agents or settings.agents, detector=detector or settings.detector)
    globs = settings.detector
    words = ["--jobs", str(jobs), *["--controls"] * controls]
    words += ["--dialect", settings.dialect] if settings.dialect else []
    runs = [[*words, "--agent", agent, *_programs(agent, programs)] for agent in settings.agents]
    changes = _changes(Path.cwd())
    try:
        if now:
            _run([str(path) for path in _selected(names, tags)], runs)
        early = next(changes)
        what = f"the detector ({', '.join(globs)}) or a scenario" if globs else "a scenario"
        click.echo(f"waiting for changes of {what}; Ctrl-C ends")
        for changed in chain([early], changes):
            sys.stdout.flush()
            if changed:
                _react(changed, settings, names, tags, runs)
    except KeyboardInterrupt:
        click.echo("ended")


def _programs(agent: str, programs: Sequence[str]) -> list[str]:
    from harness.commands.gate_sessions import programs_of

    return [word for program in programs_of(agent, programs) for word in ("--agent-bin", program)]


def _settings(path: Path) -> GateFile:
    from harness.gate.baseline_file import GateFile, parse_gate

    return parse_gate(path.read_bytes(), str(path)) if path.exists() else GateFile()


def _selected(names: Sequence[str], tags: Sequence[str]) -> list[Path]:
    """The files of the selection, found anew each time: a scenario may be new or wrong by now."""
    from harness.find_scenarios import all_scenarios, find
    from harness.scenario_yaml import load_scenario

    paths = find(names, Path.cwd()) if names else all_scenarios(Path.cwd())
    return [path for path in paths if not tags or set(tags) & set(load_scenario(path).tags)]


def _react(
    changed: Iterable[str],
    settings: GateFile,
    names: Sequence[str],
    tags: Sequence[str],
    runs: Sequence[Sequence[str]],
) -> None:
    try:
        paths = {str(path): path for path in _selected(names, tags)}
    except UserError as error:
        click.echo(str(error), err=True)
        return
    found = _touched(changed, paths, settings)
    if found.names:
        click.echo(f"\n{found.why}: {len(found.names)} of {len(paths)} scenarios")
        _run(sorted(found.names), runs)


def _touched(changed: Iterable[str], paths: dict[str, Path], settings: GateFile) -> Touched:
    from harness.gate.touched import owns, touched
    from harness.scenario_files import descriptions_of, files_of

    files = {name: files_of(path, Path.cwd()) for name, path in paths.items()}
    shared = descriptions_of(settings.agents, Path.cwd())
    # Without globs, other files say nothing here: editors and builds write many.
    if not settings.detector:
        known = [*files.values(), shared]
        changed = [path for path in changed if any(owns(own, path) for own in known)]
    return touched(changed, files, settings.detector, shared)


def _run(paths: Sequence[str], runs: Sequence[Sequence[str]]) -> None:
    """One agent after the other, in processes of their own: the code that is run may be what has changed."""
    codes = []
    for words in runs:
        sys.stdout.flush()
        command = [sys.executable, "-m", "harness.cli", "run", *paths, *words]
        codes.append(str(subprocess.run(command, check=False).returncode))  # noqa: S603  our own program
    click.echo(f"exit code {', '.join(codes)}; waiting for changes")


def _changes(folder: Path) -> Iterator[set[str]]:
    """Sets of changed paths, relative to the folder; an empty one when nothing changed for a while.

    Once the first has come, no later change is missed.
    """
    try:
        from watchfiles import DefaultFilter
        from watchfiles import watch as changes
    except ImportError:
        cure = "pip install 'ttsr-qa[watch]'"
        raise CannotRun(f"'qa watch' needs the package watchfiles\n  {cure}") from None
    found = changes(
        folder,
        watch_filter=DefaultFilter(ignore_dirs=tuple(_IGNORED)),
        debounce=_DEBOUNCE_MS,
        step=50,
        rust_timeout=_IDLE_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
    )
    return ({os.path.relpath(path, folder) for _kind, path in batch} for batch in found)
