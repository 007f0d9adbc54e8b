"""The option ``--agent`` of the commands that take one agent."""

from __future__ import annotations

import click


def _only(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> str:
    """The agent that was named. Of two, the first would else go unseen."""
    if len(given) > 1:
        named = " and ".join(f"'{name}'" for name in given)
        raise click.UsageError(f"one agent at a time, not {named}; 'qa gate' takes several")
    return given[0]


one_agent = click.option(
    "--agent",
    multiple=True,
    default=("reference",),
    callback=_only,
    help="An agent's name or description file.  [default: reference]",
)
