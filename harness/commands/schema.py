"""``qa schema``: what a scenario file, an agent description or a gate looks like, for editors."""

from __future__ import annotations

import json
from typing import Any

import click


@click.command()
@click.option("--results", is_flag=True, help="The schema of JSON reports instead.")
@click.option("--gate", is_flag=True, help="The schema of gate.yaml instead.")
@click.option("--agent", is_flag=True, help="The schema of agent descriptions instead.")
def schema(*, results: bool, gate: bool, agent: bool) -> None:
    """Print the JSON Schema of scenario files, with which editors complete and check them.

    Save it (qa schema > scenario.schema.json) and begin a scenario with the line
    '# yaml-language-server: $schema=scenario.schema.json'.
    """
    click.echo(json.dumps(_schema(results=results, gate=gate, agent=agent), indent=1, ensure_ascii=False))


def _schema(*, results: bool, gate: bool, agent: bool) -> dict[str, Any]:
    from mock_llm.schema import schema_document

    if results:
        from harness.results_json import results_schema

        return results_schema()
    if gate:
        from harness.gate.baseline_file import GATE

        return schema_document(GATE, "the gate of qa")
    if agent:
        from harness.agents.agent_shape import AGENT

        return schema_document(AGENT, "an agent description of qa")
    from harness.scenario_shape import SCENARIO

    return schema_document(SCENARIO, "a scenario of qa")
