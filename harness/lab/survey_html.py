"""A survey as one HTML page without any other file: a heat map, details behind each cell."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from harness.html_page import html_page
from harness.lab.survey_look import STYLE
from harness.lab.survey_markdown import PACE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.lab.survey import Cell, Column, Kind, Outcome, Row, Survey

# Outcomes differ in colour, in the sign and in the words: none is told by colour alone.
_SIGNS: dict[Outcome, str] = {
    "stopped": "■",
    "told": "◧",
    "never": "□",
    "left-alone": "✓",
    "interrupted": "✗",
    "error": "!",
}
_MEANS: dict[Outcome, str] = {
    "stopped": "loops stopped; the stronger the colour, the earlier",
    "told": "where only the model was told",
    "never": "loops that ran to their end",
    "left-alone": "healthy answers that arrived whole",
    "interrupted": "healthy answers interrupted",
    "error": "not measured, with the reason",
}
_GROUPS: dict[Kind, tuple[str, Outcome]] = {
    "loop": ("loops that were stopped", "stopped"),
    "healthy": ("healthy answers left alone", "left-alone"),
}


def render_html(survey: Survey) -> str:
    """The page. It loads nothing, needs no script, and every text from an agent is escaped."""
    return html_page(f"Survey of loop guards, {survey.date}", "\n".join(_body(survey)), STYLE)


def _body(survey: Survey) -> Iterator[str]:
    yield "<h1>Where each agent stops each loop</h1>"
    yield f'<p class="lead">Measured on {escape(survey.date)} by <code>qa survey</code>. {escape(PACE)}'
    yield "A cell says how much of a loop was sent until it was stopped, in characters or calls, and opens "
    yield "to the guard's own words.</p>"
    yield '<ul class="legend">'
    for name, number in survey.counts().items():
        yield f'<li><span class="swatch {name}">{_SIGNS[name]}</span> <b>{number}</b> {_MEANS[name]}</li>'
    yield '</ul><div class="wide"><table class="map">'
    yield '<thead><tr><th scope="col">scenario</th>'
    yield from (_head(column) for column in survey.columns)
    yield "</tr></thead>"
    for kind in _GROUPS:
        rows = [row for row in survey.rows if row.kind == kind]
        if rows:
            yield from _group(survey, kind, rows)
    yield "</table></div>"
    yield from _details(survey)


def _head(column: Column) -> str:
    facts = escape(f"{column.label}: {column.version}, {column.dialect}, {column.mode}", quote=True)
    name = f"{_breakable(column.label)}<small>{escape(column.version)}</small>"
    return f'<th scope="col" title="{facts}">{name}</th>'


def _breakable(label: str) -> str:
    """The word of an agent, which may go on in the next line after a sign."""
    return re.sub(r"([:=,\-])", r"\1<wbr>", escape(label))


def _group(survey: Survey, kind: Kind, rows: list[Row]) -> Iterator[str]:
    title, wanted = _GROUPS[kind]
    yield f'<tbody><tr class="group"><th scope="rowgroup">{title}</th>'
    for column in survey.columns:
        found = [cell for row in rows if (cell := survey.cell(column.label, row.name))]
        known = [cell for cell in found if cell.outcome != "error"]
        right = sum(cell.outcome == wanted for cell in known)
        yield f"<td>{right} of {len(known)}</td>" if known else "<td></td>"
    yield "</tr>"
    for row in rows:
        yield f'<tr><th scope="row">{_breakable(row.name)}<small>{escape(row.summary)}</small></th>'
        yield from (_cell(survey, column, row) for column in survey.columns)
        yield "</tr>"
    yield "</tbody>"


def _cell(survey: Survey, column: Column, row: Row) -> str:
    cell = survey.cell(column.label, row.name)
    if cell is None:
        return '<td class="none">not measured</td>'
    share = f' style="--share: {cell.share:.2f}"' if cell.share is not None else ""
    short, rest = _short(cell)
    label = escape(f"{cell.agent}, {cell.scenario}: {cell.sentence}", quote=True)
    small = f"<small>{rest}</small>" if rest else ""
    opens = f'popovertarget="{_id(survey, column, row)}" title="{label}" aria-label="{label}"'
    button = f'<button type="button" {opens}>{_SIGNS[cell.outcome]} {short}{small}</button>'
    return f'<td class="{cell.outcome}"{share}>{button}</td>'


def _id(survey: Survey, column: Column, row: Row) -> str:
    return f"cell-{survey.columns.index(column) + 1}-{survey.rows.index(row) + 1}"


def _short(cell: Cell) -> tuple[str, str]:
    """What fits into a cell: a word or a figure, and a second line."""
    place = "?" if cell.at is None else f"{'call ' if cell.unit == 'calls' else ''}{cell.at:,}"
    of = f"of {cell.of:,}" if cell.of and cell.at is not None else ""
    match cell.outcome:
        case "stopped" | "interrupted":
            return place, of
        case "told":
            return place, f"{of}, told only" if of else "told only"
        case "left-alone":
            return "whole", ""
    return cell.outcome, ""


def _details(survey: Survey) -> Iterator[str]:
    for column in survey.columns:
        for row in survey.rows:
            if cell := survey.cell(column.label, row.name):
                yield _detail(cell, column, row, _id(survey, column, row))


def _detail(cell: Cell, column: Column, row: Row, place: str) -> str:
    facts = escape(f"{column.version}, {column.dialect}, {column.mode}; {cell.seconds:g} s")
    words = f"<blockquote>{escape(cell.words)}</blockquote>" if cell.words else ""
    problem = f"<p>{escape(cell.problem)}</p>" if cell.problem else ""
    sides = "".join(f"<li>{escape(side)}</li>" for side in cell.sides)
    return f"""<div popover id="{place}">
<button type="button" popovertarget="{place}" aria-label="close">✕</button>
<h2>{escape(column.label)} · {escape(row.name)}</h2>
<p><b class="swatch {cell.outcome}">{_SIGNS[cell.outcome]}</b> <b>{escape(cell.sentence)}</b></p>
{words}{problem}<ul>{sides}</ul>
<p class="lead">{escape(f"{row.kind}, {row.looks}: {row.summary}")}<br>{facts}</p>
</div>"""
