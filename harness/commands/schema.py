"""``qa schema``: what a scenario file looks like, for editors."""

from __future__ import annotations

import json

import click


@click.command()
def schema() -> None:
    """Print the JSON Schema of scenario files, with which editors complete and check them.

    Save it (qa schema > scenario.schema.json) and begin a scenario with the line
    '# yaml-language-server: $schema=scenario.schema.json'.
    """
    from harness.scenario_shape import SCENARIO
    from mock_llm.schema import schema_document

    click.echo(json.dumps(schema_document(SCENARIO, "a scenario of qa"), indent=1, ensure_ascii=False))
