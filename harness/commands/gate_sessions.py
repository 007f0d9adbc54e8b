"""The agents of a gate: a session for each that can be started, a finding for each that cannot."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from harness.problems import CannotRun, UserError
from harness.results import Change

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from harness.gate.baseline_file import GateFile
    from harness.qa_session import QaSession


class Sessions(NamedTuple):
    """What can be run, and which agents are missing here."""

    found: tuple[QaSession, ...]
    missing: tuple[Change, ...]


def open_sessions(known: GateFile, programs: Sequence[str], runs: Path | None, settings: Path) -> Sessions:
    """A session for each agent of the gate.

    Args:
        known: The settings, with what the command line says in their place.
        programs: Words ``NAME=PATH`` of the command line.
        runs: Where evidence goes; None for the usual folder.
        settings: The file of the settings, for messages.

    Raises:
        UserError: If an agent is unknown, or does not speak the dialect.
    """
    from harness.qa_session import BadOption

    found, missing = [], []
    for agent in known.agents:
        try:
            found.append(_session(agent, programs, known, runs))
        except CannotRun as error:
            first = str(error).splitlines()[0]
            missing.append(Change("could-not-run", "fails", "every scenario", agent, "", first))
        except UserError as error:
            word = known.dialect if isinstance(error, BadOption) and known.dialect else agent
            raise UserError("\n  ".join([str(error), *named_by(settings, word)])) from None
    return Sessions(tuple(found), tuple(missing))


def programs_of(agent: str, programs: Sequence[str]) -> list[str]:
    """The programs of the command line that are this agent's."""
    from harness.agents.locate import load_agent

    if not programs:
        return []
    name = load_agent(agent).name
    return [word for word in programs if word.partition("=")[0] == name]


def _session(agent: str, programs: Sequence[str], known: GateFile, runs: Path | None) -> QaSession:
    from harness.qa_session import open_session

    own = programs_of(agent, programs)
    session = open_session(agent, programs=own, dialect=known.dialect or None, runs=runs, controls=True)
    session.is_alone = True
    return session


def named_by(settings: Path, word: str) -> list[str]:
    """Where in the settings a word stands that cannot be used, as a line of a message, if it does."""
    from harness.files import read_text
    from harness.gate.baseline_file import MARK

    head = (read_text(settings) or "").partition(MARK)[0]
    for number, line in enumerate(head.splitlines(), 1):
        match = re.search(rf"(?<![\w./-]){re.escape(word)}(?![\w./-])", line)
        if match and re.match(r"(agents|detector|dialect|tags)\s*:|\s*-", line):
            return [f"{settings}:{number}:{match.start() + 1} names it"]
    return []
