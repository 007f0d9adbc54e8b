"""Prints what runs have to say."""

from __future__ import annotations

import os
import sys

import click


def say(text: str, *, nl: bool = True) -> None:
    """Print, also where nobody reads any more: the runs and their exit code count, not the words."""
    try:
        click.echo(text, color=True, nl=nl)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            click.echo(f"the report cannot be written: {error.strerror}", err=True)
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  stays open to the end
