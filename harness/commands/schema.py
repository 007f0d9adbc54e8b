"""``qa schema``: what a scenario file looks like, for editors."""

from __future__ import annotations

import json

import click


@click.command()
@click.option("--results", is_flag=True, help="The schema of JSON reports instead.")
@click.option("--gate", is_flag=True, help="The schema of gate.yaml instead.")
def schema(*, results: bool, gate: bool) -> None:
    """Print the JSON Schema of scenario files, with which editors complete and check them.

    Save it (qa schema > scenario.schema.json) and begin a scenario with the line
    '# yaml-language-server: $schema=scenario.schema.json'.
    """
    if results:
        from harness.results_json import results_schema

        click.echo(json.dumps(results_schema(), indent=1))
        return
    if gate:
        from harness.gate.baseline_file import GATE
        from mock_llm.schema import schema_document

        click.echo(json.dumps(schema_document(GATE, "the gate of qa"), indent=1, ensure_ascii=False))
        return
    from harness.scenario_shape import SCENARIO
    from mock_llm.schema import schema_document

    click.echo(json.dumps(schema_document(SCENARIO, "a scenario of qa"), indent=1, ensure_ascii=False))
