"""``qa agents``: what can be tested here, and how to get it."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.agents.locate import (
    AgentMissingError,
    agent_names,
    cache_folder,
    find_program,
    load_agent,
    package_version,
)
from harness.problems import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.agents.spec import AgentSpec, OtherGuard


@click.group(invoke_without_command=True)
@click.pass_context
def agents(context: click.Context) -> None:
    """List the agent CLIs that can be tested, and what is installed of them."""
    if context.invoked_subcommand is None:
        click.echo(render_table([_row(load_agent(name)) for name in agent_names()]))


@agents.command(short_help="Put the pinned version of agents into the cache.")
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
def install(names: tuple[str, ...]) -> None:
    """Put the pinned version of agents into a private folder of the user's cache.

    The cache is ~/.cache/ttsr-qa, or what TTSR_QA_CACHE names; 'qa agents' lists the names.
    """
    try:
        specs = [load_agent(name) for name in dict.fromkeys(names)]
    except UserError as error:
        click.echo(str(error), err=True)
        sys.exit(error.exit_code)
    # Each is tried, also after one that failed.
    sys.exit(max([_install(spec) for spec in specs]))


def render_table(rows: Sequence[Sequence[str]]) -> str:
    """The rows below a heading, columns aligned."""
    heading = ("agent", "pinned", "here", "dialects", "guards")
    table = [heading, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(heading))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in table]
    return "\n".join(line.rstrip() for line in lines)


def _row(spec: AgentSpec) -> tuple[str, ...]:
    pinned = spec.install.version or spec.install.source
    dialects = ", ".join(dialect.name for dialect in spec.dialects)
    guards = ", ".join([*spec.guard.rules, *(_guard(guard) for guard in spec.guards)])
    return (spec.name, pinned, _here(spec), dialects, guards or "none")


def _guard(guard: OtherGuard) -> str:
    return guard.name if guard.default == "on" else f"{guard.name} (off)"


def _here(spec: AgentSpec) -> str:
    """What a run would use: a version, and where it was found if not in the private prefix."""
    try:
        program = find_program(spec)
    except AgentMissingError:
        return "no"
    if program.source == "embedded":
        return "yes"
    if spec.install.source == "own":
        return program.argv[0]
    version = package_version(Path(program.file or program.argv[0]), spec.install.package)
    version = version or "unknown version"
    return version if program.source == "installed" else f"{version} (on PATH)"


def _install(spec: AgentSpec) -> int:
    """Install one agent and say so; the exit code."""
    from harness.agents.install import InstallError, install_agent

    if not spec.install.is_ours:
        return _nothing_to_install(spec)
    line = _ProgressLine(spec, live=sys.stderr.isatty())
    try:
        program = install_agent(spec, cache_folder(), line.tell)
    except InstallError as error:
        line.end()
        click.echo(str(error), err=True)
        return error.exit_code
    line.end()
    click.echo(f"{spec.name} {spec.install.version} is installed: {program}")
    return 0


def _nothing_to_install(spec: AgentSpec) -> int:
    """Say whose program it is and where it is found; 3 when it is not there."""
    if spec.install.source == "embedded":
        click.echo(f"{spec.name} is part of qa: nothing to install")
        return 0
    try:
        here = str(Path(spec.path).parent.absolute())
        program = shlex.join(word.replace("{here}", here) for word in find_program(spec).argv)
    except AgentMissingError as error:
        click.echo(f"{error}\n  it is your own program: qa installs nothing for it", err=True)
        return error.exit_code
    click.echo(f"{spec.name} is your own program, qa installs nothing for it: {program}")
    return 0


class _ProgressLine:
    """One line that counts seconds on a terminal; elsewhere one plain line for each phase."""

    def __init__(self, spec: AgentSpec, *, live: bool) -> None:
        self._spec = spec
        self._live = live
        self._shown = ""

    def tell(self, phase: str, elapsed_s: float) -> None:
        text = self._text(phase)
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            click.echo(f"\r\x1b[2K{f'{text} {elapsed_s:.0f} s'[:width]}", nl=False, err=True)
        elif text != self._shown:
            click.echo(text, err=True)
        self._shown = text

    def end(self) -> None:
        """Take the live line away: a result follows."""
        if self._live and self._shown:
            click.echo("\r\x1b[2K", nl=False, err=True)

    def _text(self, phase: str) -> str:
        install = self._spec.install
        if phase == "waiting":
            return f"waiting for another installation of {self._spec.name} ..."
        size = f", about {install.size_mb} MB" if install.size_mb else ""
        return f"installing {self._spec.name}: {install.source} {install.pinned}{size} ..."
