"""What a survey finds: one cell for each agent and scenario, and how they are put together and kept."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Kind = Literal["loop", "healthy"]
Outcome = Literal["stopped", "told", "never", "left-alone", "interrupted", "error"]
OUTCOMES: tuple[Outcome, ...] = ("stopped", "told", "never", "left-alone", "interrupted", "error")
FORMAT = 1


class Column(NamedTuple):
    """One agent as it was surveyed: ``label`` is the word that selects it again."""

    label: str
    version: str
    dialect: str
    mode: str


class Row(NamedTuple):
    """One scenario; ``looks`` is what the loop is in: ``text``, ``thinking``, ``tool`` or ``calls``."""

    name: str
    kind: Kind
    looks: str
    summary: str


class Cell(NamedTuple):
    """How one agent met one scenario.

    Attributes:
        agent: The label of its column.
        scenario: The name of its row.
        outcome: ``stopped`` or ``never`` of a loop; ``told`` where the model was told and nothing stopped;
            ``left-alone`` or ``interrupted`` of a healthy answer; ``error`` says nothing about the guard.
        at: Where it was stopped, in ``unit``, counted on the wire; None where no side shows that.
        of: How long the loop is, in ``unit``; 0 for one without an end.
        unit: ``characters`` of the stream that loops, or ``calls``.
        words: What the guard said, as it stood there.
        sides: What each side shows, ``wire: ...`` first.
        problem: Why it is an error, or what is doubtful.
        seconds: How long the run took.
    """

    agent: str
    scenario: str
    outcome: Outcome
    at: int | None = None
    of: int = 0
    unit: Literal["characters", "calls"] = "characters"
    words: str = ""
    sides: tuple[str, ...] = ()
    problem: str = ""
    seconds: float = 0.0

    @property
    def sentence(self) -> str:
        """The finding in a few words: ``stopped at 1,440 of 4,030``."""
        match self.outcome:
            case "stopped":
                return f"stopped {self._place}"
            case "told":
                return f"told the model {self._place}, stopped nothing"
            case "interrupted":
                return f"interrupted a healthy answer {self._place}"
            case "left-alone":
                return "left alone"
            case "error":
                return f"error: {self.problem.partition(chr(10))[0]}"
        return "never"

    @property
    def share(self) -> float | None:
        """Which part of the loop had gone by, from 0 to 1; None where that is not known."""
        return None if self.at is None or not self.of else min(1.0, self.at / self.of)

    @property
    def _place(self) -> str:
        if self.at is None:
            return "at an unknown place"
        call = "call " if self.unit == "calls" else ""
        return f"at {call}{self.at:,}" + (f" of {self.of:,}" if self.of else "")


class Survey(NamedTuple):
    """A whole survey; cells that were not measured are missing."""

    date: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    cells: tuple[Cell, ...]

    def cell(self, agent: str, scenario: str) -> Cell | None:
        """The last cell of that place."""
        return next((c for c in reversed(self.cells) if (c.agent, c.scenario) == (agent, scenario)), None)

    def counts(self) -> dict[Outcome, int]:
        """How many cells ended how, in the order of :data:`OUTCOMES`."""
        found = [cell.outcome for cell in self.shown()]
        return {outcome: found.count(outcome) for outcome in OUTCOMES if outcome in found}

    def shown(self) -> list[Cell]:
        """The cell of each place, agent by agent, as far as they were measured."""
        cells = [self.cell(column.label, row.name) for column in self.columns for row in self.rows]
        return [cell for cell in cells if cell]

    def added(self, cells: Iterable[Cell]) -> Survey:
        """The survey with these cells behind its own."""
        return self._replace(cells=(*self.cells, *cells))


def to_measure(survey: Survey) -> list[tuple[Column, Row]]:
    """What is missing, agent by agent; a cell with an error is measured again."""
    wanted = [(column, row) for column in survey.columns for row in survey.rows]
    found = {pair: survey.cell(pair[0].label, pair[1].name) for pair in wanted}
    return [pair for pair, cell in found.items() if cell is None or cell.outcome == "error"]


def merged(old: Survey, new: Survey) -> Survey:
    """The survey that goes on with an older one; an agent of another version starts afresh."""
    columns = {column.label: column for column in (*old.columns, *new.columns)}
    rows = {row.name: row for row in (*old.rows, *new.rows)}
    same = {column.label for column in old.columns if columns[column.label] == column}
    cells = tuple(cell for cell in old.cells if cell.agent in same)
    return Survey(new.date, tuple(columns.values()), tuple(rows.values()), (*cells, *new.cells))


def survey_json(survey: Survey) -> str:
    """The survey as JSON, one line for each cell."""
    head = {
        "format": FORMAT,
        "date": survey.date,
        "agents": [column._asdict() for column in survey.columns],
        "scenarios": [row._asdict() for row in survey.rows],
    }
    cells = [
        json.dumps({**cell._asdict(), "sentence": cell.sentence}, ensure_ascii=False)
        for cell in survey.cells
        if survey.cell(cell.agent, cell.scenario) is cell
    ]
    text = json.dumps(head, ensure_ascii=False, indent=2).removesuffix("\n}")
    body = ",\n    ".join(cells)
    return f'{text},\n  "cells": [\n    {body}\n  ]\n}}\n' if cells else f'{text},\n  "cells": []\n}}\n'


def parse_survey(text: str) -> Survey:
    """The survey of :func:`survey_json`.

    Raises:
        ValueError: If it is something else, with the reason.
    """
    try:
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise ValueError(f"its format is {data['format']}, and this qa reads {FORMAT}")
        columns = tuple(Column(**column) for column in data["agents"])
        rows = tuple(Row(**row) for row in data["scenarios"])
        return Survey(data["date"], columns, rows, tuple(_cell(cell) for cell in data["cells"]))
    except (KeyError, TypeError) as error:
        raise ValueError(f"it is no survey: {error}") from None


def _cell(data: Mapping[str, Any]) -> Cell:
    known = {name: value for name, value in data.items() if name in Cell._fields}
    return Cell(**{**known, "sides": tuple(known["sides"])})
