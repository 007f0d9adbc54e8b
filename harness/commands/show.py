"""``qa show``: the text a scenario streams, with the place where the guard fires."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from harness.guard_marks import MarkedPart


@click.command()
@click.argument("name")
@click.option("--reply", type=click.IntRange(min=1), help="Only this reply of the model.")
def show(name: str, reply: int | None) -> None:
    """Show what the scenario's model streams, and where the published guard fires."""
    from harness.detectors.mechanisms import PUBLISHED
    from harness.find_scenarios import find
    from harness.guard_marks import mark
    from harness.scenario_yaml import load_scenario

    scenario = load_scenario(find([name], Path.cwd())[0])
    if reply and reply > len(scenario.model):
        there = "1 reply" if len(scenario.model) == 1 else f"{len(scenario.model)} replies"
        click.echo(f"there is no reply {reply}: the model of '{scenario.name}' gives {there}", err=True)
        sys.exit(2)
    click.secho(f"{scenario.name}: {scenario.summary}", bold=True)
    click.echo(f"prompt: {scenario.prompt}")
    for prompt in scenario.then:
        click.echo(f"then, in a new process: {prompt}")
    turns = PUBLISHED.turns()
    for number, turn in enumerate(scenario.model, 1):
        parts = mark(turn.turn, turns)
        if reply in (None, number):
            _show_turn(number, parts)


def _show_turn(number: int, parts: tuple[MarkedPart, ...]) -> None:
    for part in parts:
        click.echo()
        click.secho(f"reply {number}, {part.stream}, {len(part.text):,} characters", bold=True)
        _show_part(part)


def _show_part(part: MarkedPart) -> None:
    kept, dropped, unread = part.pieces
    click.echo(kept, nl=not kept.endswith("\n"))
    finding = part.finding
    if finding is None:
        click.secho("--- the published guard stays silent", fg="green")
        return
    if finding.rule == "control-token-leak":
        click.secho(f"--- it leaks after {finding.garbage_start:,} characters; all is dropped", fg="yellow")
    elif dropped:
        click.secho(f"--- kept: {finding.garbage_start:,} characters; what follows is dropped", fg="yellow")
    if dropped:
        click.echo(dropped, nl=not dropped.endswith("\n"))
    fired = f"--- {finding.mechanism} fires after {finding.fired_at:,} characters: {finding.reason}"
    click.secho(fired, fg="red")
    if unread:
        click.secho(unread.rstrip("\n"), dim=True)
