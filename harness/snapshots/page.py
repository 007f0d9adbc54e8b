"""Pending changes as one HTML page that loads nothing from anywhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from harness.html_page import html_page
from harness.snapshots.difference import differing, rows
from harness.snapshots.page_look import SCRIPT, STYLE
from harness.snapshots.view import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.snapshots.difference import Row
    from harness.snapshots.store import Change

_WHOLE = 10**9  # lines of context, which no snapshot has
_VIEWS = ("diff", "before", "after")


def render_page(changes: Sequence[Change], unused: Sequence[str], folder: str = "") -> str:
    """The page: a list of all changes, then each as a diff, before and after.

    Args:
        changes: What waits.
        unused: Names of snapshots that no step asks for.
        folder: Where qa was called; evidence below it is named from there.
    """
    title = "1 change to review" if len(changes) == 1 else f"{len(changes)} changes to review"
    return html_page(title, "\n".join(_body(title, changes, unused, folder)), STYLE, SCRIPT)


def _body(title: str, changes: Sequence[Change], unused: Sequence[str], folder: str) -> Iterator[str]:
    yield f"<h1>{title}</h1>"
    yield '<p class="lead">What the last runs looked like, against the accepted snapshots: '
    yield '<span class="minus">&minus; accepted before</span> <span class="plus">+ now</span>. '
    yield "Decide on a terminal with <code>qa review</code>.</p>"
    yield "<nav><table>"
    for number, change in enumerate(changes, 1):
        link = f'<a href="#change-{number}">{escape(change.name)}</a>'
        yield f"<tr><td>{link}</td><td>{_state(change)}</td><td>{_size(change)}</td></tr>"
    yield "</table></nav>"
    for number, change in enumerate(changes, 1):
        yield from _section(number, change, folder)
    if unused:
        yield "<h2>Unused snapshots</h2><ul>"
        yield from (f"<li><code>{escape(name)}</code></li>" for name in unused)
        yield "</ul>"


def _state(change: Change) -> str:
    return "new" if change.before is None else escape(change.state)


def _size(change: Change) -> str:
    found = rows(change.before, change.after, 0)
    gone = sum(row.mark in "-~" for row in found)
    come = sum(row.mark in "+~" for row in found)
    minus = f'<span class="minus">&minus;{gone}</span> ' if gone else ""
    return f'{minus}<span class="plus">+{come}</span>' if come else minus


def _section(number: int, change: Change, folder: str) -> Iterator[str]:
    yield f'<details open id="change-{number}"><summary><h2>{escape(change.name)}</h2>'
    yield f'<span class="state">{_state(change)}</span> {_size(change)}</summary><div class="inner">'
    yield f'<p class="about">from {escape(change.made_by)}, step {escape(change.place)}<br>'
    yield f"evidence: <code>{escape(change.evidence.removeprefix(f'{folder}/'))}</code><br>"
    yield f"accept: <code>qa review --accept {escape(change.name)}</code></p>"
    yield '<div class="views" role="group" aria-label="what to show">'
    yield from (f'<button type="button" data-show="{name}">{name}</button>' for name in _VIEWS)
    yield "</div>"
    is_screen = change.artifact == "screen"
    yield '<div data-part="diff">'
    yield from _screens(change) if is_screen else _diff(change)
    yield "</div>"
    look = ' class="screen"' if is_screen else ""
    for name, text in (("before", change.before), ("after", change.after)):
        inner = "<p>there is none</p>" if text is None else f"<pre{look}>{_text(text)}</pre>"
        yield f'<div data-part="{name}">{inner}</div>'
    yield "</div></details>"


def _diff(change: Change) -> Iterator[str]:
    look = " only-after" if change.before is None else ""
    yield f'<table class="diff{look}">'
    yield from (_row(row) for row in rows(change.before, change.after))
    yield "</table>"


def _row(row: Row) -> str:
    match row.mark:
        case "@":
            return f'<tr class="same"><td class="gap">{row.before}</td><td class="gap">{row.after}</td></tr>'
        case " ":
            return f'<tr class="same"><td>{_text(row.before)}</td><td>{_text(row.after)}</td></tr>'
        case "-":
            return f'<tr><td class="old">{_text(row.before)}</td><td></td></tr>'
        case "+":
            return f'<tr><td></td><td class="new">{_text(row.after)}</td></tr>'
    old, new = differing(visible(row.before), visible(row.after))
    return f'<tr><td class="old">{_marked(old, "del")}</td><td class="new">{_marked(new, "ins")}</td></tr>'


def _marked(parts: tuple[str, str, str], tag: str) -> str:
    same, other, rest = map(escape, parts)
    return f"{same}<{tag}>{other}</{tag}>{rest}" if other and (same or rest) else same + other + rest


def _screens(change: Change) -> Iterator[str]:
    """Both screens as they stood, with a mark at each row that differs."""
    found = rows(change.before, change.after, _WHOLE)
    yield '<div class="screens">'
    if change.before is not None:
        yield from _screen(
            "before", [(row.before, row.mark in "-~") for row in found if row.mark != "+"], "old"
        )
    yield from _screen("after", [(row.after, row.mark in "+~") for row in found if row.mark != "-"], "new")
    yield "</div>"


def _screen(name: str, lines: Sequence[tuple[str, bool]], look: str) -> Iterator[str]:
    shown = "".join(
        f'<span class="{look}">{_text(line) or " "}</span>'
        if differs
        else f"<span>{_text(line) or ' '}</span>"
        for line, differs in lines
    )
    yield f'<figure><figcaption>{name}</figcaption><pre class="screen">{shown}</pre></figure>'


def _text(text: str) -> str:
    return escape("\n".join(visible(line) for line in text.split("\n")))
