"""``mock-llm schema``."""

from __future__ import annotations

import json

import click


@click.command("schema")
def command() -> None:
    """Print the JSON Schema of script files, for completion in an editor.

    Write it to a file and name that in the first line of a script:

    # yaml-language-server: $schema=FILE
    """
    from mock_llm.schema import script_schema

    click.echo(json.dumps(script_schema(), indent=2))
