"""The page of what ``qa doctor`` found: one row an agent, then what does not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.agents.checkup import Fact
    from harness.agents.spec import AgentSpec

    Found = tuple[AgentSpec, Sequence[tuple[str, Sequence[Fact]]], str]

HEAD = """# Agents, checked

What `qa doctor` found of each description on {date}: every fact of it that one turn, and one turn with a
tool, can show, in each mode and dialect. This page is written by

    {command}

{count}

| agent | version | size | modes and dialects that hold | facts | guards |
|---|---|---|---|---|---|
"""


def render_page(checked: Sequence[Found], date: str, command: str) -> str:
    """The page as Markdown.

    Args:
        checked: Description, sections of facts with their titles, and why nothing could be checked.
        date: The day, as ``2026-11-30``.
        command: What writes the page.
    """
    head = HEAD.format(date=date, command=command, count=_count(checked))
    lines = [head.rstrip("\n"), *map(_row, checked)]
    wrong = [
        f"- **{spec.name}**, {title}: `{fact.key}`: {_cell(fact.seen)}"
        for spec, sections, _ in checked
        for title, facts in sections
        for fact in facts
        if not fact.holds
    ]
    if wrong:
        lines += ["", "## What does not hold", "", *wrong]
    missing = [(spec, why) for spec, _, why in checked if why]
    if missing:
        lines += ["", "## Not checked", ""]
        lines += [f"- **{spec.name}**: {_cell(why.splitlines()[0])}" for spec, why in missing]
    notes = [(spec.name, note) for spec, _, _ in checked for note in spec.notes]
    if notes:
        lines += ["", "## Notes", "", *(f"- **{name}**: {_cell(note)}" for name, note in notes)]
    return "\n".join(lines) + "\n"


def _count(checked: Sequence[Found]) -> str:
    done = [sections for _, sections, missing in checked if not missing]
    right = [sections for sections in done if all(fact.holds for _, facts in sections for fact in facts)]
    both = sum(any(title.startswith("terminal") for title, _ in sections) for sections in right)
    return f"{len(right)} of {len(done)} checked agents are as described, {both} of them also in a terminal."


def _row(found: Found) -> str:
    spec, sections, missing = found
    every = [fact for _, facts in sections for fact in facts]
    held = sum(fact.holds for fact in every)
    ways: dict[str, bool] = {}
    for title, facts in sections:
        way = ", ".join(title.split(", ")[:2]) if ", " in title else ""
        if way:
            ways[way] = ways.get(way, True) and all(fact.holds for fact in facts)
    modes = "; ".join(way for way, holds in ways.items() if holds) or "none"
    guards = ", ".join(
        [*spec.guard.rules, *(f"{g.name}{' (off)' * (g.default == 'off')}" for g in spec.guards)]
    )
    size = f"{spec.install.size_mb} MB" if spec.install.size_mb else ""
    figures = "not checked" if missing else f"{held} of {len(every)}"
    version = spec.install.version or spec.install.source
    return f"| {spec.name} | {version} | {size} | {modes} | {figures} | {guards or 'none'} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
