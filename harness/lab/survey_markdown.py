"""A survey as Markdown, and as a table for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.lab.survey import Cell, Survey

PACE = (
    "Loops were streamed 24 characters every 10 ms. Places are counted on the wire, with a little in flight."
)
_GAP = "not measured"


def render_markdown(survey: Survey) -> str:
    """One table of all findings, then what each guard said, then what could not be measured."""
    names = [column.label for column in survey.columns]
    table = [
        _line(["scenario", *names]),
        _line(["---"] * (len(names) + 1)),
        *(_line([row.name, *(_short(survey.cell(name, row.name)) for name in names)]) for row in survey.rows),
    ]
    agents = [_line(["agent", "version", "dialect", "mode"]), _line(["---"] * 4)]
    agents += [_line([c.label, c.version, c.dialect, c.mode]) for c in survey.columns]
    scenarios = [f"- `{row.name}` ({row.kind}, {row.looks}): {row.summary}" for row in survey.rows]
    parts = [
        "# Survey of loop guards",
        f"Measured on {survey.date} by `qa survey`. {PACE}",
        "\n".join(table),
        *_section("What the guards said", _said(survey)),
        *_section("Not measured, or in doubt", _problems(survey)),
        "## Agents",
        "\n".join(agents),
        "## Scenarios",
        "\n".join(scenarios),
    ]
    return "\n\n".join(parts) + "\n"


def render_text(survey: Survey) -> str:
    """One line for each cell, agent by agent, and the counts."""
    width = max((len(row.name) for row in survey.rows), default=0)
    lines: list[str] = []
    for column in survey.columns:
        lines.append(f"{column.label}  {column.version}, {column.dialect}, {column.mode}")
        for row in survey.rows:
            cell = survey.cell(column.label, row.name)
            lines.append(f"  {row.name:{width}}  {cell.sentence if cell else _GAP}")
            if cell and cell.words:
                lines.append(f"  {'':{width}}  “{cell.words}”")
    counts = ", ".join(f"{number} {outcome}" for outcome, number in survey.counts().items())
    return "\n".join([*lines, counts or "nothing was measured"])


def _short(cell: Cell | None) -> str:
    return _GAP if cell is None else "error" if cell.outcome == "error" else cell.sentence


def _said(survey: Survey) -> list[str]:
    return [f"- {cell.agent}, {cell.scenario}: {_code(cell.words)}" for cell in survey.shown() if cell.words]


def _problems(survey: Survey) -> list[str]:
    return [
        f"- {cell.agent}, {cell.scenario}: {' '.join(cell.problem.split())}"
        for cell in survey.shown()
        if cell.problem
    ]


def _section(title: str, lines: Sequence[str]) -> list[str]:
    return [f"## {title}", "\n".join(lines)] if lines else []


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def _line(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(escaped)} |"
