"""``mock-llm generators``."""

from __future__ import annotations

import click

from mock_llm.generators import GENERATORS
from mock_llm.generators.generator import SHARED


@click.command("generators")
def command() -> None:
    """List the text generators with what their texts are like."""
    click.echo(render_generators())


def render_generators() -> str:
    """A paragraph for each generator: its name, what it makes, what its text is like, its own parameters."""
    paragraphs = []
    for name in GENERATORS:
        generator = GENERATORS[name]
        shape = generator.shape
        parameters = " ".join([*shape.fields, *SHARED])
        paragraphs.append(f"{name}\n  {shape.doc}\n  {generator.doc}\n  parameters: {parameters}")
    return "\n".join(paragraphs)
