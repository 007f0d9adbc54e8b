"""``qa list``: every scenario with its tags and summary."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from harness.problems import UserError


@click.command("list")
@click.option("--tag", "tags", multiple=True, help="Only scenarios with this tag (may be repeated).")
def list_scenarios(tags: tuple[str, ...]) -> None:
    """Show every scenario with its tags and summary."""
    from harness.find_scenarios import all_scenarios
    from harness.reporters.console import render_list
    from harness.scenario_yaml import load_scenario

    scenarios, mistakes = [], []
    for path in all_scenarios(Path.cwd()):
        try:
            scenarios.append(load_scenario(path))
        except UserError as error:
            mistakes.append(error)
    rows = [(s.name, s.tags, s.summary) for s in scenarios if not tags or set(tags) & set(s.tags)]
    if rows:
        click.echo(render_list(rows, color=sys.stdout.isatty(), width=_width()))
    for mistake in mistakes:
        click.echo(f"\n{mistake}", err=True)
    if mistakes:
        sys.exit(2)
    if not rows:
        known = ", ".join(sorted({tag for scenario in scenarios for tag in scenario.tags}))
        named = " or ".join(f"'{tag}'" for tag in tags)
        click.echo(f"no scenario has the tag {named}\n  the tags are {known}", err=True)
        sys.exit(5)


def _width() -> int:
    import shutil

    return shutil.get_terminal_size((110, 40)).columns
