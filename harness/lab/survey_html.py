"""A survey as one HTML page without any other file: a heat map, details behind each cell."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from harness.lab.survey_markdown import PACE

if TYPE_CHECKING:
    from harness.lab.survey import Cell, Column, Row, Survey

# Outcomes differ in colour, in the sign and in the words: none is told by colour alone.
_SIGNS = {
    "stopped": "■",
    "told": "◧",
    "never": "□",
    "left-alone": "✓",
    "interrupted": "✗",
    "error": "!",
}
_MEANS = {
    "stopped": "a loop was stopped; the darker, the earlier",
    "told": "the model was told, nothing was stopped",
    "never": "a loop ran to its end",
    "left-alone": "a healthy answer arrived whole",
    "interrupted": "a healthy answer was interrupted",
    "error": "not measured, with the reason",
}
_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1c; --paper: #fff; --line: #c8c8c8; --soft: #666; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #161616; --line: #444; --soft: #aaa; }
}
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem; }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; } p { max-width: 60rem; color: var(--soft); margin: .3rem 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: separate; border-spacing: 3px; }
th { text-align: left; font-weight: 600; padding: .3rem .5rem; vertical-align: bottom; }
th small { display: block; font-weight: 400; color: var(--soft); }
tbody th { max-width: 20rem; position: sticky; left: 0; background: var(--paper); }
td { padding: 0; min-width: 8.5rem; border-radius: 4px; vertical-align: top; color: #111; --share: 1; }
td.none { background: transparent; color: var(--soft); padding: .35rem .5rem; }
td.stopped { background: hsl(150 45% calc(52% + 32% * var(--share))); }
td.told { background: #d5dff2; } td.never { background: #f3c9a5; } td.left-alone { background: #e3f0e3; }
td.interrupted { background: #e79a9a; } td.error { background: #dcdcdc; }
summary { cursor: pointer; padding: .35rem .5rem; list-style: none; }
summary::-webkit-details-marker { display: none; }
details div { padding: 0 .5rem .5rem; font-size: 13px; max-width: 26rem; overflow-wrap: anywhere; }
q { font-family: ui-monospace, monospace; } ul { list-style: none; padding: 0; color: var(--soft); }
"""


def render_html(survey: Survey) -> str:
    """The page. It loads nothing, and every text from an agent is escaped."""
    heads = "".join(_head(column) for column in survey.columns)
    lines = "\n".join(_line(survey, row) for row in survey.rows)
    counts = survey.counts()
    legend = "".join(f"<li>{_SIGNS[name]} {_MEANS[name]}: {number}</li>" for name, number in counts.items())
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Survey of loop guards, {escape(survey.date)}</title>
<style>{_STYLE}</style>
<h1>Where each agent stops each loop</h1>
<p>Measured on {escape(survey.date)} by <code>qa survey</code>. {escape(PACE)} A cell opens.</p>
<ul>{legend}</ul>
<div class="wide"><table>
<thead><tr><th scope="col">scenario</th>{heads}</tr></thead>
<tbody>
{lines}
</tbody>
</table></div>
</html>
"""


def _head(column: Column) -> str:
    facts = escape(f"{column.version}, {column.dialect}, {column.mode}")
    return f'<th scope="col">{escape(column.label)}<small>{facts}</small></th>'


def _line(survey: Survey, row: Row) -> str:
    cells = "".join(_cell(survey.cell(column.label, row.name)) for column in survey.columns)
    summary = f"<small>{escape(f'{row.kind}, {row.looks}: {row.summary}')}</small>"
    return f'<tr><th scope="row">{escape(row.name)}{summary}</th>{cells}</tr>'


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return '<td class="none">not measured</td>'
    share = f' style="--share: {cell.share:.2f}"' if cell.share is not None else ""
    short = "error" if cell.outcome == "error" else cell.sentence
    words = [f"<q>{escape(cell.words)}</q>"] if cell.words else []
    facts = [*words, *map(escape, filter(None, (cell.problem, *cell.sides))), f"{cell.seconds:g} s"]
    body = "<br>".join(facts)
    summary = f"<summary>{_SIGNS[cell.outcome]} {escape(short)}</summary>"
    return f'<td class="{cell.outcome}"{share}><details>{summary}<div>{body}</div></details></td>'
