"""``mock-llm check``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mock_llm.commands.loading import load_all
from mock_llm.turn import ToolCall, content

if TYPE_CHECKING:
    from mock_llm.script import Script, ScriptTurn
    from mock_llm.turn import Part

_SHOWN_CHARS = 60


@click.command("check")
@click.argument("scripts", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
def command(scripts: tuple[Path, ...]) -> None:
    """Load SCRIPTS (files and folders) and show their turns.

    Every mistake is shown at its line and column; the exit code is then 2.
    """
    watched, loaded = load_all(scripts)
    for file in watched.files:
        click.echo(render_script(str(file.path), loaded[file.name]))


def render_script(name: str, script: Script) -> str:
    """A script in a line for itself and one for each part of each turn."""
    count = len(script.turns)
    lane = f", lane '{script.lane}'" if script.lane else ""
    lines = [f"{name}: {count} turn{'s' * (count != 1)}{lane}"]
    for number, turn in enumerate(script.turns, 1):
        lines += _turn_lines(number, turn)
    for beside in script.lanes:
        lines.append(f"  lane '{beside.name}'")
        for number, turn in enumerate(beside.turns, 1):
            lines += _turn_lines(number, turn)
    return "\n".join(lines)


def _turn_lines(number: int, turn: ScriptTurn) -> list[str]:
    lines = [f"  {number:>3}  {line}" for line in map(_part_line, turn.turn.parts)] or [
        f"  {number:>3}  nothing"
    ]
    lines[1:] = [f"       {line[7:]}" for line in lines[1:]]
    return lines


def _part_line(part: Part) -> str:
    text = content(part)
    if isinstance(part, ToolCall):
        return f"call   {part.name} {_short(text)}"
    kind = {"Text": "say", "Thinking": "think", "Refusal": "refuse"}[type(part).__name__]
    return f"{kind:<6} {_short(repr(text)[1:-1])} ({len(text):,} characters)"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"
