"""Pending changes as one HTML page that loads nothing from anywhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from harness.snapshots.difference import rows
from harness.snapshots.view import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.snapshots.difference import Row
    from harness.snapshots.store import Change

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --old: #d73a4926; --new: #2da44e26; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 82rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin: 0; }
section { border: 1px solid var(--line); border-radius: .5rem; margin: 1.5rem 0; padding: 1rem; }
.about { opacity: .75; margin: .25rem 0 .75rem; }
code, pre, table { font: 13px/1.45 ui-monospace, monospace; }
nav li { margin: .15rem 0; } pre { overflow-x: auto; margin: 0; white-space: pre-wrap; }
button { font: inherit; padding: .2rem .8rem; } button[aria-pressed=true] { font-weight: 700; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; margin-top: .75rem; }
td { white-space: pre-wrap; overflow-wrap: anywhere; vertical-align: top; padding: 0 .5rem; width: 50%; }
td.old { background: var(--old); } td.new { background: var(--new); } td.gap { opacity: .6; }
.side { margin-top: .75rem; }
.screen pre { background: #111; color: #ddd; padding: .75rem; white-space: pre; }
"""
_SCRIPT = """
for (const section of document.querySelectorAll("section")) {
  const show = name => {
    for (const part of section.querySelectorAll("[data-part]")) part.hidden = part.dataset.part !== name;
    for (const button of section.querySelectorAll("button"))
      button.setAttribute("aria-pressed", button.dataset.show === name);
  };
  for (const button of section.querySelectorAll("button"))
    button.addEventListener("click", () => show(button.dataset.show));
  show("diff");
}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def render_page(changes: Sequence[Change], unused: Sequence[str]) -> str:
    """The page: a list of all changes, then each before, after, and as a diff."""
    return "\n".join(_page(changes, unused)) + "\n"


def _page(changes: Sequence[Change], unused: Sequence[str]) -> Iterator[str]:
    count = "1 change" if len(changes) == 1 else f"{len(changes)} changes"
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8"><title>qa review</title>'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
    yield f"<style>{_STYLE}</style></head><body>"
    yield f"<h1>{count} to review</h1><nav><ul>"
    for number, change in enumerate(changes, 1):
        yield f'<li><a href="#change-{number}">{escape(change.name)}</a> {_state(change)}</li>'
    yield "</ul></nav>"
    for number, change in enumerate(changes, 1):
        yield from _section(number, change)
    if unused:
        yield "<h2>Unused snapshots</h2><ul>"
        yield from (f"<li><code>{escape(name)}</code></li>" for name in unused)
        yield "</ul>"
    yield f"<script>{_SCRIPT}</script></body></html>"


def _state(change: Change) -> str:
    return "new" if change.before is None else escape(change.state)


def _section(number: int, change: Change) -> Iterator[str]:
    kind = "screen" if change.artifact == "screen" else "text"
    yield f'<section id="change-{number}" class="{kind}"><h2>{escape(change.name)}</h2>'
    yield f'<p class="about">{_state(change)}, from {escape(change.made_by)}, step {escape(change.place)}<br>'
    yield f"evidence: <code>{escape(change.evidence)}</code><br>"
    yield f"accept: <code>qa review --accept {escape(change.name)}</code></p>"
    for name in ("before", "after", "diff"):
        yield f'<button type="button" data-show="{name}">{name}</button>'
    before = "there is none" if change.before is None else change.before
    yield f'<div class="side" data-part="before"><pre>{_text(before)}</pre></div>'
    yield f'<div class="side" data-part="after"><pre>{_text(change.after)}</pre></div>'
    yield '<div data-part="diff"><table>'
    yield from (_row(row) for row in rows(change.before, change.after))
    yield "</table></div></section>"


def _row(row: Row) -> str:
    if row.mark == "@":
        return f'<tr><td class="gap">{row.before}</td><td class="gap">{row.after}</td></tr>'
    old = ' class="old"' if row.mark in "-~" else ""
    new = ' class="new"' if row.mark in "+~" else ""
    return f"<tr><td{old}>{_text(row.before)}</td><td{new}>{_text(row.after)}</td></tr>"


def _text(text: str) -> str:
    return escape("\n".join(visible(line) for line in text.split("\n")))
