"""``qa doctor``: whether an agent's description still says what the agent does."""

from __future__ import annotations

import subprocess  # the agent's own program, asked for its version
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from harness.agents.checkup import Fact, Probe, facts, last_lines, probes, switch_fact, took_the_turn
from harness.agents.locate import AgentMissingError, agent_names, find_program, load_agent
from harness.agents.version_probe import new_box, printed_version, watched
from harness.interrupts import INTERRUPTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harness.agents.spec import AgentSpec
    from harness.evidence import Evidence
    from harness.qa_session import QaSession
    from harness.results import ScenarioResult


class Section(NamedTuple):
    """The facts of one run; ``title`` is the mode and the dialect, and what was tried."""

    title: str
    facts: tuple[Fact, ...]

    @property
    def holds(self) -> bool:
        return all(fact.holds for fact in self.facts)


class Checked(NamedTuple):
    """What was found of one agent. ``missing`` says why nothing could be checked."""

    spec: AgentSpec
    sections: tuple[Section, ...] = ()
    missing: str = ""

    @property
    def exit_code(self) -> int:
        if self.missing:
            return 3
        return 0 if all(section.holds for section in self.sections) else 1


@click.command()
@click.option(
    "--agent",
    "names",
    multiple=True,
    metavar="NAME",
    help="Check this agent (may be repeated).  [default: reference, without --installed]",
)
@click.option("--installed", is_flag=True, help="Check every agent that is installed.")
@click.option("--dialect", default="all", show_default=True, help="Only this wire format.")
@click.option("--agent-bin", "programs", multiple=True, metavar="NAME=PATH", help="Use this program.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the evidence of the runs in this folder.")
@click.option("--page", type=click.Path(path_type=Path), help="Also write what was found to this file.")
def doctor(
    names: tuple[str, ...],
    installed: bool,  # noqa: FBT001 - click passes it by name
    dialect: str,
    programs: tuple[str, ...],
    keep: Path | None,
    page: Path | None,
) -> None:
    """Make one small turn in each mode and dialect, and one with a tool.

    Says which fact of the description does not hold. Exit codes: 0 all hold, 1 one does not, 3 the
    agent is not installed.
    """
    here, gone = _installed() if installed else ([], [])
    wanted = [*names, *here] or ["reference"]
    checked: list[Checked] = []
    with INTERRUPTS.installed():
        checked += [_check(name, dialect, programs, keep) for name in dict.fromkeys(wanted)]
    click.echo(summary(checked))
    if page is not None:
        _write_page(page, [*checked, *gone], "qa doctor " + ("--installed" if installed else _again(names)))
    sys.exit(max(found.exit_code for found in checked))


def _again(names: Sequence[str]) -> str:
    return " ".join(f"--agent {name}" for name in names)


def _write_page(page: Path, checked: Sequence[Checked], command: str) -> None:
    from datetime import UTC, datetime

    from harness.agents.checked_page import render_page
    from harness.problems import CannotRun

    found = [(c.spec, [(s.title, s.facts) for s in c.sections], c.missing) for c in checked]
    text = render_page(found, datetime.now(UTC).date().isoformat(), f"{command} --page {page}")
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotRun(f"cannot write {page}: {error.strerror}\n  name another file with --page") from None


class _Telling:
    """Says what is found of one agent as it is found. What to do is said once for each key."""

    def __init__(self, spec: AgentSpec) -> None:
        from harness.commands.live_line import LiveLine

        self.live = LiveLine()
        self._spec = spec
        self._wrong: dict[str, None] = {}
        click.echo(f"{spec.name}  {spec.install.version or spec.install.source}")

    def section(self, title: str, found: Callable[[], Sequence[Fact]]) -> Section:
        """Show the title, find the facts, and show them."""
        click.echo(f"  {title}")
        try:
            section = Section(title, tuple(found()))
        finally:
            self.live.tell("")
        width = max((len(fact.key) for fact in section.facts), default=0)
        for fact in section.facts:
            click.echo(f"    {'✓' if fact.holds else '✗'} {fact.key:{width}}  {fact.seen}")
            if not fact.holds:
                self._explain(fact)
        return section

    def _explain(self, fact: Fact) -> None:
        from harness.agents.cures import cure

        for line in (*fact.lines, "" if fact.key in self._wrong else cure(fact.key)):
            if line:
                click.echo(f"        {line}")
        self._wrong[fact.key] = None

    def say(self, line: str) -> None:
        """Say something else."""
        click.echo(line)

    def waiting(self, what: str) -> None:
        """Show what a run in a terminal waits for."""
        self.live.tell(f"    waiting: {what}" if what else "")

    def missing(self, why: str) -> None:
        """Say why nothing can be checked."""
        click.echo("\n".join([*(f"  {line.strip()}" for line in why.splitlines()), ""]))

    def end(self) -> None:
        """Name what does not hold, with the place of the description."""
        if self._wrong:
            click.echo(f"  does not hold in {self._spec.path}: {', '.join(self._wrong)}")
        click.echo()


def summary(checked: Sequence[Checked]) -> str:
    """One line: how many descriptions hold, and which do not."""
    wrong = [found.spec.name for found in checked if found.exit_code == 1]
    missing = [found.spec.name for found in checked if found.missing]
    holding = len(checked) - len(wrong) - len(missing)
    parts = [f"{holding} of {len(checked)} {'agents' if len(checked) > 1 else 'agent'} as described"]
    parts += [f"not as described: {', '.join(wrong)}"] if wrong else []
    parts += [f"not installed: {', '.join(missing)}"] if missing else []
    return "; ".join(parts)


def _installed() -> tuple[list[str], list[Checked]]:
    """The names of what is installed, and why the others are not checked."""
    here: list[str] = []
    gone: list[Checked] = []
    for name in agent_names():
        spec = load_agent(name)
        try:
            find_program(spec)
        except AgentMissingError as error:
            gone.append(Checked(spec, missing=str(error)))
        else:
            here.append(name)
    return here, gone


def _check(name: str, dialect: str, programs: Sequence[str], keep: Path | None) -> Checked:
    from harness.qa_session import open_session

    spec = load_agent(name)
    telling = _Telling(spec)
    box = new_box()
    try:
        session = open_session(name, programs=programs, dialect=dialect, runs=keep or box.root)
    except AgentMissingError as error:
        telling.missing(str(error))
        return Checked(spec, missing=str(error))
    with closing(session), watched(session, box):
        sections = [telling.section("version", lambda: [_version(session)])]
        for spoken in session.dialects:
            sections += _runs(session, spoken, telling)
        if all(section.holds for section in sections):
            sections += _switched(session, session.dialects[0], telling)
    telling.end()
    return Checked(spec, tuple(sections))


def _runs(session: QaSession, dialect: str, telling: _Telling) -> list[Section]:
    """One section for each probe, until a request beside the conversation upsets the rest too."""
    sections = []
    for probe in probes(session.spec):
        title = f"{probe.mode}, {dialect}, {probe.title}"
        sections.append(telling.section(title, partial(_probe, session, dialect, probe, telling.waiting)))
        if took_the_turn(sections[-1].facts):
            telling.say("  the other runs are left out until it is described")
            break
    return sections


def _switched(session: QaSession, dialect: str, telling: _Telling) -> list[Section]:
    """One section with a turn for each switch of the guards, where there is one."""
    from harness.agents.switches import switches

    def found() -> list[Fact]:
        return [_switch(session, dialect, *each) for each in every]

    every = [*switches(session.spec)]
    return [telling.section(f"one-shot, {dialect}, guards switched", found)] if every else []


def _switch(session: QaSession, dialect: str, key: str, words: Sequence[str], spec: AgentSpec) -> Fact:
    result, evidence = _made(session, dialect, Probe("one-shot", tool=False), spec)
    return switch_fact(key, words, evidence, result.problem)


def _made(
    session: QaSession,
    dialect: str,
    probe: Probe,
    spec: AgentSpec,
    waiting: Callable[[str], None] | None = None,
) -> tuple[ScenarioResult, Evidence | None]:
    from harness.plan import Job
    from harness.runner import run_job
    from harness.scenario_yaml import parse_scenario

    text = probe.scenario
    scenario = parse_scenario(text, f"{text.split()[1]}.yaml")
    job = Job(scenario, spec, session.argv, dialect)
    seen: list[Evidence] = []
    result = run_job(job, session.folder, session.watchdog, look=seen.append, waiting=waiting)
    return result, seen[0] if seen else None


def _probe(session: QaSession, dialect: str, probe: Probe, waiting: Callable[[str], None]) -> list[Fact]:
    result, evidence = _made(session, dialect, probe, session.spec, waiting)
    found = facts(probe, session.spec, dialect, evidence, result.steps) if evidence else []
    killed = tuple(note for note in result.notes if note.startswith("the agent did not end"))
    found = [f._replace(lines=killed) if f.key == "terminal.quit" and not f.holds else f for f in found]
    if result.verdict == "error":
        first = result.problem.partition("\n")[0]
        key = "session.reader" if first.startswith("session file ") else "command"
        if key == "session.reader" or all(fact.holds for fact in found):
            found = [fact for fact in found if fact.key != key] + [Fact(key, holds=False, seen=first)]
    found += [Fact("daemons", session.spec.daemons, note) for note in result.notes if "outlived" in note]
    return found


def _version(session: QaSession) -> Fact:
    """What the program says of its version, in a home of its own; else what its package says."""
    if not session.spec.version_probe:
        return _package_version(session)
    wanted = session.spec.install.version
    key = "install.version" if wanted else "version_probe"
    try:
        printed = printed_version(session)
    except (OSError, subprocess.TimeoutExpired) as error:
        return Fact("version_probe", holds=False, seen=str(error))
    if printed.code != 0:
        return Fact(key, holds=False, seen=f"exit code {printed.code}; {last_lines(printed.text)}")
    return Fact(key, wanted in printed.text, " ".join(printed.text.split())[:120])


def _package_version(session: QaSession) -> Fact:
    from harness.agents.locate import package_version

    install = session.spec.install
    if not install.package:
        return Fact("version_probe", holds=True, seen="none: this program does not say its version")
    found = package_version(Path(session.argv[0]), install.package) or "unknown"
    return Fact("install.version", found == install.version, f"{found}, as its package says")
